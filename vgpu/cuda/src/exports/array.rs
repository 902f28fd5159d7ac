//! Arrays and mipmapped arrays.

use crate::arrays::{self, Array, Descriptor};
use crate::border::{In, Out};
use crate::driver::device;
use crate::handles::Object;
use crate::status::{Outcome, Status};

/// `CUDA_ARRAY_DESCRIPTOR`: an array of one or two dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Plane {
    width: usize,
    height: usize,
    format: u32,
    channels: u32,
}

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Requirements {
    size: usize,
    alignment: usize,
    reserved: [u32; 4],
}

const _: () = assert!(size_of::<Plane>() == 24 && size_of::<Requirements>() == 32);

exports! {
    fn cuArrayCreate_v2(array: Out<usize>, plane: In<Plane>) {
        let Plane { width, height, format, channels } = plane.get()?;
        create(&array, Descriptor { width, height, depth: 0, format, channels, flags: 0 })
    }

    fn cuArray3DCreate_v2(array: Out<usize>, descriptor: In<Descriptor>) {
        create(&array, descriptor.get()?)
    }

    fn cuArrayDestroy(array: usize) {
        arrays::destroy(array)
    }

    fn cuArrayGetDescriptor_v2(plane: Out<Plane>, array: usize) {
        let Descriptor { width, height, format, channels, .. } = arrays::get(array)?.descriptor;
        plane.put(Plane { width, height, format, channels })
    }

    fn cuArray3DGetDescriptor_v2(descriptor: Out<Descriptor>, array: usize) {
        descriptor.put(arrays::get(array)?.descriptor)
    }

    fn cuArrayGetMemoryRequirements(found: Out<Requirements>, array: usize, ordinal: i32) {
        device(ordinal)?;
        found.put(requirements(arrays::get(array)?.layout.bytes())?)
    }

    /// No format that is known here has planes.
    fn cuArrayGetPlane(_plane: Out<usize>, array: usize, _index: u32) {
        arrays::get(array)?;
        Err(Status::INVALID_VALUE)
    }

    fn cuMipmappedArrayCreate(mipmap: Out<usize>, descriptor: In<Descriptor>, levels: u32) {
        if mipmap.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        mipmap.put(arrays::create_mipmap(descriptor.get()?, levels)?)
    }

    fn cuMipmappedArrayDestroy(mipmap: usize) {
        arrays::destroy_mipmap(mipmap)
    }

    fn cuMipmappedArrayGetLevel(array: Out<usize>, mipmap: usize, level: u32) {
        let mipmap = arrays::mipmap(mipmap)?;
        let level = mipmap.levels.get(level as usize).ok_or(Status::INVALID_VALUE)?;
        array.put(level.handle())
    }

    fn cuMipmappedArrayGetMemoryRequirements(found: Out<Requirements>, mipmap: usize, ordinal: i32) {
        device(ordinal)?;
        let bytes = |level: &std::sync::Arc<Array>| level.layout.bytes();
        found.put(requirements(arrays::mipmap(mipmap)?.levels.iter().map(bytes).sum())?)
    }
}

fn create(array: &Out<usize>, descriptor: Descriptor) -> Outcome {
    if array.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    array.put(arrays::create(descriptor)?)
}

fn requirements(bytes: u64) -> Outcome<Requirements> {
    const ALIGNMENT: usize = 512;
    Ok(Requirements {
        size: usize::try_from(bytes).map_err(|_| Status::INVALID_VALUE)?,
        alignment: ALIGNMENT,
        reserved: [0; 4],
    })
}
