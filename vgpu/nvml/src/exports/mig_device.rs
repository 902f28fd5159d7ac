//! MIG devices: from the GPU to them and back, their ids and attributes.

use crate::border::Out;
use crate::code::{Code, Outcome};
use crate::handle::{self, Device, DeviceHandle, OfGpu};
use migfit_vgpu_device::{ComputeInstance, Snapshot};
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::c_uint;

exports! {
    /// Whether a handle is a MIG device's.
    fn nvmlDeviceIsMigDeviceHandle(device: DeviceHandle, answer: Out<c_uint>) {
        let (_, state) = device.now()?;
        answer.put(u32::from(device.resolve(&state)? != Device::Gpu))
    }

    /// How many MIG devices there can be; 0 with MIG off.
    fn nvmlDeviceGetMaxMigDeviceCount(device: DeviceHandle, count: Out<c_uint>) {
        let (gpu, state) = device.now()?;
        device.require_gpu()?;
        count.put(if state.mig_mode { gpu.model().sm_slices } else { 0 })
    }

    /// The MIG device at an index.
    fn nvmlDeviceGetMigDeviceHandleByIndex(device: DeviceHandle, index: c_uint, mig_device: Out<DeviceHandle>) {
        let (gpu, state) = device.mig_now()?;
        device.require_gpu()?;
        if index >= gpu.model().sm_slices {
            return Err(Code::INVALID_ARGUMENT);
        }
        let ci = state.compute_instances.get(index as usize).ok_or(Code::NOT_FOUND)?;
        mig_device.put(DeviceHandle::mig(device.number(), ci.gpu_instance, ci.id))
    }

    /// The GPU that a MIG device lies on.
    fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle(mig_device: DeviceHandle, device: Out<DeviceHandle>) {
        let (_, state) = mig_device.now()?;
        mig_device.require_mig(&state)?;
        device.put(mig_device.board())
    }

    /// GI id of a MIG device.
    fn nvmlDeviceGetGpuInstanceId(device: DeviceHandle, id: Out<c_uint>) {
        let (_, state) = device.now()?;
        id.put(device.require_mig(&state)?.gpu_instance)
    }

    /// CI id of a MIG device.
    fn nvmlDeviceGetComputeInstanceId(device: DeviceHandle, id: Out<c_uint>) {
        let (_, state) = device.now()?;
        id.put(device.require_mig(&state)?.id)
    }

    /// Attributes of a MIG device.
    fn nvmlDeviceGetAttributes(device: DeviceHandle, attributes: Out<nvml::nvmlDeviceAttributes_t>) {
        put_attributes(device, &attributes)
    }

    /// Attributes of a MIG device.
    fn nvmlDeviceGetAttributes_v2(device: DeviceHandle, attributes: Out<nvml::nvmlDeviceAttributes_t>) {
        put_attributes(device, &attributes)
    }
}

/// Index of a MIG device: how many come before it by GI id and CI id, as nvidia-smi numbers them. nvml.h allows holes,
/// but nvitop ends its list at the first.
pub fn mig_index(state: &Snapshot, ci: &ComputeInstance) -> Outcome<c_uint> {
    let all = &state.compute_instances;
    let place = all.iter().position(|other| other == ci);
    let index = place.and_then(|place| c_uint::try_from(place).ok());
    index.ok_or(Code::INVALID_ARGUMENT)
}

fn put_attributes(device: DeviceHandle, attributes: &Out<nvml::nvmlDeviceAttributes_t>) -> Outcome {
    let (gpu, state) = device.now()?;
    let ci = device.require_mig(&state)?;
    let owner = handle::gpu_instance(&state, ci.gpu_instance).ok_or(Code::INVALID_ARGUMENT)?;
    let profile = gpu.model().profile(owner.profile).ok_or(Code::UNKNOWN)?;
    let compute = profile.compute_profile(ci.profile).ok_or(Code::UNKNOWN)?;
    let [copy, decoder, encoder, jpeg, ofa] = profile.engines;
    attributes.put(nvml::nvmlDeviceAttributes_t {
        multiprocessorCount: compute.sms,
        sharedCopyEngineCount: copy,
        sharedDecoderCount: decoder,
        sharedEncoderCount: encoder,
        sharedJpegCount: jpeg,
        sharedOfaCount: ofa,
        gpuInstanceSliceCount: profile.sm_slices,
        computeInstanceSliceCount: compute.sm_slices,
        memorySizeMB: profile.memory.0,
    })
}
