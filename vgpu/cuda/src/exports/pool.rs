//! Memory pools, and allocations that are ordered in a stream.

use crate::border::{In, Out};
use crate::capture;
use crate::driver::device;
use crate::graphs::memory::{self, Block};
use crate::handles::Object;
use crate::pools::{self, Count, Pool};
use crate::status::{Outcome, Status};
use crate::streams;
use crate::uses::{self, Use};
use crate::work::Work;
use std::sync::Arc;

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    kind: u32,
    handle_types: u32,
    location: Location,
    security: usize,
    most: usize,
    usage: u16,
    direct: u8,
    reserved: [u8; 53],
}

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Device 1, host 2, a node of the host's memory 3 and 4.
    pub kind: u32,
    /// The device's number.
    pub id: i32,
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Access {
    /// Who.
    pub location: Location,
    /// 0 not at all, 1 for reading, 3 for reading and writing.
    pub flags: u32,
}

const _: () = assert!(size_of::<Properties>() == 88 && size_of::<Access>() == 12);

/// Pinned memory, the one kind of allocation that pools here make.
const PINNED: u32 = 1;

exports! {
    fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: usize) {
        allocate(&address, bytes, &pools::current(), stream)
    }

    fn cuMemAllocFromPoolAsync(address: Out<u64>, bytes: usize, pool: usize, stream: usize) {
        allocate(&address, bytes, &*pools::get(pool)?, stream)
    }

    fn cuMemFreeAsync(address: u64, stream: usize) {
        let stream = streams::get(stream)?;
        if let Some(capture) = capture::of(&stream)? {
            return capture.add(&stream, Work::Free(address)).map(drop);
        }
        stream.settle();
        match uses::of(address) {
            Some(Use::Pool(pool)) => pools::free(pool, address),
            _ if memory::begins_at(address) => memory::free(address),
            // Plain allocations may be freed so, too.
            _ => super::memory::free(address),
        }
    }

    fn cuMemPoolCreate(pool: Out<usize>, properties: In<Properties>) {
        let given = properties.get()?;
        if pool.is_null() || given.kind != PINNED {
            return Err(Status::INVALID_VALUE);
        }
        on_device(given.location)?;
        if given.handle_types != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        pool.put(pools::create(given.most as u64)?)
    }

    fn cuMemPoolDestroy(pool: usize) {
        pools::destroy(pool)
    }

    fn cuMemPoolTrimTo(pool: usize, keep: usize) {
        pools::get(pool)?.trim(keep as u64)
    }

    fn cuMemPoolSetAttribute(pool: usize, attribute: u32, value: In<u64>) {
        let pool = pools::get(pool)?;
        match attribute {
            1..=3 => pool.set_option(attribute, value.seen_as::<i32>().get()?),
            4 => pool.set_threshold(value.get()?),
            // Only zero may be set: the mark begins anew.
            _ if value.get()? != 0 => return Err(Status::INVALID_VALUE),
            _ => pool.reset(count(attribute)?)?,
        }
        Ok(())
    }

    fn cuMemPoolGetAttribute(pool: usize, attribute: u32, value: Out<u64>) {
        let pool = pools::get(pool)?;
        let small = value.seen_as::<i32>();
        match attribute {
            1..=3 => small.put(pool.option(attribute)),
            4 => value.put(pool.threshold()),
            // Its kind, ways to hand it to others, device and kind of place.
            9 | 12 => small.put(1),
            10 | 11 | 14 | 15 => small.put(0),
            13 => value.put(pool.most),
            _ => value.put(pool.count(count(attribute)?)),
        }
    }

    /// The one device that there is can access its pools, and no other can.
    fn cuMemPoolSetAccess(pool: usize, accesses: In<Access>, count: usize) {
        const ALL: u32 = 3;
        pools::get(pool)?;
        for nth in 0..count {
            let access = accesses.nth(nth)?;
            on_device(access.location)?;
            if access.flags != ALL {
                return Err(Status::INVALID_VALUE);
            }
        }
        Ok(())
    }

    fn cuMemPoolGetAccess(access: Out<u32>, pool: usize, location: In<Location>) {
        const ALL: u32 = 3;
        pools::get(pool)?;
        let own = on_device(location.get()?).is_ok();
        access.put(if own { ALL } else { 0 })
    }

    fn cuDeviceGetDefaultMemPool(pool: Out<usize>, ordinal: i32) {
        device(ordinal)?;
        pool.put(pools::default_pool().handle())
    }

    fn cuDeviceGetMemPool(pool: Out<usize>, ordinal: i32) {
        device(ordinal)?;
        pool.put(pools::current().handle())
    }

    fn cuDeviceSetMemPool(ordinal: i32, pool: usize) {
        device(ordinal)?;
        pools::set_current(pool)
    }

    fn cuMemGetDefaultMemPool(pool: Out<usize>, location: In<Location>, kind: u32) {
        pinned_on_device(&location, kind)?;
        pool.put(pools::default_pool().handle())
    }

    fn cuMemGetMemPool(pool: Out<usize>, location: In<Location>, kind: u32) {
        pinned_on_device(&location, kind)?;
        pool.put(pools::current().handle())
    }

    fn cuMemSetMemPool(location: In<Location>, kind: u32, pool: usize) {
        pinned_on_device(&location, kind)?;
        pools::set_current(pool)
    }
}

/// While the stream is captured the memory is the graph's.
fn allocate(address: &Out<u64>, bytes: usize, pool: &Pool, stream: usize) -> Outcome {
    let stream = streams::get(stream)?;
    if address.is_null() || bytes == 0 {
        return Err(Status::INVALID_VALUE);
    }
    if let Some(capture) = capture::of(&stream)? {
        let block = Block::new(bytes as u64)?;
        capture.add(&stream, Work::Allocate(Arc::clone(&block)))?;
        return address.put(block.address);
    }
    stream.settle();
    address.put(pool.allocate(bytes as u64)?)
}

fn count(attribute: u32) -> Outcome<Count> {
    Ok(match attribute {
        5 => Count::Reserved,
        6 => Count::ReservedHigh,
        7 => Count::Used,
        8 => Count::UsedHigh,
        _ => return Err(Status::INVALID_VALUE),
    })
}

fn pinned_on_device(location: &In<Location>, kind: u32) -> Outcome {
    on_device(location.get()?)?;
    if kind == PINNED {
        Ok(())
    } else {
        Err(Status::NOT_SUPPORTED)
    }
}

/// Checks that a place is the device; memory of the host has no pools here.
pub fn on_device(location: Location) -> Outcome {
    const DEVICE: u32 = 1;
    const LAST: u32 = 6;
    match (location.kind, location.id) {
        (DEVICE, 0) => Ok(()),
        (DEVICE, _) => Err(Status::INVALID_DEVICE),
        (kind, _) if kind <= LAST => Err(Status::NOT_SUPPORTED),
        _ => Err(Status::INVALID_VALUE),
    }
}
