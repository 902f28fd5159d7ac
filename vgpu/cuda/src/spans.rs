//! Copies and fills: which addresses they may touch, and the work itself. Device memory is memory of this process.

use crate::contexts;
use crate::host_memory;
use crate::status::{Outcome, Status};
use crate::virtual_memory;

/// First address and bytes of the device memory in one piece that holds this address.
pub fn device_span(address: u64) -> Option<(u64, u64)> {
    if let Some(owner) = contexts::owner_of(address) {
        let held = owner.memory.find(address)?;
        return Some((held.address, held.requested));
    }
    virtual_memory::span(address)
}

/// Checks that the bytes lie within one live device allocation, or in host memory that the device may access.
pub fn require_device(address: u64, bytes: u64) -> Outcome {
    let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    let (start, length) = match device_span(address) {
        Some(span) => span,
        None => {
            let span = host_memory::find(host(address)?).ok_or(Status::INVALID_VALUE)?;
            (span.address as u64, span.bytes as u64)
        }
    };
    if end <= start.saturating_add(length) {
        Ok(())
    } else {
        Err(Status::INVALID_VALUE)
    }
}

/// Checks an address of which the caller does not say whose it is.
pub fn require_any(address: u64, bytes: u64) -> Outcome {
    if device_span(address).is_some() {
        return require_device(address, bytes);
    }
    if address == 0 {
        Err(Status::INVALID_VALUE)
    } else {
        Ok(())
    }
}

/// Copies bytes whose ends were checked.
pub fn copy(to: u64, from: u64, bytes: usize) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    if to == 0 || from == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let from = std::ptr::with_exposed_provenance::<u8>(host(from)?);
    let to = std::ptr::with_exposed_provenance_mut::<u8>(host(to)?);
    // SAFETY: device ends were checked to be live; for host ends the caller vouches, as with CUDA.
    unsafe { std::ptr::copy(from, to, bytes) };
    Ok(())
}

/// Bytes from the first row's start to the last row's end.
pub fn extent(pitch: u64, width: u64, height: u64) -> Outcome<u64> {
    let before = height.saturating_sub(1).checked_mul(pitch);
    let all = before.and_then(|before| before.checked_add(width));
    all.filter(|_| height <= 1 || pitch >= width)
        .ok_or(Status::INVALID_VALUE)
}

/// Fills elements whose range was checked, and is aligned to them.
pub fn fill<T: Copy>(start: u64, value: T, count: usize) -> Outcome {
    let start = std::ptr::with_exposed_provenance_mut::<T>(host(start)?);
    // SAFETY: the elements were checked to lie in a live allocation and to be aligned.
    unsafe { std::slice::from_raw_parts_mut(start, count) }.fill(value);
    Ok(())
}

fn host(address: u64) -> Outcome<usize> {
    usize::try_from(address).map_err(|_| Status::INVALID_VALUE)
}
