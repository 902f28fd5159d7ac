//! `cudaDeviceProp` of CUDA 12: what CUDA 13 has, and the words that it dropped.

use crate::bound::DEVICE;
use crate::driver::driver;
use crate::error::{Outcome, checked};
use crate::properties::{Properties, read};

/// `cudaDeviceProp`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OlderProperties {
    name: [u8; 256],
    uuid: [u8; 16],
    luid: [u8; 8],
    luid_mask: u32,
    total_memory: usize,
    shared_per_block: usize,
    registers_per_block: i32,
    warp_size: i32,
    pitch: usize,
    threads_per_block: i32,
    block: [i32; 3],
    grid: [i32; 3],
    clock_khz: i32,
    constant_memory: usize,
    capability: [i32; 2],
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    overlaps: i32,
    sms: i32,
    has_time_limit: i32,
    integrated: i32,
    maps_host_memory: i32,
    compute_mode: i32,
    first_textures: [i32; 2],
    linear_texture: i32,
    textures_and_surfaces: [i32; 37],
    surface_alignment: usize,
    kernels_and_bus: [i32; 6],
    copy_engines: i32,
    unified_addressing: i32,
    memory_clock_khz: i32,
    bus_width: i32,
    l2_cache: i32,
    persisting_l2: i32,
    threads_per_sm: i32,
    priorities_and_l1: [i32; 3],
    shared_per_sm: usize,
    registers_per_sm: i32,
    from_managed_to_atomics: [i32; 4],
    single_to_double: i32,
    from_pageable_to_cooperative: [i32; 5],
    cooperative_on_several: i32,
    shared_opt_in: usize,
    from_page_tables_to_window: [i32; 4],
    reserved_shared: usize,
    from_host_register_to_functions: [i32; 13],
    reserved: [i32; 63],
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<OlderProperties>() == 1032);
    assert!(offset_of!(OlderProperties, clock_khz) == 348);
    assert!(offset_of!(OlderProperties, sms) == 388);
    assert!(offset_of!(OlderProperties, surface_alignment) == 568);
    assert!(offset_of!(OlderProperties, memory_clock_khz) == 608);
    assert!(offset_of!(OlderProperties, shared_opt_in) == 696);
    assert!(offset_of!(OlderProperties, from_host_register_to_functions) == 728);
};

/// Reads the device's properties from the driver.
pub fn read_older() -> Outcome<OlderProperties> {
    let driver = driver()?;
    let one = |attribute: u32| -> Outcome<i32> {
        let mut value = 0;
        // SAFETY: room for one value.
        checked(unsafe { (driver.device_attribute)(&raw mut value, attribute, DEVICE) })?;
        Ok(value)
    };
    let now: Properties = read()?;
    let [texture, mipmapped, textures @ ..] = now.textures_and_surfaces;
    let [a, b, c, d, cooperative @ ..] = now.from_managed_to_cooperative;
    let [functions @ .., _, _, _, _, _, _, _] = now.from_host_register_to_subsystem;
    Ok(OlderProperties {
        name: now.name,
        uuid: now.uuid,
        luid: now.luid,
        luid_mask: now.luid_mask,
        total_memory: now.total_memory,
        shared_per_block: now.shared_per_block,
        registers_per_block: now.registers_per_block,
        warp_size: now.warp_size,
        pitch: now.pitch,
        threads_per_block: now.threads_per_block,
        block: now.block,
        grid: now.grid,
        clock_khz: one(13)?,
        constant_memory: now.constant_memory,
        capability: now.capability,
        texture_alignment: now.texture_alignment,
        texture_pitch_alignment: now.texture_pitch_alignment,
        overlaps: one(15)?,
        sms: now.sms,
        has_time_limit: one(17)?,
        integrated: now.integrated,
        maps_host_memory: now.maps_host_memory,
        compute_mode: one(20)?,
        first_textures: [texture, mipmapped],
        linear_texture: one(69)?,
        textures_and_surfaces: textures,
        surface_alignment: now.surface_alignment,
        kernels_and_bus: now.kernels_and_bus,
        copy_engines: now.copy_engines,
        unified_addressing: now.unified_addressing,
        memory_clock_khz: one(36)?,
        bus_width: now.bus_width,
        l2_cache: now.l2_cache,
        persisting_l2: now.persisting_l2,
        threads_per_sm: now.threads_per_sm,
        priorities_and_l1: now.priorities_and_l1,
        shared_per_sm: now.shared_per_sm,
        registers_per_sm: now.registers_per_sm,
        from_managed_to_atomics: [a, b, c, d],
        single_to_double: one(87)?,
        from_pageable_to_cooperative: cooperative,
        cooperative_on_several: one(96)?,
        shared_opt_in: now.shared_opt_in,
        from_page_tables_to_window: now.from_page_tables_to_window,
        reserved_shared: now.reserved_shared,
        from_host_register_to_functions: functions,
        reserved: [0; 63],
    })
}
