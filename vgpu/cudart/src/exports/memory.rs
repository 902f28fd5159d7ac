//! Memory: allocations on the device and on the host, and what an address is.

use crate::border::Out;
use crate::bound::{DEVICE, bound};
use crate::error::{Outcome, Status, checked};

/// `cudaPointerAttributes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PointerAttributes {
    kind: u32,
    device: i32,
    device_pointer: u64,
    host_pointer: u64,
    reserved: [u64; RESERVED],
}

/// CUDA 13 has room for later; a program of CUDA 12 has none that could be written to.
const RESERVED: usize = if cfg!(feature = "twelve") { 0 } else { 8 };
const _: () = assert!(size_of::<PointerAttributes>() == 24 + 8 * RESERVED);

exports! {
    fn cudaMalloc(address: Out<u64>, bytes: usize) {
        let driver = bound()?;
        if bytes == 0 {
            return address.put(0);
        }
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (driver.allocate)(address.room()?, bytes) })
    }

    fn cudaMallocManaged(address: Out<u64>, bytes: usize, flags: u32) {
        let driver = bound()?;
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (driver.allocate_managed)(address.room()?, bytes, flags) })
    }

    fn cudaMallocPitch(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        const ELEMENT: u32 = 4;
        let driver = bound()?;
        // SAFETY: the caller's rooms are checked not to be null.
        checked(unsafe { (driver.allocate_pitch)(address.room()?, pitch.room()?, width, height, ELEMENT) })
    }

    fn cudaMallocAsync(address: Out<u64>, bytes: usize, stream: usize) {
        let driver = bound()?;
        if bytes == 0 {
            return address.put(0);
        }
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (driver.allocate_async)(address.room()?, bytes, stream) })
    }

    fn cudaFree(address: u64) {
        let driver = bound()?;
        if address == 0 {
            return Ok(());
        }
        // SAFETY: the driver refuses an address that is none of its own.
        checked(unsafe { (driver.free)(address) })
    }

    fn cudaFreeAsync(address: u64, stream: usize) {
        // SAFETY: the driver refuses an address that is none of its own.
        checked(unsafe { (bound()?.free_async)(address, stream) })
    }

    fn cudaMallocHost(address: Out<usize>, bytes: usize) {
        allocate_host(address, bytes, 0)
    }

    fn cudaHostAlloc(address: Out<usize>, bytes: usize, flags: u32) {
        allocate_host(address, bytes, flags)
    }

    fn cudaFreeHost(address: usize) {
        let driver = bound()?;
        if address == 0 {
            return Ok(());
        }
        // SAFETY: the driver refuses an address that is none of its own.
        checked(unsafe { (driver.free_host)(address) })
    }

    fn cudaHostRegister(address: usize, bytes: usize, flags: u32) {
        // SAFETY: plain values.
        checked(unsafe { (bound()?.register_host)(address, bytes, flags) })
    }

    fn cudaHostUnregister(address: usize) {
        // SAFETY: plain values.
        checked(unsafe { (bound()?.unregister_host)(address) })
    }

    fn cudaHostGetDevicePointer(device: Out<u64>, host: usize, flags: u32) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.host_device_pointer)(device.room()?, host, flags) })
    }

    fn cudaHostGetFlags(flags: Out<u32>, host: usize) {
        // SAFETY: the caller's room is checked not to be null.
        checked(unsafe { (bound()?.host_flags)(flags.room()?, host) })
    }

    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        // SAFETY: the caller's rooms are checked not to be null.
        checked(unsafe { (bound()?.memory_info)(free.room()?, total.room()?) })
    }

    fn cudaPointerGetAttributes(attributes: Out<PointerAttributes>, address: u64) {
        attributes.put(pointer_attributes(address)?)
    }
}

fn allocate_host(address: Out<usize>, bytes: usize, flags: u32) -> Outcome {
    let driver = bound()?;
    if bytes == 0 {
        return address.put(0);
    }
    // SAFETY: the caller's room is checked not to be null.
    checked(unsafe { (driver.allocate_host)(address.room()?, bytes, flags) })
}

fn pointer_attributes(address: u64) -> Outcome<PointerAttributes> {
    const MEMORY_TYPE: u32 = 2;
    const MANAGED: u32 = 8;
    const MANAGED_KIND: u32 = 3;
    let driver = bound()?;
    let ask = |attribute| {
        let mut value = 0_u32;
        // SAFETY: room for the attribute's value, which has four bytes.
        checked(unsafe {
            (driver.pointer_attribute)((&raw mut value).cast(), attribute, address)
        })?;
        Ok(value)
    };
    let unknown = PointerAttributes {
        kind: 0,
        device: -2,
        device_pointer: 0,
        host_pointer: address,
        reserved: [0; RESERVED],
    };
    let kind = match ask(MEMORY_TYPE) {
        // The driver does not know the address: it is ordinary host memory.
        Err(Status::INVALID_VALUE) => return Ok(unknown),
        other => other?,
    };
    let managed = ask(MANAGED)? != 0;
    let host = if kind == 1 || managed { address } else { 0 };
    let kind = if managed { MANAGED_KIND } else { kind };
    Ok(PointerAttributes {
        kind,
        device: DEVICE,
        device_pointer: address,
        host_pointer: host,
        reserved: [0; RESERVED],
    })
}
