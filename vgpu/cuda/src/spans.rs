//! Copies and fills: which addresses they may touch, and the work itself. Device memory is memory of this process.

use crate::contexts;
use crate::host_memory;
use crate::status::{Outcome, Status};

/// Rows of bytes, `pitch` apart.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Address of the first row.
    pub start: u64,
    /// From one row to the next.
    pub pitch: u64,
}

/// Checks that the bytes lie within one live device allocation, or in host memory that the device may access.
pub fn require_device(address: u64, bytes: u64) -> Outcome {
    let end = address.checked_add(bytes).ok_or(Status::INVALID_VALUE)?;
    if let Some(owner) = contexts::owner_of(address) {
        let held = owner.memory.find(address).ok_or(Status::INVALID_VALUE)?;
        let inside = end <= held.address.saturating_add(held.requested);
        return if inside {
            Ok(())
        } else {
            Err(Status::INVALID_VALUE)
        };
    }
    let span = host_memory::find(host(address)?).ok_or(Status::INVALID_VALUE)?;
    let inside = end <= (span.address as u64).saturating_add(span.bytes as u64);
    if inside {
        Ok(())
    } else {
        Err(Status::INVALID_VALUE)
    }
}

/// Checks an address of which the caller does not say whose it is.
pub fn require_any(address: u64, bytes: u64) -> Outcome {
    if contexts::owner_of(address).is_some() {
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

/// Copies `height` rows of `width` bytes whose ends were checked.
pub fn copy_rows(to: Rows, from: Rows, width: u64, height: u64) -> Outcome {
    let width = usize::try_from(width).map_err(|_| Status::INVALID_VALUE)?;
    for row in 0..height {
        copy(
            to.start + row * to.pitch,
            from.start + row * from.pitch,
            width,
        )?;
    }
    Ok(())
}

/// Bytes from the first row's start to the last row's end.
pub fn extent(pitch: u64, width: u64, height: u64) -> Outcome<u64> {
    let before = height.saturating_sub(1).checked_mul(pitch);
    let all = before.and_then(|before| before.checked_add(width));
    all.filter(|_| height <= 1 || pitch >= width)
        .ok_or(Status::INVALID_VALUE)
}

/// Fills `height` rows of `width` elements of a checked device range.
pub fn fill<T: Copy>(rows: Rows, value: T, width: usize, height: usize) -> Outcome {
    let size = size_of::<T>() as u64;
    let bytes = (width as u64)
        .checked_mul(size)
        .ok_or(Status::INVALID_VALUE)?;
    if bytes == 0 || height == 0 {
        return Ok(());
    }
    if !rows.start.is_multiple_of(size) || (height > 1 && !rows.pitch.is_multiple_of(size)) {
        return Err(Status::INVALID_VALUE);
    }
    require_device(rows.start, extent(rows.pitch, bytes, height as u64)?)?;
    for row in 0..height as u64 {
        let start = host(rows.start + row * rows.pitch)?;
        let start = std::ptr::with_exposed_provenance_mut::<T>(start);
        // SAFETY: the row was checked to lie in a live allocation and to be aligned to `T`.
        unsafe { std::slice::from_raw_parts_mut(start, width) }.fill(value);
    }
    Ok(())
}

fn host(address: u64) -> Outcome<usize> {
    usize::try_from(address).map_err(|_| Status::INVALID_VALUE)
}
