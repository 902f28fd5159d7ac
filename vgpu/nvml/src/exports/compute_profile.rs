//! Kinds of compute instances that a GPU instance can hold.

use crate::border::{Out, chars, version};
use crate::code::{Code, Outcome};
use crate::handle::GpuInstanceHandle;
use crate::handle::OfGpu;
use migfit_vgpu_device::{CiProfile, ComputeInstance, GiProfile};
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::{c_char, c_uint};

/// Number of compute-instance profile constants in nvml.h 13.5; the bindings are older and have one fewer.
const CONSTANTS: c_uint = 9;
/// The one way to share engines that nvml.h has.
const SHARED: c_uint = 0;

type InfoV1 = nvml::nvmlComputeInstanceProfileInfo_t;
type InfoV2 = nvml::nvmlComputeInstanceProfileInfo_v2_t;
type InfoV3 = nvml::nvmlComputeInstanceProfileInfo_v3_t;

exports! {
    /// A kind of compute instance by its constant.
    fn nvmlGpuInstanceGetComputeInstanceProfileInfo(
        instance: GpuInstanceHandle, constant: c_uint, engines: c_uint, info: Out<InfoV1>,
    ) {
        with_profile(instance, constant, engines, |owner, compute| info.put(first_form(owner, compute)))
    }

    /// The same in the versioned structures, which carry its name.
    fn nvmlGpuInstanceGetComputeInstanceProfileInfoV(
        instance: GpuInstanceHandle, constant: c_uint, engines: c_uint, info: Out<InfoV2>,
    ) {
        with_profile(instance, constant, engines, |owner, compute| put_versioned(owner, compute, &info))
    }

    /// How many more fit when nothing else is made.
    fn nvmlGpuInstanceGetComputeInstanceRemainingCapacity(
        instance: GpuInstanceHandle, id: c_uint, count: Out<c_uint>,
    ) {
        let (gpu, state) = instance.now()?;
        let gi = instance.resolve(&state)?;
        let owner = gpu.model().profile(gi.profile).ok_or(Code::UNKNOWN)?;
        let compute = owner.compute_profile(id).ok_or(Code::INVALID_ARGUMENT)?;
        let sisters = state.compute_instances.iter().filter(|ci| ci.gpu_instance == gi.id);
        count.put(room_for(owner, compute, &sisters.copied().collect::<Vec<_>>()))
    }

    /// All legal placements within the GPU instance, occupied or not.
    fn nvmlGpuInstanceGetComputeInstancePossiblePlacements(
        instance: GpuInstanceHandle, id: c_uint, placements: Out<nvml::nvmlComputeInstancePlacement_t>,
        count: Out<c_uint>,
    ) {
        let (gpu, state) = instance.mig_now()?;
        let gi = instance.resolve(&state)?;
        let owner = gpu.model().profile(gi.profile).ok_or(Code::UNKNOWN)?;
        let compute = owner.compute_profile(id).ok_or(Code::INVALID_ARGUMENT)?;
        let size = compute.sm_slices;
        let starts = 0..=owner.sm_slices.saturating_sub(size);
        count.put(starts.end() + 1)?;
        if placements.is_null() {
            return Ok(());
        }
        placements.put_all(starts.map(|start| nvml::nvmlComputeInstancePlacement_t { start, size }))
    }
}

fn with_profile(
    instance: GpuInstanceHandle,
    constant: c_uint,
    engines: c_uint,
    answer: impl FnOnce(&GiProfile, &CiProfile) -> Outcome,
) -> Outcome {
    let (gpu, state) = instance.now()?;
    let gi = instance.resolve(&state)?;
    if constant >= CONSTANTS || engines != SHARED {
        return Err(Code::INVALID_ARGUMENT);
    }
    let owner = gpu.model().profile(gi.profile).ok_or(Code::UNKNOWN)?;
    let compute = owner.compute.iter().find(|c| c.index == constant);
    answer(owner, compute.ok_or(Code::NOT_SUPPORTED)?)
}

/// How many compute instances of this kind fit on the free SM slices, from left to right.
fn room_for(owner: &GiProfile, compute: &CiProfile, sisters: &[ComputeInstance]) -> u32 {
    let taken = |slice: u32| {
        let within = |ci: &ComputeInstance| {
            (ci.placement.start..ci.placement.start + ci.placement.size).contains(&slice)
        };
        sisters.iter().any(within)
    };
    let (mut run, mut found) = (0, 0);
    for slice in 0..owner.sm_slices {
        run = if taken(slice) { 0 } else { run + 1 };
        if run == compute.sm_slices {
            (run, found) = (0, found + 1);
        }
    }
    let made = sisters.iter().filter(|ci| ci.profile == compute.id).count();
    let left = compute
        .max_count
        .saturating_sub(u32::try_from(made).unwrap_or(u32::MAX));
    found.min(left)
}

fn first_form(owner: &GiProfile, compute: &CiProfile) -> InfoV1 {
    let [copy, decoder, encoder, jpeg, ofa] = owner.engines;
    InfoV1 {
        id: compute.id,
        sliceCount: compute.sm_slices,
        instanceCount: compute.max_count,
        multiprocessorCount: compute.sms,
        sharedCopyEngineCount: copy,
        sharedDecoderCount: decoder,
        sharedEncoderCount: encoder,
        sharedJpegCount: jpeg,
        sharedOfaCount: ofa,
    }
}

/// Fills the structure whose version the caller wrote into it. The name is the one that nvidia-smi prints.
fn put_versioned(owner: &GiProfile, compute: &CiProfile, info: &Out<InfoV2>) -> Outcome {
    let asked = info.first_word()?;
    let part = match compute.sm_slices < owner.sm_slices {
        true => format!("{}c.", compute.sm_slices),
        false => String::new(),
    };
    let second = second_form(
        &first_form(owner, compute),
        asked,
        chars(&format!("MIG {part}{}", owner.name)),
    );
    if asked == version::<InfoV2>(2) {
        return info.put(second);
    }
    if asked == version::<InfoV3>(3) {
        return info.seen_as().put(third_form(&second, owner));
    }
    Err(Code::INVALID_ARGUMENT)
}

fn second_form(first: &InfoV1, version: c_uint, name: [c_char; 96]) -> InfoV2 {
    InfoV2 {
        version,
        id: first.id,
        sliceCount: first.sliceCount,
        instanceCount: first.instanceCount,
        multiprocessorCount: first.multiprocessorCount,
        sharedCopyEngineCount: first.sharedCopyEngineCount,
        sharedDecoderCount: first.sharedDecoderCount,
        sharedEncoderCount: first.sharedEncoderCount,
        sharedJpegCount: first.sharedJpegCount,
        sharedOfaCount: first.sharedOfaCount,
        name,
    }
}

fn third_form(second: &InfoV2, owner: &GiProfile) -> InfoV3 {
    const GRAPHICS: c_uint = nvml::NVML_COMPUTE_INSTANCE_PROFILE_CAPS_GFX;
    InfoV3 {
        version: second.version,
        id: second.id,
        sliceCount: second.sliceCount,
        instanceCount: second.instanceCount,
        multiprocessorCount: second.multiprocessorCount,
        sharedCopyEngineCount: second.sharedCopyEngineCount,
        sharedDecoderCount: second.sharedDecoderCount,
        sharedEncoderCount: second.sharedEncoderCount,
        sharedJpegCount: second.sharedJpegCount,
        sharedOfaCount: second.sharedOfaCount,
        name: second.name,
        capabilities: if owner.has_graphics() { GRAPHICS } else { 0 },
    }
}
