//! Memory: device allocations and host allocations.

use crate::border::Out;
use crate::capture;
use crate::contexts;
use crate::driver::driver;
use crate::graphs;
use crate::hints;
use crate::host_memory;
use crate::images;
use crate::observed;
use crate::pools;
use crate::spans;
use crate::status::{Outcome, Status};
use crate::uses::{self, Use};
use migfit_schema::units::Bytes;

/// Rows of a pitched allocation are this many bytes apart, or a multiple.
const PITCH: usize = 512;

exports! {
    fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) {
        let made = address.room().and_then(|_| allocate(bytes))?;
        address.put(made)
    }

    fn cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: u32) {
        const GLOBAL: u32 = 1;
        const HOST: u32 = 2;
        address.room()?;
        if flags != GLOBAL && flags != HOST {
            return Err(Status::INVALID_VALUE);
        }
        let made = allocate(bytes)?;
        uses::note(made, contexts::current()?.id, Use::Managed(flags));
        address.put(made)
    }

    fn cuMemAllocPitch_v2(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        if ![4, 8, 16].contains(&element) || pitch.is_null() || address.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let row = width.checked_next_multiple_of(PITCH).ok_or(Status::INVALID_VALUE)?;
        address.put(allocate(row.checked_mul(height).ok_or(Status::OUT_OF_MEMORY)?)?)?;
        pitch.put(row)
    }

    fn cuMemFree_v2(address: u64) {
        capture::forbid()?;
        free(address)
    }

    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let memory = contexts::current()?.memory.memory()?;
        observed::memory_asked();
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
}

fn allocate(bytes: usize) -> Outcome<u64> {
    let context = contexts::current()?;
    capture::forbid()?;
    if bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    Ok(context.memory.allocate(Bytes(bytes as u64))?)
}

/// Frees what the program allocated, in whatever way; variables and arrays are not the program's to free.
pub fn free(address: u64) -> Outcome {
    driver()?;
    if address == 0 {
        return Ok(());
    }
    match uses::of(address) {
        Some(Use::Array) => return Err(Status::INVALID_VALUE),
        Some(Use::Pool(pool)) => return pools::free(pool, address),
        Some(Use::Managed(_)) | None => {}
    }
    if graphs::memory::begins_at(address) {
        return graphs::memory::free(address);
    }
    let owner = contexts::owner_of(address).ok_or(Status::INVALID_VALUE)?;
    let bytes = owner
        .memory
        .find(address)
        .map_or(0, |found| found.requested);
    if images::variables_begin_at(address) || !owner.memory.free(address)? {
        return Err(Status::INVALID_VALUE);
    }
    uses::forget(address);
    hints::forget(address, bytes);
    Ok(())
}

/// Start and size of the device or host allocation that holds an address.
pub fn allocation(address: u64) -> Option<(u64, usize)> {
    if let Some((start, bytes)) = spans::device_span(address) {
        return Some((start, usize::try_from(bytes).ok()?));
    }
    let span = host_memory::find(usize::try_from(address).ok()?)?;
    Some((span.address as u64, span.bytes))
}
