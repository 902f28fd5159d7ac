//! Memory: device allocations, host allocations, and what an address is.

use crate::border::{In, Out};
use crate::contexts;
use crate::driver::driver;
use crate::handles::Object;
use crate::host_memory;
use crate::images;
use crate::status::{Outcome, Status};
use crate::streams;
use migfit_schema::units::Bytes;

/// Rows of a pitched allocation are this many bytes apart, or a multiple.
const PITCH: usize = 512;

exports! {
    fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) {
        allocate(&address, bytes)
    }

    fn cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: u32) {
        const GLOBAL: u32 = 1;
        const HOST: u32 = 2;
        if flags != GLOBAL && flags != HOST {
            return Err(Status::INVALID_VALUE);
        }
        allocate(&address, bytes)
    }

    fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: usize) {
        streams::get(stream)?;
        allocate(&address, bytes)
    }

    fn cuMemAllocPitch_v2(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        if ![4, 8, 16].contains(&element) || pitch.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let row = width.checked_next_multiple_of(PITCH).ok_or(Status::INVALID_VALUE)?;
        allocate(&address, row.checked_mul(height).ok_or(Status::OUT_OF_MEMORY)?)?;
        pitch.put(row)
    }

    fn cuMemFree_v2(address: u64) {
        free(address)
    }

    fn cuMemFreeAsync(address: u64, stream: usize) {
        streams::get(stream)?;
        free(address)
    }

    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let memory = contexts::current()?.memory.memory()?;
        let size = |bytes: Bytes| usize::try_from(bytes.0).map_err(|_| Status::INVALID_VALUE);
        free.put(size(memory.free())?)?;
        total.put(size(memory.total)?)
    }

    fn cuMemGetAddressRange_v2(start: Out<u64>, bytes: Out<usize>, address: u64) {
        driver()?;
        let found = allocation(address).ok_or(Status::NOT_FOUND)?;
        start.offer(found.0);
        bytes.offer(found.1);
        Ok(())
    }

    fn cuMemAllocHost_v2(address: Out<usize>, bytes: usize) {
        contexts::current()?;
        address.put(host_memory::allocate(bytes, 0)?)
    }

    fn cuMemHostAlloc(address: Out<usize>, bytes: usize, flags: u32) {
        contexts::current()?;
        address.put(host_memory::allocate(bytes, flags)?)
    }

    fn cuMemFreeHost(address: usize) {
        driver()?;
        host_memory::free(address)
    }

    fn cuMemHostRegister_v2(address: usize, bytes: usize, flags: u32) {
        contexts::current()?;
        host_memory::register(address, bytes, flags)
    }

    fn cuMemHostRegister(address: usize, bytes: usize, flags: u32) {
        contexts::current()?;
        host_memory::register(address, bytes, flags)
    }

    fn cuMemHostUnregister(address: usize) {
        driver()?;
        host_memory::unregister(address)
    }

    fn cuMemHostGetDevicePointer_v2(device: Out<u64>, host: usize, flags: u32) {
        driver()?;
        if flags != 0 || host_memory::find(host).is_none() {
            return Err(Status::INVALID_VALUE);
        }
        device.put(host as u64)
    }

    fn cuMemHostGetFlags(flags: Out<u32>, host: usize) {
        driver()?;
        flags.put(host_memory::find(host).ok_or(Status::INVALID_VALUE)?.flags)
    }

    fn cuPointerGetAttribute(room: usize, attribute: u32, address: u64) {
        driver()?;
        let value = pointer_attribute(attribute, address)?;
        store(room, &value)
    }

    /// Attributes that an address does not have are stored as zero, as the driver does.
    fn cuPointerGetAttributes(count: u32, attributes: In<u32>, rooms: In<usize>, address: u64) {
        driver()?;
        for nth in 0..count as usize {
            let attribute = attributes.nth(nth)?;
            let none = vec![0; if attribute == 5 { 16 } else { width(attribute) }];
            store(rooms.nth(nth)?, &pointer_attribute(attribute, address).unwrap_or(none))?;
        }
        Ok(())
    }
}

fn allocate(address: &Out<u64>, bytes: usize) -> Outcome {
    let context = contexts::current()?;
    if bytes == 0 || address.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    address.put(context.memory.allocate(Bytes(bytes as u64))?)
}

fn free(address: u64) -> Outcome {
    driver()?;
    if address == 0 {
        return Ok(());
    }
    let owner = contexts::owner_of(address).ok_or(Status::INVALID_VALUE)?;
    if !images::variables_begin_at(address) && owner.memory.free(address)? {
        Ok(())
    } else {
        Err(Status::INVALID_VALUE)
    }
}

/// Start and size of the device or host allocation that holds an address.
fn allocation(address: u64) -> Option<(u64, usize)> {
    if let Some(owner) = contexts::owner_of(address) {
        let found = owner.memory.find(address)?;
        return Some((found.address, usize::try_from(found.requested).ok()?));
    }
    let span = host_memory::find(usize::try_from(address).ok()?)?;
    Some((span.address as u64, span.bytes))
}

/// Bytes of a pointer attribute's value.
fn width(attribute: u32) -> usize {
    match attribute {
        2 | 6 | 8 | 9 | 10 | 13 | 15 | 16 | 21 | 22 => 4,
        _ => 8,
    }
}

/// The value of a pointer attribute, as the bytes that the caller wants.
fn pointer_attribute(attribute: u32, address: u64) -> Outcome<Vec<u8>> {
    const HOST: u64 = 1;
    const DEVICE: u64 = 2;
    let owner = contexts::owner_of(address);
    let (start, bytes) = allocation(address).ok_or(Status::INVALID_VALUE)?;
    let value = match attribute {
        1 => owner.as_ref().map_or(0, |owner| owner.handle() as u64),
        2 => {
            if owner.is_some() {
                DEVICE
            } else {
                HOST
            }
        }
        3 => address,
        4 if owner.is_none() => address,
        7 => start,
        8 | 9 | 10 | 15 => 0,
        11 | 19 => start,
        12 | 18 => bytes as u64,
        13 => 1,
        4 => return Err(Status::INVALID_VALUE),
        _ => return Err(Status::NOT_SUPPORTED),
    };
    Ok(value
        .to_le_bytes()
        .into_iter()
        .take(width(attribute))
        .collect())
}

fn store(room: usize, value: &[u8]) -> Outcome {
    let room = std::ptr::with_exposed_provenance_mut::<u8>(room);
    if room.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null, so by the C interface it is room for this attribute's value.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), room, value.len()) };
    Ok(())
}
