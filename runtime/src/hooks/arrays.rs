//! Arrays and mipmapped arrays: their bytes from their descriptors, without the padding that the driver's tiling adds.
//! The descriptors are laid out here with plain numbers: a newer driver has formats that cust's enum lacks.

use super::memory::{freed, read, settle};
use crate::ledger::Block;
use crate::real::driver::Code;
use crate::session::Session;
use cust::sys::{CUarray, CUmipmappedArray};
use std::ffi::c_uint;

/// `CUDA_ARRAY_DESCRIPTOR`: an array of one or two dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Plane<Size = usize> {
    width: Size,
    height: Size,
    format: c_uint,
    channels: c_uint,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Volume<Size = usize> {
    width: Size,
    height: Size,
    depth: Size,
    format: c_uint,
    channels: c_uint,
    flags: c_uint,
}

/// The forms with 32-bit sizes.
pub type NarrowPlane = Plane<c_uint>;
/// The forms with 32-bit sizes.
pub type NarrowVolume = Volume<c_uint>;

const LAYERED: c_uint = 0x01;
const CUBEMAP: c_uint = 0x04;
/// Sparse arrays and those with deferred mapping hold no memory of their own.
const UNBACKED: c_uint = 0x40 | 0x80;

/// `cuArrayCreate_v2`.
pub fn create_plane(session: &Session, out: *mut CUarray, plan: *const Plane) -> impl FnOnce(Code) {
    let plan = read(plan).map(|plan| Plan::of_plane(plan, plan.width as u64, plan.height as u64));
    array_made(session, out, plan)
}

/// `cuArrayCreate`, the 32-bit form.
pub fn create_plane_narrow(
    session: &Session,
    out: *mut CUarray,
    plan: *const NarrowPlane,
) -> impl FnOnce(Code) {
    let plan = read(plan).map(|plan| Plan::of_plane(plan, plan.width.into(), plan.height.into()));
    array_made(session, out, plan)
}

/// `cuArray3DCreate_v2`.
pub fn create_volume(
    session: &Session,
    out: *mut CUarray,
    plan: *const Volume,
) -> impl FnOnce(Code) {
    array_made(session, out, read(plan).map(Plan::of_volume))
}

/// `cuArray3DCreate`, the 32-bit form.
pub fn create_volume_narrow(
    session: &Session,
    out: *mut CUarray,
    plan: *const NarrowVolume,
) -> impl FnOnce(Code) {
    let wide = |plan: NarrowVolume| Volume {
        width: plan.width as usize,
        height: plan.height as usize,
        depth: plan.depth as usize,
        format: plan.format,
        channels: plan.channels,
        flags: plan.flags,
    };
    array_made(session, out, read(plan).map(wide).map(Plan::of_volume))
}

/// `cuMipmappedArrayCreate`.
pub fn create_mipmap(
    session: &Session,
    out: *mut CUmipmappedArray,
    plan: *const Volume,
    levels: c_uint,
) -> impl FnOnce(Code) {
    let bytes = read(plan).map_or(0, |plan| Plan::of_volume(plan).bytes(levels));
    move |code| {
        settle(session, code, bytes, || {
            read(out).map(|array| (Block::Mipmap(array as u64), bytes))
        });
    }
}

/// `cuArrayDestroy`.
pub fn destroy(session: &Session, array: CUarray) -> impl FnOnce(Code) {
    freed(session, Block::Array(array as u64))
}

/// `cuMipmappedArrayDestroy`.
pub fn destroy_mipmap(session: &Session, array: CUmipmappedArray) -> impl FnOnce(Code) {
    freed(session, Block::Mipmap(array as u64))
}

fn array_made(session: &Session, out: *mut CUarray, plan: Option<Plan>) -> impl FnOnce(Code) {
    let bytes = plan.map_or(0, |plan| plan.bytes(1));
    move |code| {
        settle(session, code, bytes, || {
            read(out).map(|array| (Block::Array(array as u64), bytes))
        });
    }
}

/// What the size of an array depends on.
#[derive(Clone, Copy)]
struct Plan {
    extent: [u64; 3],
    format: c_uint,
    channels: c_uint,
    flags: c_uint,
}

impl Plan {
    fn of_plane<Size>(plane: Plane<Size>, width: u64, height: u64) -> Plan {
        let Plane {
            format, channels, ..
        } = plane;
        Plan {
            extent: [width, height, 0],
            format,
            channels,
            flags: 0,
        }
    }

