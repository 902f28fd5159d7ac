//! Memory of three dimensions: pitched rows in planes, and copies of them.

use super::array_copy;
use crate::border::{In, Out};
use crate::bound::{bound, require_device};
use crate::error::{Outcome, Status, checked};
use crate::exports::copy;
use crate::regions::{Extent, Pitched, Region, RegionCopy};

/// `cudaMemcpy3DPeerParms`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PeerCopy {
    from: Region,
    from_device: i32,
    to: Region,
    to_device: i32,
    extent: Extent,
}

const _: () = assert!(size_of::<PeerCopy>() == 168);

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

    fn cudaMemcpy3D(given: In<RegionCopy>) {
        array_copy::perform(&given.get()?.described()?, None)
    }

    fn cudaMemcpy3DAsync(given: In<RegionCopy>, stream: usize) {
        array_copy::perform(&given.get()?.described()?, Some(stream))
    }

    fn cudaMemcpy3DPeer(given: In<PeerCopy>) {
        array_copy::perform(&given.get()?.on_one_device()?.described()?, None)
    }

    fn cudaMemcpy3DPeerAsync(given: In<PeerCopy>, stream: usize) {
        array_copy::perform(&given.get()?.on_one_device()?.described()?, Some(stream))
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

impl PeerCopy {
    /// Both devices are the one that there is.
    fn on_one_device(&self) -> Outcome<RegionCopy> {
        const DEVICE_TO_DEVICE: u32 = 3;
        require_device(self.from_device)?;
        require_device(self.to_device)?;
        Ok(RegionCopy {
            from: self.from,
            to: self.to,
            extent: self.extent,
            kind: DEVICE_TO_DEVICE,
        })
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

    #[test]
    fn a_plane_begins_behind_all_rows_of_those_before() {
        assert_eq!(plane_of(MEMORY, 0), Ok(1 << 20));
        assert_eq!(plane_of(MEMORY, 3), Ok((1 << 20) + 3 * 10 * 512));
        assert_eq!(plane_of(MEMORY, usize::MAX), Err(Status::INVALID_VALUE));
    }
}
