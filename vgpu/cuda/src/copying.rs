//! Copies in their general form, of rows and planes between host, device and arrays: checked first, then done.

use crate::arrays;
use crate::contexts;
use crate::observed;
use crate::spans;
use crate::status::{Outcome, Status};

/// `CUDA_MEMCPY3D_v2`, to which every copy is brought.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Source.
    pub from: End,
    /// Destination.
    pub to: End,
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// One end of a copy.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Bytes to leave out at the left.
    pub x: usize,
    /// Rows to leave out at the top.
    pub y: usize,
    /// Planes to leave out at the front.
    pub z: usize,
    /// Level of detail; there is one.
    pub lod: usize,
    /// One of the kinds below.
    pub kind: u32,
    /// Host address.
    pub host: u64,
    /// Device address.
    pub device: u64,
    /// Array.
    pub array: usize,
    /// Reserved, or the context in copies between devices.
    pub context: usize,
    /// Bytes from one row to the next; 0: they follow each other.
    pub pitch: usize,
    /// Rows from one plane to the next; 0: they follow each other.
    pub height: usize,
}

const _: () = assert!(size_of::<Copy>() == 200);

/// Host memory.
pub const HOST: u32 = 1;
/// Device memory, or host memory that the device may access.
pub const DEVICE: u32 = 2;
/// An array.
pub const ARRAY: u32 = 3;
/// Any memory; its address tells whose.
pub const UNIFIED: u32 = 4;

/// First row of an end and what lies between rows and planes.
#[derive(Clone, Copy, Debug)]
struct Planes {
    start: u64,
    pitch: u64,
    plane: u64,
}

impl End {
    /// Bytes in a row at an address of this kind.
    pub fn at(kind: u32, address: u64) -> End {
        End {
            kind,
            host: address,
            device: address,
            ..End::default()
        }
    }

    /// An array, from a place in its first row on.
    pub fn in_array(array: usize, x: usize) -> End {
        End {
            kind: ARRAY,
            array,
            x,
            ..End::default()
        }
    }
}

impl Copy {
    /// A copy of bytes in a row.
    pub fn line(to: End, from: End, bytes: usize) -> Copy {
        Copy {
            from,
            to,
            width: bytes,
            height: 1,
            depth: 1,
        }
    }

    /// Does it.
    pub fn perform(&self) -> Outcome {
        let Some((to, from)) = self.ends()? else {
            return Ok(());
        };
        for plane in 0..self.depth as u64 {
            for row in 0..self.height as u64 {
                let at = |end: &Planes| end.start + plane * end.plane + row * end.pitch;
                spans::copy(at(&to), at(&from), self.width)?;
            }
        }
        observed::copied(self);
        Ok(())
    }

    /// Destination and source; none where nothing is to be copied.
    fn ends(&self) -> Outcome<Option<(Planes, Planes)>> {
        contexts::current()?;
        if self.width == 0 || self.height == 0 || self.depth == 0 {
            return Ok(None);
        }
        Ok(Some((self.planes(&self.to)?, self.planes(&self.from)?)))
    }

    fn planes(&self, end: &End) -> Outcome<Planes> {
        match end.kind {
            ARRAY => self.in_array(end),
            HOST => self.in_memory(end, end.host),
            DEVICE | UNIFIED => self.in_memory(end, end.device),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn in_array(&self, end: &End) -> Outcome<Planes> {
        let array = arrays::get(end.array)?;
        let layout = array.layout;
        let fits = |from: usize, count: usize, most: u64| {
            from.checked_add(count)
                .is_some_and(|end| end as u64 <= most)
        };
        let inside = fits(end.x, self.width, layout.row)
            && fits(end.y, self.height, layout.rows)
            && fits(end.z, self.depth, layout.planes);
        if !inside {
            return Err(Status::INVALID_VALUE);
        }
        let plane = layout.row * layout.rows;
        let before = end.x as u64 + end.y as u64 * layout.row + end.z as u64 * plane;
        Ok(Planes {
            start: array.address + before,
            pitch: layout.row,
            plane,
        })
    }

    fn in_memory(&self, end: &End, base: u64) -> Outcome<Planes> {
        let or = |given: usize, otherwise: usize| if given == 0 { otherwise } else { given } as u64;
        let pitch = or(end.pitch, self.width);
        let plane = pitch
            .checked_mul(or(end.height, self.height))
            .ok_or(Status::INVALID_VALUE)?;
        let times = |count: usize, bytes: u64| (count as u64).checked_mul(bytes);
        let before = times(end.y, pitch).zip(times(end.z, plane));
        let start = before
            .and_then(|(rows, planes)| rows.checked_add(planes)?.checked_add(end.x as u64))
            .and_then(|before| base.checked_add(before));
        let start = start.ok_or(Status::INVALID_VALUE)?;
        let rows = spans::extent(pitch, self.width as u64, self.height as u64)?;
        let bytes = spans::extent(plane, rows, self.depth as u64)?;
        match end.kind {
            DEVICE => spans::require_device(start, bytes)?,
            UNIFIED => spans::require_any(start, bytes)?,
            _ if base == 0 => return Err(Status::INVALID_VALUE),
            _ => {}
        }
        Ok(Planes {
            start,
            pitch,
            plane,
        })
    }
}

/// A fill of rows of device memory with one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Address of the first row.
    pub start: u64,
    /// Bytes from one row to the next.
    pub pitch: u64,
    /// The value; of a narrow element its lowest bytes.
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: u32,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Fill {
    fn check(&self) -> Outcome {
        contexts::current()?;
        let element = u64::from(self.element);
        let bytes = (self.width as u64)
            .checked_mul(element)
            .ok_or(Status::INVALID_VALUE)?;
        if ![1, 2, 4].contains(&self.element) {
            return Err(Status::INVALID_VALUE);
        }
        if bytes == 0 || self.height == 0 {
            return Ok(());
        }
        let aligned = self.start.is_multiple_of(element)
            && (self.height == 1 || self.pitch.is_multiple_of(element));
        if !aligned {
            return Err(Status::INVALID_VALUE);
        }
        let all = spans::extent(self.pitch, bytes, self.height as u64)?;
        spans::require_device(self.start, all)
    }

    /// Does it.
    pub fn perform(&self) -> Outcome {
        self.check()?;
        let [low, second, ..] = self.value.to_le_bytes();
        match self.element {
            1 => self.rows(low),
            2 => self.rows(u16::from_le_bytes([low, second])),
            _ => self.rows(self.value),
        }
    }

    fn rows<T: core::marker::Copy>(&self, value: T) -> Outcome {
        if self.width == 0 {
            return Ok(());
        }
        for row in 0..self.height as u64 {
            spans::fill(self.start + row * self.pitch, value, self.width)?;
        }
        let elements = (self.width as u64).saturating_mul(self.height as u64);
        observed::filled(elements.saturating_mul(size_of::<T>() as u64));
        Ok(())
    }
}