    fn of_volume(volume: Volume) -> Plan {
        let Volume {
            width,
            height,
            depth,
            format,
            channels,
            flags,
        } = volume;
        let extent = [width as u64, height as u64, depth as u64];
        Plan {
            extent,
            format,
            channels,
            flags,
        }
    }

    /// Bytes of the first `levels` levels: each has half the width, height and depth of the one before, but as many
    /// layers or cube faces.
    fn bytes(self, levels: c_uint) -> u64 {
        if self.flags & UNBACKED != 0 {
            return 0;
        }
        let layered = self.flags & (LAYERED | CUBEMAP) != 0;
        let level = |level: c_uint| {
            let [width, height, depth] = self.extent;
            let halved = |size: u64| size.checked_shr(level).unwrap_or(0).max(1);
            let depth = if layered { depth.max(1) } else { halved(depth) };
            let plane = bytes_of_plane(self.format, self.channels, halved(width), halved(height));
            plane.saturating_mul(depth)
        };
        // There are no more levels than it takes to halve the largest extent down to one.
        let deepest = if layered { 0 } else { self.extent[2] };
        let largest = self.extent[0].max(self.extent[1]).max(deepest);
        let most = u64::BITS - largest.leading_zeros();
        (0..levels.min(most.max(1))).fold(0, |sum: u64, at| sum.saturating_add(level(at)))
    }
}

/// Bytes of a plane of elements. A format that is not known here counts four bytes a channel.
fn bytes_of_plane(format: c_uint, channels: c_uint, width: u64, height: u64) -> u64 {
    let elements = width.saturating_mul(height);
    let blocks = || width.div_ceil(4).saturating_mul(height.div_ceil(4));
    let each = |bytes: u64| elements.saturating_mul(bytes);
    let channels = u64::from(channels);
    match format {
        0x01 | 0x08 => each(channels),
        0x02 | 0x09 | 0x10 => each(channels.saturating_mul(2)),
        // Normalized integers: the format names its channels itself.
        0xc0 | 0xc6 => each(1),
        0xc1 | 0xc3 | 0xc7 | 0xc9 => each(2),
        0xc2 | 0xc4 | 0xc8 | 0xca | 0x50 => each(4),
        0xc5 | 0xcb => each(8),
        // Block compression: 8 bytes for 4 by 4 elements in BC1 and BC4, 16 in the others.
        0x91 | 0x92 | 0x97 | 0x98 => blocks().saturating_mul(8),
        0x93..=0x96 | 0x99..=0x9e => blocks().saturating_mul(16),
        _ => each(channels.saturating_mul(4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOAT: c_uint = 0x20;
    const BC1: c_uint = 0x91;

    fn bytes(
        extent: [u64; 3],
        format: c_uint,
        channels: c_uint,
        flags: c_uint,
        levels: u32,
    ) -> u64 {
        Plan {
            extent,
            format,
            channels,
            flags,
        }
        .bytes(levels)
    }

    #[test]
    fn the_descriptors_have_the_drivers_sizes() {
        assert_eq!(size_of::<Plane>(), 24);
        assert_eq!(size_of::<Volume>(), 40);
        assert_eq!(size_of::<NarrowPlane>(), 16);
        assert_eq!(size_of::<NarrowVolume>(), 24);
    }

    #[test]
    fn a_dimension_of_zero_is_one_that_is_not_used() {
        assert_eq!(bytes([100, 0, 0], FLOAT, 1, 0, 1), 400);
        assert_eq!(bytes([100, 10, 0], FLOAT, 4, 0, 1), 16_000);
        assert_eq!(bytes([100, 10, 2], 0x01, 1, 0, 1), 2000);
    }

    #[test]
    fn levels_shrink_but_layers_stay() {
        assert_eq!(bytes([4, 4, 4], 0x01, 1, 0, 3), 64 + 8 + 1);
        assert_eq!(bytes([4, 4, 4], 0x01, 1, 0, 99), 64 + 8 + 1);
        assert_eq!(bytes([4, 4, 3], 0x01, 1, LAYERED, 3), 3 * (16 + 4 + 1));
    }

    #[test]
    fn compressed_formats_count_blocks_and_unbacked_arrays_nothing() {
        assert_eq!(bytes([5, 4, 0], BC1, 4, 0, 1), 16);
        assert_eq!(bytes([1 << 14, 1 << 14, 0], FLOAT, 4, 0x40, 1), 0);
        assert_eq!(bytes([u64::MAX, 2, 2], FLOAT, 4, 0, 1), u64::MAX);
    }
}
