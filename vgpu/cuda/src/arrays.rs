//! Arrays and mipmapped arrays: device memory of rows, planes and levels whose address the program never sees. Laid out
//! without the padding that a GPU's tiling adds, so they take exactly the bytes of their elements.

use crate::contexts::{self, CudaContext};
use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::log;
use crate::status::{Outcome, Status};
use crate::uses::{self, Use};
use migfit_schema::units::Bytes;
use std::sync::Arc;

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Elements of a row.
    pub width: usize,
    /// Rows of a plane; 0: one dimension.
    pub height: usize,
    /// Planes, layers or cube faces; 0: less than three dimensions.
    pub depth: usize,
    /// `CUarray_format` of a channel.
    pub format: u32,
    /// Channels of an element.
    pub channels: u32,
    /// Layered, cubemap and the like.
    pub flags: u32,
}

const LAYERED: u32 = 0x01;
const CUBEMAP: u32 = 0x04;
/// Arrays whose memory comes from elsewhere, in parts or later.
const UNBACKED: u32 = 0x40 | 0x80;
const KNOWN_FLAGS: u32 = 0x3f;

/// Where the elements of an array lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a row.
    pub row: u64,
    /// Rows of a plane.
    pub rows: u64,
    /// Planes.
    pub planes: u64,
}

/// A `CUarray`.
pub struct Array {
    handle: usize,
    /// As it was asked for.
    pub descriptor: Descriptor,
    /// Address of its first element.
    pub address: u64,
    /// Where its elements lie.
    pub layout: Layout,
    context: u64,
    /// Whether it is a level, whose memory is the mipmapped array's.
    is_level: bool,
}

/// A `CUmipmappedArray`.
pub struct Mipmap {
    handle: usize,
    /// All levels, the largest first.
    pub levels: Vec<Arc<Array>>,
    address: u64,
    context: u64,
}

impl Object for Array {
    fn handle(&self) -> usize {
        self.handle
    }
}

impl Object for Mipmap {
    fn handle(&self) -> usize {
        self.handle
    }
}

static ARRAYS: Handles<Array> = Handles::new();
static MIPMAPS: Handles<Mipmap> = Handles::new();

/// Makes an array in the current context.
pub fn create(descriptor: Descriptor) -> Outcome<usize> {
    let context = contexts::current()?;
    let layout = Layout::of(descriptor)?;
    let address = allocate(&context, layout.bytes())?;
    let array = array(descriptor, layout, address, &context, false);
    Ok(ARRAYS.insert(Arc::new(array)))
}

/// Makes a mipmapped array of so many levels, at most as many as its extents have.
pub fn create_mipmap(descriptor: Descriptor, levels: u32) -> Outcome<usize> {
    let context = contexts::current()?;
    if levels == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let most = usize::BITS - descriptor.largest_extent().leading_zeros();
    let levels = (0..levels.min(most)).map(|level| descriptor.level(level));
    let levels: Vec<_> = levels.collect();
    let layouts = levels.iter().map(|level| Layout::of(*level));
    let layouts = layouts.collect::<Outcome<Vec<_>>>()?;
    let bytes = layouts
        .iter()
        .map(Layout::bytes)
        .fold(0, u64::saturating_add);
    let address = allocate(&context, bytes)?;
    let mut at = address;
    let levels = levels.into_iter().zip(layouts).map(|(level, layout)| {
        let level = Arc::new(array(level, layout, at, &context, true));
        at += layout.bytes();
        ARRAYS.insert(Arc::clone(&level));
        level
    });
    let mipmap = Mipmap {
        handle: next_handle(),
        levels: levels.collect(),
        address,
        context: context.id,
    };
    Ok(MIPMAPS.insert(Arc::new(mipmap)))
}

/// The array of a handle.
pub fn get(handle: usize) -> Outcome<Arc<Array>> {
    driver()?;
    ARRAYS.get(handle)
}

/// The mipmapped array of a handle.
pub fn mipmap(handle: usize) -> Outcome<Arc<Mipmap>> {
    driver()?;
    MIPMAPS.get(handle)
}

/// Ends an array. A level ends with its mipmapped array only.
pub fn destroy(handle: usize) -> Outcome {
    if get(handle)?.is_level {
        return Err(Status::INVALID_HANDLE);
    }
    free(ARRAYS.remove(handle)?.address)
}

/// Ends a mipmapped array and its levels.
pub fn destroy_mipmap(handle: usize) -> Outcome {
    driver()?;
    let mipmap = MIPMAPS.remove(handle)?;
    for level in &mipmap.levels {
        ARRAYS.remove(level.handle)?;
    }
    free(mipmap.address)
}

/// Arrays die with their context, which takes their memory along.
pub fn context_ended(context: u64) {
    ARRAYS.remove_where(|array| array.context == context);
    MIPMAPS.remove_where(|mipmap| mipmap.context == context);
}

fn array(
    descriptor: Descriptor,
    layout: Layout,
    address: u64,
    context: &CudaContext,
    is_level: bool,
) -> Array {
    Array {
        handle: next_handle(),
        descriptor,
        address,
        layout,
        context: context.id,
        is_level,
    }
}

fn allocate(context: &CudaContext, bytes: u64) -> Outcome<u64> {
    let address = context.memory.allocate(Bytes(bytes))?;
    uses::note(address, context.id, Use::Array);
    Ok(address)
}

fn free(address: u64) -> Outcome {
    uses::forget(address);
    if let Some(owner) = contexts::owner_of(address) {
        owner.memory.free(address)?;
    }
    Ok(())
}

impl Descriptor {
    fn is_layered(&self) -> bool {
        self.flags & (LAYERED | CUBEMAP) != 0
    }

