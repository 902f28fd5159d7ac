//! Texture and surface objects: what they are made of is checked and told again. Kernels that read them are not run yet.

use crate::arrays;
use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::spans;
use crate::status::{Outcome, Status};
use std::sync::Arc;

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Array 0, mipmapped array 1, bytes in a row 2, rows 3.
    pub kind: u32,
    /// An array's handle, or an address.
    pub what: u64,
    /// `CUarray_format`, and channels in the upper half.
    pub format: [u32; 2],
    /// Bytes in a row; or width, height and pitch of rows.
    pub extents: [usize; 3],
    rest: [u64; 11],
    flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Address modes, filter, flags, anisotropy, filter between levels.
    pub words: [u32; 7],
    /// Bias and range of levels, and the border's colour.
    pub numbers: [f32; 7],
    reserved: [i32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    format: u32,
    extents: [usize; 3],
    ranges: [u32; 4],
    reserved: [u32; 16],
}

const _: () = assert!(
    size_of::<Resource>() == 144 && size_of::<Sampling>() == 104 && size_of::<View>() == 112
);

/// A `CUtexObject` or `CUsurfObject`.
pub struct Texture {
    handle: usize,
    /// What it reads.
    pub resource: Resource,
    /// How a texture reads it; a surface has none.
    pub sampling: Option<Sampling>,
    /// The part and form of the resource that a texture sees.
    pub view: Option<View>,
}

impl Object for Texture {
    fn handle(&self) -> usize {
        self.handle
    }
}

static TEXTURES: Handles<Texture> = Handles::new();

/// Makes a texture, or without sampling a surface.
pub fn create(
    resource: Resource,
    sampling: Option<Sampling>,
    view: Option<View>,
) -> Outcome<usize> {
    driver()?;
    resource.check(sampling.is_some())?;
    let texture = Texture {
        handle: next_handle(),
        resource,
        sampling,
        view,
    };
    Ok(TEXTURES.insert(Arc::new(texture)))
}

/// The texture or surface of a handle.
pub fn get(handle: usize) -> Outcome<Arc<Texture>> {
    driver()?;
    TEXTURES.get(handle).map_err(|_| Status::INVALID_VALUE)
}

/// Ends it; what it reads lives on.
pub fn destroy(handle: usize) -> Outcome {
    get(handle)?;
    TEXTURES.remove(handle).map(drop)
}

impl Resource {
    /// Surfaces are of arrays only.
    fn check(&self, is_texture: bool) -> Outcome {
        const ALIGNMENT: u64 = 512;
        const PITCH_ALIGNMENT: usize = 32;
        let handle = usize::try_from(self.what).map_err(|_| Status::INVALID_VALUE);
        match (self.kind, self.extents) {
            (0, _) => arrays::get(handle?)
                .map(drop)
                .map_err(|_| Status::INVALID_VALUE),
            (1, _) if is_texture => arrays::mipmap(handle?)
                .map(drop)
                .map_err(|_| Status::INVALID_VALUE),
            (2, [bytes, ..]) if is_texture && self.what.is_multiple_of(ALIGNMENT) => {
                spans::require_device(self.what, bytes as u64)
            }
            (3, [_, height, pitch])
                if is_texture
                    && self.what.is_multiple_of(ALIGNMENT)
                    && pitch.is_multiple_of(PITCH_ALIGNMENT) =>
            {
                let bytes = pitch.checked_mul(height.saturating_sub(1));
                let bytes = bytes.ok_or(Status::INVALID_VALUE)?;
                spans::require_device(self.what, bytes as u64)
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }
}
