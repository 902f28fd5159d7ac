//! Reserved addresses and the memory that is mapped there.

use super::pool::{Access, Location, on_device};
use crate::border::{In, Out};
use crate::driver::driver;
use crate::status::{Outcome, Status};
use crate::virtual_memory::{self as memory, Properties};
use migfit_vgpu_device::memory::GRANULE;

exports! {
    /// An address that the caller would like is a hint, which is not taken.
    fn cuMemAddressReserve(address: Out<u64>, bytes: usize, alignment: usize, _wanted: u64, flags: u64) {
        if address.is_null() || flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        address.put(memory::reserve(bytes as u64, alignment as u64)?)
    }

    fn cuMemAddressFree(address: u64, bytes: usize) {
        memory::release_addresses(address, bytes as u64)
    }

    fn cuMemCreate(handle: Out<u64>, bytes: usize, properties: In<Properties>, flags: u64) {
        if handle.is_null() || flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        handle.put(memory::create(bytes as u64, properties.get()?)?)
    }

    fn cuMemRelease(handle: u64) {
        memory::release(handle)
    }

    fn cuMemRetainAllocationHandle(handle: Out<u64>, address: u64) {
        if handle.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        handle.put(memory::retain(address)?)
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, flags: u64) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        memory::map(address, bytes as u64, offset as u64, handle)
    }

    fn cuMemUnmap(address: u64, bytes: usize) {
        memory::unmap(address, bytes as u64)
    }

    fn cuMemSetAccess(address: u64, bytes: usize, accesses: In<Access>, count: usize) {
        for nth in 0..count {
            let access = accesses.nth(nth)?;
            on_device(access.location)?;
            memory::set_access(address, bytes as u64, access.flags.into())?;
        }
        Ok(())
    }

    fn cuMemGetAccess(access: Out<u64>, location: In<Location>, address: u64) {
        on_device(location.get()?)?;
        access.put(memory::access(address)?)
    }

    fn cuMemGetAllocationGranularity(bytes: Out<usize>, properties: In<Properties>, _option: u32) {
        driver()?;
        granularity(&properties.get()?)?;
        bytes.put(GRANULE as usize)
    }

    fn cuMemGetAllocationPropertiesFromHandle(properties: Out<Properties>, handle: u64) {
        properties.put(memory::memory(handle)?.properties)
    }
}

fn granularity(properties: &Properties) -> Outcome {
    let Properties {
        location: kind, id, ..
    } = *properties;
    on_device(Location { kind, id })
}
