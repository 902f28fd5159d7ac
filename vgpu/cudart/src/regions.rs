//! Regions that copies are between: the runtime's descriptions <-> the driver's. Extents of arrays are in texels there and
//! in bytes here.

use crate::bound::bound;
use crate::channels::Channels;
use crate::error::{Outcome, Status, checked};

/// `cudaExtent`: bytes or texels, rows, planes; passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes, or texels where an array is concerned.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// `cudaPitchedPtr`; sometimes passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pitched {
    /// Address.
    pub start: u64,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Bytes of a row that are used.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
}

/// `cudaPos`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes, or texels of an array.
    pub x: usize,
    /// Row.
    pub y: usize,
    /// Plane.
    pub z: usize,
}

/// One end of a copy: an array, or pitched memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// The array; 0: pitched memory.
    pub array: usize,
    /// Where it begins.
    pub position: Position,
    /// Pitched memory.
    pub pitched: Pitched,
}

/// `cudaMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionCopy {
    /// Source.
    pub from: Region,
    /// Destination.
    pub to: Region,
    /// How much.
    pub extent: Extent,
    /// `cudaMemcpyKind`.
    pub kind: u32,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copy3D {
    /// Source.
    pub from: CopyEnd,
    /// Destination.
    pub to: CopyEnd,
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// One end of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyEnd {
    /// Bytes to leave out at the left.
    pub x: usize,
    /// Rows to leave out at the top.
    pub y: usize,
    /// Planes to leave out at the front.
    pub z: usize,
    lod: usize,
    /// Host, device, array or unified.
    pub kind: u32,
    /// Host address.
    pub host: u64,
    /// Device address.
    pub device: u64,
    /// Array.
    pub array: usize,
    reserved: usize,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Rows from one plane to the next.
    pub height: usize,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayDescriptor {
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Planes or layers.
    pub depth: usize,
    /// The driver's format.
    pub format: u32,
    /// Channels of a texel.
    pub channels: u32,
    /// Layered, cubemap and the like.
    pub flags: u32,
}

const _: () = {
    assert!(size_of::<RegionCopy>() == 160 && size_of::<Copy3D>() == 200);
    assert!(size_of::<ArrayDescriptor>() == 40);
};

const HOST: u32 = 1;
const DEVICE: u32 = 2;
const ARRAY: u32 = 3;
const UNIFIED: u32 = 4;

/// Kinds of memory of destination and source, by `cudaMemcpyKind`.
pub fn kinds(direction: u32) -> Outcome<(u32, u32)> {
    Ok(match direction {
        0 => (HOST, HOST),
        1 => (DEVICE, HOST),
        2 => (HOST, DEVICE),
        3 => (DEVICE, DEVICE),
        4 => (UNIFIED, UNIFIED),
        _ => return Err(Status::INVALID_MEMCPY_DIRECTION),
    })
}

/// An array's descriptor.
pub fn descriptor(array: usize) -> Outcome<ArrayDescriptor> {
    let mut found = ArrayDescriptor::default();
    // SAFETY: room for the descriptor; the driver refuses a handle that is none.
    checked(unsafe { (bound()?.array_descriptor)(&raw mut found, array) })?;
    Ok(found)
}

/// Bytes of an array's texel.
pub fn texel(array: usize) -> Outcome<usize> {
    let found = descriptor(array)?;
    Ok(Channels::of(found.format, found.channels).bytes())
}

impl CopyEnd {
    /// Rows at an address of this kind.
    pub fn rows(kind: u32, address: u64, pitch: usize) -> CopyEnd {
        CopyEnd {
            kind,
            host: address,
            device: address,
            pitch,
            ..CopyEnd::default()
        }
    }

    /// An array, from a byte of a row on.
    pub fn in_array(array: usize, x: usize, y: usize) -> CopyEnd {
        CopyEnd {
            kind: ARRAY,
            array,
            x,
            y,
            ..CopyEnd::default()
        }
    }
}

impl Region {
    fn end(&self, kind: u32) -> Outcome<CopyEnd> {
        let Position { x, y, z } = self.position;
        if self.array != 0 {
            let x = x
                .checked_mul(texel(self.array)?)
                .ok_or(Status::INVALID_VALUE)?;
            return Ok(CopyEnd {
                z,
                ..CopyEnd::in_array(self.array, x, y)
            });
        }
        Ok(CopyEnd {
            x,
            y,
            z,
            height: self.pitched.height,
            ..CopyEnd::rows(kind, self.pitched.start, self.pitched.pitch)
        })
    }

    fn of(end: &CopyEnd) -> Outcome<Region> {
        let CopyEnd { x, y, z, .. } = *end;
        if end.kind == ARRAY {
            let x = x.checked_div(texel(end.array)?).unwrap_or(x);
            return Ok(Region {
                array: end.array,
                position: Position { x, y, z },
                pitched: Pitched::default(),
            });
        }
        let start = if end.kind == HOST {
            end.host
        } else {
            end.device
        };
        Ok(Region {
            array: 0,
            position: Position { x, y, z },
            pitched: Pitched {
                start,
                pitch: end.pitch,
                width: end.pitch,
                height: end.height,
            },
        })
    }
}

impl RegionCopy {
    /// The copy in the driver's form.
    pub fn described(&self) -> Outcome<Copy3D> {
        const INVALID_PITCH: Status = Status(12);
        let (to_kind, from_kind) = kinds(self.kind)?;
        let array = if self.from.array == 0 {
            self.to.array
        } else {
            self.from.array
        };
        let unit = if array == 0 { 1 } else { texel(array)? };
        let width = self
            .extent
            .width
            .checked_mul(unit)
            .ok_or(Status::INVALID_VALUE)?;
        for region in [&self.from, &self.to] {
            let in_rows = self.extent.height > 1 || self.extent.depth > 1;
            if in_rows && region.array == 0 && region.pitched.pitch < width {
                return Err(INVALID_PITCH);
            }
        }
        Ok(Copy3D {
            from: self.from.end(from_kind)?,
            to: self.to.end(to_kind)?,
            width,
            height: self.extent.height,
            depth: self.extent.depth,
        })
    }

    /// What a copy in the driver's form means.
    pub fn of(copy: &Copy3D) -> Outcome<RegionCopy> {
        let on_host = |end: &CopyEnd| end.kind == HOST;
        let kind = match (on_host(&copy.from), on_host(&copy.to)) {
            _ if copy.from.kind == UNIFIED || copy.to.kind == UNIFIED => 4,
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        let array = [&copy.from, &copy.to]
            .into_iter()
            .find(|end| end.kind == ARRAY);
        let unit = array.map_or(Ok(1), |end| texel(end.array))?;
        Ok(RegionCopy {
            from: Region::of(&copy.from)?,
            to: Region::of(&copy.to)?,
            extent: Extent {
                width: copy.width.checked_div(unit).unwrap_or(copy.width),
                height: copy.height,
                depth: copy.depth,
            },
            kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pitched(start: u64) -> Region {
        Region {
            array: 0,
            position: Position { x: 5, y: 2, z: 1 },
            pitched: Pitched {
                start,
                pitch: 512,
                width: 100,
                height: 10,
            },
        }
    }

    fn copy() -> RegionCopy {
        RegionCopy {
            from: pitched(1 << 20),
            to: pitched(2 << 20),
            extent: Extent {
                width: 90,
                height: 3,
                depth: 2,
            },
            kind: 1,
        }
    }

    #[test]
    fn pitched_memory_keeps_its_place_and_pitch() {
        let made = copy().described().unwrap();
        assert_eq!((made.width, made.height, made.depth), (90, 3, 2));
        assert_eq!(
            (made.from.kind, made.from.host, made.from.x),
            (HOST, 1 << 20, 5)
        );
        assert_eq!(
            (made.to.kind, made.to.device, made.to.height),
            (DEVICE, 2 << 20, 10)
        );
        let again = RegionCopy::of(&made).unwrap().described().unwrap();
        assert_eq!(again, made);
    }

    #[test]
    fn rows_must_fit_their_pitch_and_the_direction_must_be_one() {
        let mut wide = copy();
        wide.extent.width = 513;
        assert_eq!(wide.described(), Err(Status(12)));
        let wrong = RegionCopy { kind: 5, ..copy() };
        assert_eq!(wrong.described(), Err(Status::INVALID_MEMCPY_DIRECTION));
    }
}
