//! Memory of three dimensions: pitched rows in planes. Arrays, whose layout only a GPU knows, are refused.

use crate::border::{In, Out};
use crate::bound::bound;
use crate::driver::note_unsupported;
use crate::error::{Outcome, Status, checked};
use crate::exports::copy::{self, RowEnd};

/// `cudaExtent`: bytes, rows, planes; passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    width: usize,
    height: usize,
    depth: usize,
}

/// `cudaPitchedPtr`; sometimes passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitched {
    start: u64,
    pitch: usize,
    width: usize,
    height: usize,
}

/// `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    x: usize,
    y: usize,
    z: usize,
}

/// One end of a copy: an array, or pitched memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    array: usize,
    position: Position,
    pitched: Pitched,
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    from: End,
    to: End,
    extent: Extent,
    kind: u32,
}

const _: () = assert!(size_of::<Copy>() == 160);

exports! {
    fn cudaMalloc3D(memory: Out<Pitched>, extent: Extent) {
        memory.room()?;
        memory.put(allocate(extent)?)
    }

    fn cudaMemset3D(memory: Pitched, value: i32, extent: Extent) {
        fill(memory, value, extent, None)
    }

    fn cudaMemset3DAsync(memory: Pitched, value: i32, extent: Extent, stream: usize) {
        fill(memory, value, extent, Some(stream))
    }

    fn cudaMemcpy3D(given: In<Copy>) {
        copy_planes(&given.get()?, None)
    }

    fn cudaMemcpy3DAsync(given: In<Copy>, stream: usize) {
        copy_planes(&given.get()?, Some(stream))
    }
}

fn allocate(extent: Extent) -> Outcome<Pitched> {
    const ELEMENT: u32 = 4;
    let driver = bound()?;
    let Extent {
        width,
        height,
        depth,
    } = extent;
    let (mut start, mut pitch) = (0, 0);
    let rows = height.checked_mul(depth).ok_or(Status::OUT_OF_MEMORY)?;
    // As with cudaMalloc, nothing at all is no error.
    if width > 0 && rows > 0 {
        // SAFETY: room for both results.
        checked(unsafe {
            (driver.allocate_pitch)(&raw mut start, &raw mut pitch, width, rows, ELEMENT)
        })?;
    }
    Ok(Pitched {
        start,
        pitch,
        width,
        height,
    })
}

fn fill(memory: Pitched, value: i32, extent: Extent, stream: Option<usize>) -> Outcome {
    let driver = bound()?;
    let value = copy::low_byte(value);
    let Extent { width, height, .. } = extent;
    for plane in 0..extent.depth {
        let start = plane_of(memory, plane)?;
        // SAFETY: the driver checks the range.
        checked(unsafe {
            match stream {
                None => (driver.fill_rows)(start, memory.pitch, value, width, height),
                Some(stream) => {
                    (driver.fill_rows_async)(start, memory.pitch, value, width, height, stream)
                }
            }
        })?;
    }
    Ok(())
}

fn copy_planes(given: &Copy, stream: Option<usize>) -> Outcome {
    let driver = bound()?;
    let Extent {
        width,
        height,
        depth,
    } = given.extent;
    if width == 0 || height == 0 {
        return Ok(());
    }
    for plane in 0..depth {
        let (to, from) = (given.to.rows(plane)?, given.from.rows(plane)?);
        let rows = copy::rows(to, from, width, height, given.kind)?;
        // SAFETY: the description lives through the call; the addresses are the program's own.
        checked(unsafe {
            match stream {
                None => (driver.copy_rows)(&raw const rows),
                Some(stream) => (driver.copy_rows_async)(&raw const rows, stream),
            }
        })?;
    }
    Ok(())
}

impl End {
    /// Address and pitch of the copy's first row in a plane.
    fn rows(&self, plane: usize) -> Outcome<RowEnd> {
        if self.array != 0 {
            note_unsupported("cudaMemcpy3D with an array");
            return Err(Status::NOT_SUPPORTED);
        }
        let Position { x, y, z } = self.position;
        let plane = z.checked_add(plane).ok_or(Status::INVALID_VALUE)?;
        let before = y
            .checked_mul(self.pitched.pitch)
            .and_then(|rows| rows.checked_add(x));
        let start = before.and_then(|before| {
            plane_of(self.pitched, plane)
                .ok()?
                .checked_add(before as u64)
        });
        Ok((start.ok_or(Status::INVALID_VALUE)?, self.pitched.pitch))
    }
}

/// The address of a plane.
fn plane_of(memory: Pitched, plane: usize) -> Outcome<u64> {
    let rows = memory.height.checked_mul(plane);
    let before = rows.and_then(|rows| rows.checked_mul(memory.pitch));
    before
        .and_then(|before| memory.start.checked_add(before as u64))
        .ok_or(Status::INVALID_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: Pitched = Pitched {
        start: 1 << 20,
        pitch: 512,
        width: 100,
        height: 10,
    };

    fn end(x: usize, y: usize, z: usize) -> End {
        End {
            array: 0,
            position: Position { x, y, z },
            pitched: MEMORY,
        }
    }

    #[test]
    fn a_plane_begins_behind_all_rows_of_those_before() {
        assert_eq!(plane_of(MEMORY, 0), Ok(1 << 20));
        assert_eq!(plane_of(MEMORY, 3), Ok((1 << 20) + 3 * 10 * 512));
        assert_eq!(plane_of(MEMORY, usize::MAX), Err(Status::INVALID_VALUE));
    }

    #[test]
    fn an_end_begins_at_its_position() {
        let wanted = (1 << 20) + (3 * 10 + 2) * 512 + 5;
        assert_eq!(end(5, 2, 1).rows(2), Ok((wanted, 512)));
        let far = end(0, usize::MAX, 0).rows(0);
        assert_eq!(far, Err(Status::INVALID_VALUE));
    }

    #[test]
    fn arrays_are_refused() {
        let array = End {
            array: 1,
            ..end(0, 0, 0)
        };
        assert_eq!(array.rows(0), Err(Status::NOT_SUPPORTED));
    }
}
