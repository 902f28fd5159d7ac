//! Copies to arrays and from them.

use crate::bound::bound;
use crate::error::{Outcome, Status, checked};
use crate::regions::{self, Copy3D, CopyEnd};

const DEVICE_TO_DEVICE: u32 = 3;

exports! {
    fn cudaMemcpy2DToArray(to: usize, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: u32) {
        rows(at(to, x, y), (from, pitch), (width, height), kind, None)
    }

    fn cudaMemcpy2DToArrayAsync(
        to: usize, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: u32, stream: usize,
    ) {
        rows(at(to, x, y), (from, pitch), (width, height), kind, Some(stream))
    }

    fn cudaMemcpy2DFromArray(to: u64, pitch: usize, from: usize, x: usize, y: usize, width: usize, height: usize, kind: u32) {
        rows_from(at(from, x, y), (to, pitch), (width, height), kind, None)
    }

    fn cudaMemcpy2DFromArrayAsync(
        to: u64, pitch: usize, from: usize, x: usize, y: usize, width: usize, height: usize, kind: u32, stream: usize,
    ) {
        rows_from(at(from, x, y), (to, pitch), (width, height), kind, Some(stream))
    }

    fn cudaMemcpy2DArrayToArray(
        to: usize, to_x: usize, to_y: usize, from: usize, from_x: usize, from_y: usize, width: usize, height: usize,
        kind: u32,
    ) {
        require_on_device(kind)?;
        copy(at(to, to_x, to_y), at(from, from_x, from_y), (width, height), None)
    }

    fn cudaMemcpyToArray(to: usize, x: usize, y: usize, from: u64, bytes: usize, kind: u32) {
        let (_, memory) = regions::kinds(kind)?;
        line(to, (x, y), bytes, |part| (part.end, part.memory(memory, from)), None)
    }

    fn cudaMemcpyToArrayAsync(to: usize, x: usize, y: usize, from: u64, bytes: usize, kind: u32, stream: usize) {
        let (_, memory) = regions::kinds(kind)?;
        line(to, (x, y), bytes, |part| (part.end, part.memory(memory, from)), Some(stream))
    }

    fn cudaMemcpyFromArray(to: u64, from: usize, x: usize, y: usize, bytes: usize, kind: u32) {
        let (memory, _) = regions::kinds(kind)?;
        line(from, (x, y), bytes, |part| (part.memory(memory, to), part.end), None)
    }

    fn cudaMemcpyFromArrayAsync(to: u64, from: usize, x: usize, y: usize, bytes: usize, kind: u32, stream: usize) {
        let (memory, _) = regions::kinds(kind)?;
        line(from, (x, y), bytes, |part| (part.memory(memory, to), part.end), Some(stream))
    }

    fn cudaMemcpyArrayToArray(
        to: usize, to_x: usize, to_y: usize, from: usize, from_x: usize, from_y: usize, bytes: usize, kind: u32,
    ) {
        require_on_device(kind)?;
        // Within a row of both; what goes on into the next ones would have to be cut at two places.
        copy(at(to, to_x, to_y), at(from, from_x, from_y), (bytes, 1), None)
    }
}

/// A place in an array.
fn at(array: usize, x: usize, y: usize) -> CopyEnd {
    CopyEnd::in_array(array, x, y)
}

fn require_on_device(kind: u32) -> Outcome {
    const DEFAULT: u32 = 4;
    if kind == DEVICE_TO_DEVICE || kind == DEFAULT {
        Ok(())
    } else {
        Err(Status::INVALID_MEMCPY_DIRECTION)
    }
}

fn rows(
    to: CopyEnd,
    from: (u64, usize),
    size: (usize, usize),
    kind: u32,
    stream: Option<usize>,
) -> Outcome {
    let (_, memory) = regions::kinds(kind)?;
    copy(to, pitched(memory, from, size.0)?, size, stream)
}

fn rows_from(
    from: CopyEnd,
    to: (u64, usize),
    size: (usize, usize),
    kind: u32,
    stream: Option<usize>,
) -> Outcome {
    let (memory, _) = regions::kinds(kind)?;
    copy(pitched(memory, to, size.0)?, from, size, stream)
}

fn pitched(kind: u32, (address, pitch): (u64, usize), width: usize) -> Outcome<CopyEnd> {
    const INVALID_PITCH: Status = Status(12);
    if width > pitch {
        return Err(INVALID_PITCH);
    }
    Ok(CopyEnd::rows(kind, address, pitch))
}

fn copy(
    to: CopyEnd,
    from: CopyEnd,
    (width, height): (usize, usize),
    stream: Option<usize>,
) -> Outcome {
    let copy = Copy3D {
        from,
        to,
        width,
        height,
        depth: 1,
    };
    perform(&copy, stream)
}

/// Hands a copy to the driver.
pub fn perform(copy: &Copy3D, stream: Option<usize>) -> Outcome {
    let driver = bound()?;
    // SAFETY: the description lives through the call; the addresses are the program's own.
    checked(unsafe {
        match stream {
            None => (driver.copy_planes)(copy),
            Some(stream) => (driver.copy_planes_async)(copy, stream),
        }
    })
}

/// A piece of bytes in a row that go through an array's rows one after the other.
struct Part {
    end: CopyEnd,
    /// Bytes before it.
    before: usize,
    width: usize,
    height: usize,
}

impl Part {
    /// The same piece in memory.
    fn memory(&self, kind: u32, start: u64) -> CopyEnd {
        CopyEnd::rows(kind, start.saturating_add(self.before as u64), self.width)
    }
}

fn line(
    array: usize,
    place: (usize, usize),
    bytes: usize,
    ends: impl Fn(&Part) -> (CopyEnd, CopyEnd),
    stream: Option<usize>,
) -> Outcome {
    let row = regions::descriptor(array)?.width * regions::texel(array)?;
    for part in parts(array, place, bytes, row) {
        let (to, from) = ends(&part);
        copy(to, from, (part.width, part.height), stream)?;
    }
    Ok(())
}

/// The rest of the first row, whole rows, and the beginning of the last one.
fn parts(array: usize, (x, y): (usize, usize), bytes: usize, row: usize) -> Vec<Part> {
    let first = bytes.min(row.saturating_sub(x));
    let whole = (bytes - first).checked_div(row).unwrap_or(0);
    let last = bytes - first - whole * row;
    let part = |x, y, before, width, height| Part {
        end: at(array, x, y),
        before,
        width,
        height,
    };
    let parts = [
        part(x, y, 0, first, 1),
        part(0, y.saturating_add(1), first, row, whole),
        part(0, y.saturating_add(1 + whole), first + whole * row, last, 1),
    ];
    let parts = parts
        .into_iter()
        .filter(|part| part.width > 0 && part.height > 0);
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_a_row_go_through_an_arrays_rows() {
        let cut = |x, bytes| -> Vec<_> {
            let parts = parts(1, (x, 3), bytes, 100).into_iter();
            parts
                .map(|part| (part.end.x, part.end.y, part.before, part.width, part.height))
                .collect()
        };
        assert_eq!(cut(0, 100), [(0, 3, 0, 100, 1)]);
        assert_eq!(
            cut(40, 300),
            [(40, 3, 0, 60, 1), (0, 4, 60, 100, 2), (0, 6, 260, 40, 1)]
        );
        assert_eq!(cut(0, 0), []);
    }
}
