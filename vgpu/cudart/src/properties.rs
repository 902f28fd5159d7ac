//! `cudaDeviceProp` of CUDA 13: filled from the driver's name, UUID, memory and attributes.

use crate::bound::DEVICE;
use crate::driver::{Driver, driver};
use crate::error::{Outcome, checked};

/// `cudaDeviceProp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    pub name: [u8; 256],
    pub uuid: [u8; 16],
    pub luid: [u8; 8],
    pub luid_mask: u32,
    pub total_memory: usize,
    pub shared_per_block: usize,
    pub registers_per_block: i32,
    pub warp_size: i32,
    pub pitch: usize,
    pub threads_per_block: i32,
    pub block: [i32; 3],
    pub grid: [i32; 3],
    pub constant_memory: usize,
    pub capability: [i32; 2],
    pub texture_alignment: usize,
    pub texture_pitch_alignment: usize,
    pub sms: i32,
    pub integrated: i32,
    pub maps_host_memory: i32,
    pub textures_and_surfaces: [i32; 39],
    pub surface_alignment: usize,
    pub kernels_and_bus: [i32; 6],
    pub copy_engines: i32,
    pub unified_addressing: i32,
    pub bus_width: i32,
    pub l2_cache: i32,
    pub persisting_l2: i32,
    pub threads_per_sm: i32,
    pub priorities_and_l1: [i32; 3],
    pub shared_per_sm: usize,
    pub registers_per_sm: i32,
    pub from_managed_to_cooperative: [i32; 9],
    pub shared_opt_in: usize,
    pub from_page_tables_to_window: [i32; 4],
    pub reserved_shared: usize,
    pub from_host_register_to_subsystem: [i32; 20],
    pub reserved: [i32; 56],
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<Properties>() == 1008);
    assert!(offset_of!(Properties, total_memory) == 288);
    assert!(offset_of!(Properties, sms) == 384);
    assert!(offset_of!(Properties, surface_alignment) == 552);
    assert!(offset_of!(Properties, kernels_and_bus) == 560);
    assert!(offset_of!(Properties, shared_per_sm) == 624);
    assert!(offset_of!(Properties, shared_opt_in) == 672);
    assert!(offset_of!(Properties, reserved_shared) == 696);
    assert!(offset_of!(Properties, from_host_register_to_subsystem) == 704);
    assert!(offset_of!(Properties, reserved) == 784);
};

/// The driver's attributes of textures and surfaces, in the order of the struct.
const TEXTURES_AND_SURFACES: [u32; 39] = [
    21, 77, 22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26, 47, 48, 49, 52, 42, 43, 27, 28, 29, 53,
    54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68,
];

/// Reads the device's properties from the driver.
pub fn read() -> Outcome<Properties> {
    let driver = driver()?;
    let one = |attribute: u32| -> Outcome<i32> {
        let mut value = 0;
        // SAFETY: room for one value.
        checked(unsafe { (driver.device_attribute)(&raw mut value, attribute, DEVICE) })?;
        Ok(value)
    };
    let size = |attribute| one(attribute).map(|value| usize::try_from(value).unwrap_or(0));
    let (name, uuid, total_memory) = identity(driver)?;
    Ok(Properties {
        name,
        uuid,
        luid: [0; 8],
        luid_mask: 0,
        total_memory,
        shared_per_block: size(8)?,
        registers_per_block: one(12)?,
        warp_size: one(10)?,
        pitch: size(11)?,
        threads_per_block: one(1)?,
        block: all(&one, [2, 3, 4])?,
        grid: all(&one, [5, 6, 7])?,
        constant_memory: size(9)?,
        capability: all(&one, [75, 76])?,
        texture_alignment: size(14)?,
        texture_pitch_alignment: size(51)?,
        sms: one(16)?,
        integrated: one(18)?,
        maps_host_memory: one(19)?,
        textures_and_surfaces: all(&one, TEXTURES_AND_SURFACES)?,
        surface_alignment: size(30)?,
        kernels_and_bus: all(&one, [31, 32, 33, 34, 50, 35])?,
        copy_engines: one(40)?,
        unified_addressing: one(41)?,
        bus_width: one(37)?,
        l2_cache: one(38)?,
        persisting_l2: one(108)?,
        threads_per_sm: one(39)?,
        priorities_and_l1: all(&one, [78, 79, 80])?,
        shared_per_sm: size(81)?,
        registers_per_sm: one(82)?,
        from_managed_to_cooperative: all(&one, [83, 84, 85, 86, 88, 89, 90, 91, 95])?,
        shared_opt_in: size(97)?,
        from_page_tables_to_window: all(&one, [100, 101, 106, 109])?,
        reserved_shared: size(111)?,
        from_host_register_to_subsystem: all(
            &one,
            [
                99, 112, 113, 114, 115, 116, 117, 118, 119, 121, 125, 120, 129, 130, 131, 133, 134,
                139, 140, 143,
            ],
        )?,
        reserved: [0; 56],
    })
}

/// Name, UUID and bytes of memory.
fn identity(driver: &Driver) -> Outcome<([u8; 256], [u8; 16], usize)> {
    let (mut name, mut uuid, mut total_memory) = ([0; 256], [0; 16], 0);
    // SAFETY: room for each result, the name's with its length.
    checked(unsafe { (driver.device_name)((&raw mut name).cast(), 256, DEVICE) })?;
    // SAFETY: as above.
    checked(unsafe { (driver.device_uuid)(&raw mut uuid, DEVICE) })?;
    // SAFETY: as above.
    checked(unsafe { (driver.device_memory)(&raw mut total_memory, DEVICE) })?;
    Ok((name, uuid, total_memory))
}

/// Several attributes, in order.
fn all<const N: usize>(
    one: &impl Fn(u32) -> Outcome<i32>,
    attributes: [u32; N],
) -> Outcome<[i32; N]> {
    let mut values = [0; N];
    for (value, attribute) in values.iter_mut().zip(attributes) {
        *value = one(attribute)?;
    }
    Ok(values)
}
