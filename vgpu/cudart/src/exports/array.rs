//! Arrays and mipmapped arrays.

use crate::border::{In, Out};
use crate::bound::{bound, require_device};
use crate::channels::Channels;
use crate::error::{Outcome, checked};
use crate::regions::{self, ArrayDescriptor, Extent};

exports! {
    fn cudaMallocArray(array: Out<usize>, channels: In<Channels>, width: usize, height: usize, flags: u32) {
        create(array, channels.get()?, Extent { width, height, depth: 0 }, flags)
    }

    fn cudaMalloc3DArray(array: Out<usize>, channels: In<Channels>, extent: Extent, flags: u32) {
        create(array, channels.get()?, extent, flags)
    }

    fn cudaMallocMipmappedArray(mipmap: Out<usize>, channels: In<Channels>, extent: Extent, levels: u32, flags: u32) {
        let plan = plan(channels.get()?, extent, flags)?;
        // SAFETY: the caller's room is checked not to be null; the plan lives through the call.
        checked(unsafe { (bound()?.mipmap_create)(mipmap.room()?, &raw const plan, levels) })
    }

    fn cudaFreeArray(array: usize) {
        let driver = bound()?;
        if array == 0 {
            return Ok(());
        }
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (driver.array_destroy)(array) })
    }

    fn cudaFreeMipmappedArray(mipmap: usize) {
        let driver = bound()?;
        if mipmap == 0 {
            return Ok(());
        }
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (driver.mipmap_destroy)(mipmap) })
    }

    fn cudaArrayGetInfo(channels: Out<Channels>, extent: Out<Extent>, flags: Out<u32>, array: usize) {
        let ArrayDescriptor { width, height, depth, format, channels: count, flags: set } = regions::descriptor(array)?;
        channels.offer(Channels::of(format, count));
        extent.offer(Extent { width, height, depth });
        flags.offer(set);
        Ok(())
    }

    fn cudaGetChannelDesc(channels: Out<Channels>, array: usize) {
        let found = regions::descriptor(array)?;
        channels.put(Channels::of(found.format, found.channels))
    }

    fn cudaArrayGetMemoryRequirements(found: usize, array: usize, device: i32) {
        require_device(device)?;
        // SAFETY: the driver checks pointer and handle.
        checked(unsafe { (bound()?.array_requirements)(found, array, device) })
    }

    fn cudaMipmappedArrayGetMemoryRequirements(found: usize, mipmap: usize, device: i32) {
        require_device(device)?;
        // SAFETY: the driver checks pointer and handle.
        checked(unsafe { (bound()?.mipmap_requirements)(found, mipmap, device) })
    }
}

forwards! {
    fn cudaGetMipmappedArrayLevel(array: usize, mipmap: usize, level: u32) => mipmap_level;
    fn cudaArrayGetPlane(plane: usize, array: usize, index: u32) => array_plane;
}

/// A description of texels, by value.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: u32) -> Channels {
    Channels {
        bits: [x, y, z, w],
        kind,
    }
}

fn create(array: Out<usize>, channels: Channels, extent: Extent, flags: u32) -> Outcome {
    let plan = plan(channels, extent, flags)?;
    // SAFETY: the caller's room is checked not to be null; the plan lives through the call.
    checked(unsafe { (bound()?.array_create)(array.room()?, &raw const plan) })
}

fn plan(channels: Channels, extent: Extent, flags: u32) -> Outcome<ArrayDescriptor> {
    let (format, count) = channels.format()?;
    let Extent {
        width,
        height,
        depth,
    } = extent;
    Ok(ArrayDescriptor {
        width,
        height,
        depth,
        format,
        channels: count,
        flags,
    })
}