    fn largest_extent(&self) -> usize {
        let depth = if self.is_layered() { 0 } else { self.depth };
        self.width.max(self.height).max(depth)
    }

    /// A level of a mipmapped array: half of the extents of the one before, but as many layers.
    fn level(self, level: u32) -> Descriptor {
        let halved = |extent: usize| match extent {
            0 => 0,
            extent => extent.checked_shr(level).unwrap_or(0).max(1),
        };
        Descriptor {
            width: halved(self.width),
            height: halved(self.height),
            depth: if self.is_layered() {
                self.depth
            } else {
                halved(self.depth)
            },
            ..self
        }
    }

    /// Whether textures of the virtual GPU may have these extents.
    fn is_possible(&self) -> bool {
        let Descriptor {
            width,
            height,
            depth,
            ..
        } = *self;
        let most = match (self.is_layered(), height, depth) {
            (true, 0, _) => [32768, 0, 2048],
            (true, ..) => [32768, 32768, 2048],
            (false, 0, 0) => [131_072, 0, 0],
            (false, _, 0) => [131_072, 65536, 0],
            _ => [16384, 16384, 16384],
        };
        let cube =
            self.flags & CUBEMAP == 0 || (width == height && depth > 0 && depth.is_multiple_of(6));
        let extents = [width, height, depth].into_iter().zip(most);
        width > 0 && cube && extents.into_iter().all(|(extent, most)| extent <= most)
    }
}

impl Layout {
    /// Where the elements of an array lie that is asked for so.
    fn of(descriptor: Descriptor) -> Outcome<Layout> {
        if descriptor.flags & UNBACKED != 0 {
            log::unsupported("sparse arrays, and arrays with deferred mapping");
            return Err(Status::NOT_SUPPORTED);
        }
        let known =
            descriptor.flags & !KNOWN_FLAGS == 0 && [1, 2, 4].contains(&descriptor.channels);
        if !known || !descriptor.is_possible() {
            return Err(Status::INVALID_VALUE);
        }
        let (width, height) = (descriptor.width as u64, descriptor.height.max(1) as u64);
        let (row, rows) = match block_bytes(descriptor.format) {
            Some(block) => (width.div_ceil(4) * block, height.div_ceil(4)),
            None => (width * element_bytes(&descriptor)?, height),
        };
        Ok(Layout {
            row,
            rows,
            planes: descriptor.depth.max(1) as u64,
        })
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.row * self.rows * self.planes
    }
}

fn element_bytes(descriptor: &Descriptor) -> Outcome<u64> {
    let channels = u64::from(descriptor.channels);
    Ok(match descriptor.format {
        0x01 | 0x08 => channels,
        0x02 | 0x09 | 0x10 => 2 * channels,
        0x03 | 0x0a | 0x20 => 4 * channels,
        // Normalized integers: the format names its channels itself.
        0xc0 | 0xc6 => 1,
        0xc1 | 0xc3 | 0xc7 | 0xc9 => 2,
        0x50 | 0xc2 | 0xc4 | 0xc8 | 0xca => 4,
        0xc5 | 0xcb => 8,
        other => {
            log::unsupported(&format!("array format {other:#x}"));
            return Err(Status::NOT_SUPPORTED);
        }
    })
}

/// Bytes of a block of 4 by 4 elements, of the formats that are compressed so (BC1 to BC7).
fn block_bytes(format: u32) -> Option<u64> {
    match format {
        0x91 | 0x92 | 0x97 | 0x98 => Some(8),
        0x93..=0x96 | 0x99..=0x9e => Some(16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: usize, height: usize, depth: usize, flags: u32) -> Descriptor {
        Descriptor {
            width,
            height,
            depth,
            format: 0x20,
            channels: 4,
            flags,
        }
    }

    fn bytes(descriptor: Descriptor) -> Outcome<u64> {
        Layout::of(descriptor).map(|layout| layout.bytes())
    }

    #[test]
    fn an_array_takes_the_bytes_of_its_elements() {
        assert_eq!(size_of::<Descriptor>(), 40);
        assert_eq!(bytes(plain(100, 0, 0, 0)), Ok(1600));
        assert_eq!(bytes(plain(100, 10, 0, 0)), Ok(16_000));
        assert_eq!(bytes(plain(100, 10, 3, LAYERED)), Ok(48_000));
        assert_eq!(bytes(plain(100, 0, 3, LAYERED)), Ok(4800));
        let compressed = Descriptor {
            format: 0x91,
            ..plain(5, 4, 0, 0)
        };
        assert_eq!(bytes(compressed), Ok(16));
    }

    #[test]
    fn what_a_gpu_has_not_is_refused() {
        for wrong in [
            plain(0, 1, 0, 0),
            plain(131_073, 0, 0, 0),
            plain(16, 65537, 0, 0),
            plain(16_385, 2, 2, 0),
            plain(16, 16, 2049, LAYERED),
            plain(16, 8, 6, CUBEMAP),
            plain(16, 16, 5, CUBEMAP),
            Descriptor {
                channels: 3,
                ..plain(16, 0, 0, 0)
            },
        ] {
            assert_eq!(bytes(wrong), Err(Status::INVALID_VALUE), "{wrong:?}");
        }
        assert_eq!(bytes(plain(16, 16, 0, 0x40)), Err(Status::NOT_SUPPORTED));
    }

    #[test]
    fn levels_shrink_but_layers_stay() {
        let level = plain(8, 4, 3, LAYERED).level(2);
        assert_eq!((level.width, level.height, level.depth), (2, 1, 3));
        let level = plain(8, 4, 2, 0).level(3);
        assert_eq!((level.width, level.height, level.depth), (1, 1, 1));
        assert_eq!(plain(8, 0, 0, 0).level(1).height, 0);
    }
}
