//! Copies and fills.

use crate::bound::{bound, require_device};
use crate::code;
use crate::error::{Outcome, Status, checked};
use crate::regions;
use crate::structures::{Copy2D, CopyEnd};

/// `cudaMemcpyKind`.
const HOST_TO_HOST: u32 = 0;
const HOST_TO_DEVICE: u32 = 1;
const DEVICE_TO_HOST: u32 = 2;
const DEVICE_TO_DEVICE: u32 = 3;
const DEFAULT: u32 = 4;

exports! {
    fn cudaMemcpy(to: u64, from: u64, bytes: usize, kind: u32) {
        copy(to, from, bytes, kind, None)
    }

    fn cudaMemcpyAsync(to: u64, from: u64, bytes: usize, kind: u32, stream: usize) {
        copy(to, from, bytes, kind, Some(stream))
    }

    fn cudaMemcpyToSymbol(symbol: usize, from: u64, bytes: usize, offset: usize, kind: u32) {
        copy(part_of(symbol, offset, bytes)?, from, bytes, kind, None)
    }

    fn cudaMemcpyToSymbolAsync(symbol: usize, from: u64, bytes: usize, offset: usize, kind: u32, stream: usize) {
        copy(part_of(symbol, offset, bytes)?, from, bytes, kind, Some(stream))
    }

    fn cudaMemcpyFromSymbol(to: u64, symbol: usize, bytes: usize, offset: usize, kind: u32) {
        copy(to, part_of(symbol, offset, bytes)?, bytes, kind, None)
    }

    fn cudaMemcpyFromSymbolAsync(to: u64, symbol: usize, bytes: usize, offset: usize, kind: u32, stream: usize) {
        copy(to, part_of(symbol, offset, bytes)?, bytes, kind, Some(stream))
    }

    fn cudaMemcpy2D(to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: u32) {
        let rows = rows((to, to_pitch), (from, from_pitch), width, height, kind)?;
        // SAFETY: the description lives through the call; the addresses are the program's own.
        checked(unsafe { (bound()?.copy_rows)(&raw const rows) })
    }

    fn cudaMemcpy2DAsync(
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: u32, stream: usize,
    ) {
        let rows = rows((to, to_pitch), (from, from_pitch), width, height, kind)?;
        // SAFETY: as above.
        checked(unsafe { (bound()?.copy_rows_async)(&raw const rows, stream) })
    }

    fn cudaMemset(start: u64, value: i32, bytes: usize) {
        // SAFETY: the driver checks the range.
        checked(unsafe { (bound()?.fill)(start, low_byte(value), bytes) })
    }

    fn cudaMemsetAsync(start: u64, value: i32, bytes: usize, stream: usize) {
        // SAFETY: the driver checks the range.
        checked(unsafe { (bound()?.fill_async)(start, low_byte(value), bytes, stream) })
    }

    fn cudaMemset2D(start: u64, pitch: usize, value: i32, width: usize, height: usize) {
        // SAFETY: the driver checks the range.
        checked(unsafe { (bound()?.fill_rows)(start, pitch, low_byte(value), width, height) })
    }

    fn cudaMemset2DAsync(start: u64, pitch: usize, value: i32, width: usize, height: usize, stream: usize) {
        // SAFETY: the driver checks the range.
        checked(unsafe { (bound()?.fill_rows_async)(start, pitch, low_byte(value), width, height, stream) })
    }

    fn cudaMemcpyPeer(to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize) {
        require_device(to_device)?;
        require_device(from_device)?;
        copy(to, from, bytes, DEVICE_TO_DEVICE, None)
    }

    fn cudaMemcpyPeerAsync(to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize, stream: usize) {
        require_device(to_device)?;
        require_device(from_device)?;
        copy(to, from, bytes, DEVICE_TO_DEVICE, Some(stream))
    }

    fn cudaGetSymbolAddress(address: crate::border::Out<u64>, symbol: usize) {
        address.put(code::variable(symbol)?.0)
    }

    fn cudaGetSymbolSize(bytes: crate::border::Out<usize>, symbol: usize) {
        bytes.put(code::variable(symbol)?.1)
    }
}

fn copy(to: u64, from: u64, bytes: usize, kind: u32, stream: Option<usize>) -> Outcome {
    let driver = bound()?;
    // SAFETY: the driver checks device addresses; for host addresses the program vouches.
    checked(unsafe {
        match (kind, stream) {
            (HOST_TO_DEVICE, None) => (driver.copy_to_device)(to, from, bytes),
            (HOST_TO_DEVICE, Some(stream)) => {
                (driver.copy_to_device_async)(to, from, bytes, stream)
            }
            (DEVICE_TO_HOST, None) => (driver.copy_to_host)(to, from, bytes),
            (DEVICE_TO_HOST, Some(stream)) => (driver.copy_to_host_async)(to, from, bytes, stream),
            (DEVICE_TO_DEVICE, None) => (driver.copy_on_device)(to, from, bytes),
            (DEVICE_TO_DEVICE, Some(stream)) => {
                (driver.copy_on_device_async)(to, from, bytes, stream)
            }
            (HOST_TO_HOST | DEFAULT, None) => (driver.copy)(to, from, bytes),
            (HOST_TO_HOST | DEFAULT, Some(stream)) => (driver.copy_async)(to, from, bytes, stream),
            _ => return Err(Status::INVALID_MEMCPY_DIRECTION),
        }
    })
}

/// The device address of some bytes of a variable.
pub fn part_of(symbol: usize, offset: usize, bytes: usize) -> Outcome<u64> {
    let (address, size) = code::variable(symbol)?;
    let inside = offset.checked_add(bytes).is_some_and(|end| end <= size);
    if inside {
        Ok(address + offset as u64)
    } else {
        Err(Status::INVALID_VALUE)
    }
}

/// Address and pitch of one end's rows.
type RowEnd = (u64, usize);

/// Describes a copy of rows in the driver's form.
fn rows(to: RowEnd, from: RowEnd, width: usize, height: usize, kind: u32) -> Outcome<Copy2D> {
    const INVALID_PITCH: Status = Status(12);
    let (to_kind, from_kind) = regions::kinds(kind)?;
    if width > to.1 || width > from.1 {
        return Err(INVALID_PITCH);
    }
    let end = |(address, pitch): RowEnd, kind| CopyEnd {
        x: 0,
        y: 0,
        kind,
        host: address,
        device: address,
        array: 0,
        pitch,
    };
    Ok(Copy2D {
        from: end(from, from_kind),
        to: end(to, to_kind),
        width,
        height,
    })
}

/// The byte that a fill repeats: C's `memset` takes an `int` and uses its lowest byte.
pub fn low_byte(value: i32) -> u8 {
    let [low, ..] = value.to_le_bytes();
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_must_fit_their_pitch_and_the_direction_must_be_one() {
        let good = rows((64, 10), (128, 12), 10, 3, HOST_TO_DEVICE).unwrap();
        assert_eq!((good.to.kind, good.from.kind), (2, 1));
        assert_eq!(
            (good.to.device, good.from.host, good.from.pitch),
            (64, 128, 12)
        );
        assert_eq!(
            rows((64, 9), (128, 12), 10, 3, HOST_TO_DEVICE).err(),
            Some(Status(12))
        );
        assert_eq!(
            rows((64, 10), (128, 12), 10, 3, 5).err(),
            Some(Status::INVALID_MEMCPY_DIRECTION)
        );
    }

    #[test]
    fn a_fill_repeats_the_lowest_byte() {
        assert_eq!((low_byte(0x1234), low_byte(-1)), (0x34, 0xff));
    }
}
