//! MIG profiles of the GPU: what they are, where they may lie, how many more fit.

use crate::border::{Out, chars, version};
use crate::code::{Code, Outcome};
use crate::handle::DeviceHandle;
use crate::handle::OfGpu;
use migfit_vgpu_device::{GiProfile, Model};
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::c_uint;

/// Number of profile constants in nvml.h 13.5; the bindings are older and have one fewer.
pub const CONSTANTS: c_uint = 18;

type InfoV1 = nvml::nvmlGpuInstanceProfileInfo_t;
type InfoV2 = nvml::nvmlGpuInstanceProfileInfo_v2_t;
type InfoV3 = nvml::nvmlGpuInstanceProfileInfo_v3_t;

exports! {
    /// A MIG profile by its constant.
    fn nvmlDeviceGetGpuInstanceProfileInfo(device: DeviceHandle, constant: c_uint, info: Out<InfoV1>) {
        let gpu = device.owner()?;
        device.require_gpu()?;
        info.put(first_form(by_constant(gpu.model(), constant)?))
    }

    /// A MIG profile by its constant, in the versioned structures, which carry its name.
    fn nvmlDeviceGetGpuInstanceProfileInfoV(device: DeviceHandle, constant: c_uint, info: Out<InfoV2>) {
        let (gpu, state) = device.now()?;
        device.require_gpu()?;
        let found = by_constant(gpu.model(), constant);
        // Past the last constant the answer is the same with MIG off: who asks until then comes to an end.
        if !state.mig_mode && found != Err(Code::INVALID_ARGUMENT) {
            return Err(Code::NOT_SUPPORTED);
        }
        put_versioned(found?, &info)
    }

    /// The same by its id.
    fn nvmlDeviceGetGpuInstanceProfileInfoByIdV(device: DeviceHandle, id: c_uint, info: Out<InfoV2>) {
        let (gpu, _) = device.mig_now()?;
        device.require_gpu()?;
        put_versioned(by_id(gpu.model(), id)?, &info)
    }

    /// All legal placements, occupied or not.
    fn nvmlDeviceGetGpuInstancePossiblePlacements(
        device: DeviceHandle, id: c_uint, placements: Out<nvml::nvmlGpuInstancePlacement_t>, count: Out<c_uint>,
    ) {
        put_placements(device, id, &placements, &count)
    }

    /// All legal placements, occupied or not.
    fn nvmlDeviceGetGpuInstancePossiblePlacements_v2(
        device: DeviceHandle, id: c_uint, placements: Out<nvml::nvmlGpuInstancePlacement_t>, count: Out<c_uint>,
    ) {
        put_placements(device, id, &placements, &count)
    }

    /// How many more fit when nothing else is made.
    fn nvmlDeviceGetGpuInstanceRemainingCapacity(device: DeviceHandle, id: c_uint, count: Out<c_uint>) {
        let (gpu, state) = device.mig_now()?;
        device.require_gpu()?;
        let profile = by_id(gpu.model(), id)?;
        let places = gpu.free_placements(id)?.len();
        let made = state.gpu_instances.iter().filter(|gi| gi.profile == id).count();
        let left = (profile.max_count as usize).saturating_sub(made);
        count.put(u32::try_from(places.min(left)).unwrap_or(u32::MAX))
    }
}

/// The MIG profile with this constant: past the last constant the enumeration is over, before it the GPU may lack it.
fn by_constant(model: &Model, constant: c_uint) -> Outcome<&GiProfile> {
    if constant >= CONSTANTS {
        return Err(Code::INVALID_ARGUMENT);
    }
    let found = model.profiles.iter().find(|p| p.index == constant);
    found.ok_or(Code::NOT_SUPPORTED)
}

/// The MIG profile with this id.
pub fn by_id(model: &Model, id: c_uint) -> Outcome<&GiProfile> {
    match model.has_mig() {
        true => model.profile(id).ok_or(Code::INVALID_ARGUMENT),
        false => Err(Code::NOT_SUPPORTED),
    }
}

fn first_form(profile: &GiProfile) -> InfoV1 {
    let [copy, decoder, encoder, jpeg, ofa] = profile.engines;
    InfoV1 {
        id: profile.id,
        isP2pSupported: 0,
        sliceCount: profile.sm_slices,
        instanceCount: profile.max_count,
        multiprocessorCount: profile.sms,
        copyEngineCount: copy,
        decoderCount: decoder,
        encoderCount: encoder,
        jpegCount: jpeg,
        ofaCount: ofa,
        memorySizeMB: profile.memory.0,
    }
}

/// Fills the structure whose version the caller wrote into it. The name is the one that nvidia-smi prints.
fn put_versioned(profile: &GiProfile, info: &Out<InfoV2>) -> Outcome {
    let asked = info.first_word()?;
    let name = chars(&format!("MIG {}", profile.name));
    let first = first_form(profile);
    if asked == version::<InfoV2>(2) {
        return info.put(second_form(&first, asked, name));
    }
    if asked == version::<InfoV3>(3) {
        return info.seen_as().put(third_form(&first, asked, name, profile));
    }
    Err(Code::INVALID_ARGUMENT)
}

fn second_form(first: &InfoV1, version: c_uint, name: [std::ffi::c_char; 96]) -> InfoV2 {
    InfoV2 {
        version,
        id: first.id,
        isP2pSupported: first.isP2pSupported,
        sliceCount: first.sliceCount,
        instanceCount: first.instanceCount,
        multiprocessorCount: first.multiprocessorCount,
        copyEngineCount: first.copyEngineCount,
        decoderCount: first.decoderCount,
        encoderCount: first.encoderCount,
        jpegCount: first.jpegCount,
        ofaCount: first.ofaCount,
        memorySizeMB: first.memorySizeMB,
        name,
    }
}

fn third_form(
    first: &InfoV1,
    version: c_uint,
    name: [std::ffi::c_char; 96],
    profile: &GiProfile,
) -> InfoV3 {
    const GRAPHICS: c_uint = nvml::NVML_GPU_INSTANCE_PROFILE_CAPS_GFX;
    InfoV3 {
        version,
        id: first.id,
        sliceCount: first.sliceCount,
        instanceCount: first.instanceCount,
        multiprocessorCount: first.multiprocessorCount,
        copyEngineCount: first.copyEngineCount,
        decoderCount: first.decoderCount,
        encoderCount: first.encoderCount,
        jpegCount: first.jpegCount,
        ofaCount: first.ofaCount,
        memorySizeMB: first.memorySizeMB,
        name,
        capabilities: if profile.has_graphics() { GRAPHICS } else { 0 },
    }
}

fn put_placements(
    device: DeviceHandle,
    id: c_uint,
    placements: &Out<nvml::nvmlGpuInstancePlacement_t>,
    count: &Out<c_uint>,
) -> Outcome {
    let gpu = device.owner()?;
    device.require_gpu()?;
    let profile = by_id(gpu.model(), id)?;
    count.put(u32::try_from(profile.starts.len()).unwrap_or(u32::MAX))?;
    if placements.is_null() {
        return Ok(());
    }
    let size = profile.memory_slices;
    let starts = profile.starts.iter();
    placements.put_all(starts.map(|&start| nvml::nvmlGpuInstancePlacement_t { start, size }))
}
