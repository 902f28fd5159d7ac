//! GPU instances: create, destroy, list, look up.

use crate::border::{In, Out};
use crate::code::{Code, Outcome};
use crate::exports::gpu_profile::by_id;
use crate::handle::{self, DeviceHandle, GpuInstanceHandle, OfGpu};
use migfit_vgpu_device::Placement;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::c_uint;

/// `nvmlGpuInstanceInfo_t` with our form of the handle.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GpuInstanceInfo {
    /// The GPU.
    pub device: DeviceHandle,
    /// GI id.
    pub id: c_uint,
    /// Id of its MIG profile.
    pub profile_id: c_uint,
    /// Its memory slices.
    pub placement: nvml::nvmlGpuInstancePlacement_t,
}

exports! {
    /// Creates a GPU instance where the driver would put it.
    fn nvmlDeviceCreateGpuInstance(device: DeviceHandle, profile: c_uint, created: Out<GpuInstanceHandle>) {
        create(device, profile, None, &created)
    }

    /// Creates a GPU instance at a place.
    fn nvmlDeviceCreateGpuInstanceWithPlacement(
        device: DeviceHandle, profile: c_uint, placement: In<nvml::nvmlGpuInstancePlacement_t>,
        created: Out<GpuInstanceHandle>,
    ) {
        let nvml::nvmlGpuInstancePlacement_t { start, size } = placement.get()?;
        create(device, profile, Some(Placement { start, size }), &created)
    }

    /// Destroys a GPU instance that nothing uses.
    fn nvmlGpuInstanceDestroy(instance: GpuInstanceHandle) {
        let (gpu, state) = instance.mig_now()?;
        let gi = instance.resolve(&state)?;
        Ok(gpu.destroy_gpu_instance(gi.id)?)
    }

    /// GPU instances of one MIG profile; the caller's array holds as many as there can be.
    fn nvmlDeviceGetGpuInstances(
        device: DeviceHandle, profile: c_uint, instances: Out<GpuInstanceHandle>, count: Out<c_uint>,
    ) {
        let (gpu, state) = device.mig_now()?;
        device.require_gpu()?;
        by_id(gpu.model(), profile)?;
        let of_profile = state.gpu_instances.iter().filter(|gi| gi.profile == profile);
        let handles: Vec<GpuInstanceHandle> = of_profile.map(|gi| GpuInstanceHandle::of(device.number(), gi.id)).collect();
        count.put(u32::try_from(handles.len()).unwrap_or(u32::MAX))?;
        instances.put_all(handles)
    }

    /// GPU instance by GI id.
    fn nvmlDeviceGetGpuInstanceById(device: DeviceHandle, id: c_uint, instance: Out<GpuInstanceHandle>) {
        let (_, state) = device.mig_now()?;
        device.require_gpu()?;
        let gi = handle::gpu_instance(&state, id).ok_or(Code::NOT_FOUND)?;
        instance.put(GpuInstanceHandle::of(device.number(), gi.id))
    }

    /// What a GPU instance is and where it lies.
    fn nvmlGpuInstanceGetInfo(instance: GpuInstanceHandle, info: Out<GpuInstanceInfo>) {
        let (_, state) = instance.now()?;
        let gi = instance.resolve(&state)?;
        info.put(GpuInstanceInfo {
            device: instance.board(),
            id: gi.id,
            profile_id: gi.profile,
            placement: nvml::nvmlGpuInstancePlacement_t {
                start: gi.placement.start,
                size: gi.placement.size,
            },
        })
    }
}

/// The room for the handle is checked first: a GPU instance that the caller cannot name would be lost.
fn create(
    device: DeviceHandle,
    profile: c_uint,
    placement: Option<Placement>,
    created: &Out<GpuInstanceHandle>,
) -> Outcome {
    let gpu = device.owner()?;
    device.require_gpu()?;
    if created.is_null() {
        return Err(Code::INVALID_ARGUMENT);
    }
    let gi = gpu.create_gpu_instance(profile, placement)?;
    created.put(GpuInstanceHandle::of(device.number(), gi.id))
}
