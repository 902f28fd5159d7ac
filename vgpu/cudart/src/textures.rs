//! Texture and surface objects: the runtime's descriptions -> the driver's. The runtime's are kept, to be told again.

use crate::channels::Channels;
use crate::error::{Outcome, Status};
use crate::structures::{Resource, Sampling};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// `cudaResourceDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureResource {
    /// Array 0, mipmapped array 1, bytes in a row 2, rows 3.
    kind: u32,
    /// An array's handle, or an address.
    what: u64,
    channels: Channels,
    extents: [usize; 3],
    rest: [u64; 9],
    flags: u32,
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureSampling {
    address: [u32; 3],
    filter: u32,
    /// As they are 0, as numbers from 0 to 1: 1.
    read_mode: u32,
    srgb: i32,
    border: [f32; 4],
    normalized: i32,
    anisotropy: u32,
    level_filter: u32,
    levels: [f32; 3],
    no_trilinear: i32,
    seamless: i32,
}

/// `cudaResourceViewDesc`, which is the driver's too.
pub type TextureView = [u64; 14];

const _: () = {
    assert!(size_of::<TextureResource>() == 144 && size_of::<TextureSampling>() == 72);
    assert!(size_of::<TextureView>() == 112);
};

/// What a texture or surface was made of.
#[derive(Clone, Copy)]
pub struct Made {
    /// What it reads.
    pub resource: TextureResource,
    /// How; a surface has none.
    pub sampling: Option<TextureSampling>,
    /// Which part of it.
    pub view: Option<TextureView>,
}

static MADE: Mutex<BTreeMap<usize, Made>> = Mutex::new(BTreeMap::new());

/// Keeps what a texture or surface was made of.
pub fn remember(handle: usize, made: Made) {
    let mut known = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(handle, made);
}

/// Forgets it.
pub fn forget(handle: usize) {
    MADE.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&handle);
}

/// What a texture or surface was made of.
pub fn made(handle: usize) -> Outcome<Made> {
    let known = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&handle).copied().ok_or(Status::INVALID_VALUE)
}

impl TextureResource {
    /// In the driver's form.
    pub fn described(&self) -> Outcome<Resource> {
        const ROW: u32 = 2;
        const ROWS: u32 = 3;
        let format = match self.kind {
            ROW | ROWS => {
                let (format, count) = self.channels.format()?;
                [format, count]
            }
            _ => [0; 2],
        };
        Ok(Resource {
            kind: self.kind,
            what: self.what,
            format,
            extents: self.in_order(),
            flags: self.flags,
            ..Resource::default()
        })
    }

    fn in_order(&self) -> [usize; 3] {
        const ROWS: u32 = 3;
        if self.kind == ROWS {
            self.extents
        } else {
            [self.extents[0], 0, 0]
        }
    }
}

impl TextureSampling {
    /// In the driver's form.
    pub fn described(&self) -> Sampling {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        Sampling {
            address: self.address,
            filter: self.filter,
            flags: flag(self.read_mode == 0, 0x01)
                | flag(self.normalized != 0, 0x02)
                | flag(self.srgb != 0, 0x10)
                | flag(self.no_trilinear != 0, 0x20)
                | flag(self.seamless != 0, 0x40),
            anisotropy: self.anisotropy,
            level_filter: self.level_filter,
            levels: self.levels,
            border: self.border,
            reserved: [0; 12],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_the_drivers() {
        let sampling = TextureSampling::default();
        assert_eq!(sampling.described().flags, 0x01);
        let all = TextureSampling {
            read_mode: 1,
            normalized: 1,
            srgb: 1,
            no_trilinear: 1,
            seamless: 1,
            ..sampling
        };
        assert_eq!(all.described().flags, 0x72);
    }

    #[test]
    fn only_memory_has_a_format_of_its_own() {
        let array = TextureResource {
            what: 0x1000,
            extents: [9, 9, 9],
            ..TextureResource::default()
        };
        let described = array.described().unwrap();
        assert_eq!((described.format, described.extents), ([0, 0], [9, 0, 0]));
        let channels = Channels {
            bits: [32, 0, 0, 0],
            kind: 2,
        };
        let rows = TextureResource {
            kind: 3,
            channels,
            ..array
        };
        let described = rows.described().unwrap();
        assert_eq!(
            (described.format, described.extents),
            ([0x20, 1], [9, 9, 9])
        );
        assert!(TextureResource { kind: 2, ..array }.described().is_err());
    }
}
