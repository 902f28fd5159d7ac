//! Compute instances: create, destroy, list, look up.

use crate::border::{In, Out};
use crate::code::{Code, Outcome};
use crate::handle::{ComputeInstanceHandle, DeviceHandle, GpuInstanceHandle, OfGpu};
use migfit_vgpu_device::Placement;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::c_uint;

/// `nvmlComputeInstanceInfo_t` with our form of the handles.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ComputeInstanceInfo {
    /// The GPU.
    pub device: DeviceHandle,
    /// Its GPU instance.
    pub gpu_instance: GpuInstanceHandle,
    /// CI id within the GPU instance.
    pub id: c_uint,
    /// Id of its kind.
    pub profile_id: c_uint,
    /// Its SM slices within the GPU instance.
    pub placement: nvml::nvmlComputeInstancePlacement_t,
}

exports! {
    /// Creates a compute instance on the first SM slices that are free.
    fn nvmlGpuInstanceCreateComputeInstance(
        instance: GpuInstanceHandle, profile: c_uint, created: Out<ComputeInstanceHandle>,
    ) {
        create(instance, profile, None, &created)
    }

    /// Creates a compute instance at a place within the GPU instance.
    fn nvmlGpuInstanceCreateComputeInstanceWithPlacement(
        instance: GpuInstanceHandle, profile: c_uint, placement: In<nvml::nvmlComputeInstancePlacement_t>,
        created: Out<ComputeInstanceHandle>,
    ) {
        let nvml::nvmlComputeInstancePlacement_t { start, size } = placement.get()?;
        create(instance, profile, Some(Placement { start, size }), &created)
    }

    /// Destroys a compute instance on which no process runs.
    fn nvmlComputeInstanceDestroy(instance: ComputeInstanceHandle) {
        let (gpu, state) = instance.now()?;
        let ci = instance.resolve(&state)?;
        Ok(gpu.destroy_compute_instance(ci.gpu_instance, ci.id)?)
    }

    /// Compute instances of one kind; the caller's array holds as many as there can be.
    fn nvmlGpuInstanceGetComputeInstances(
        instance: GpuInstanceHandle, profile: c_uint, instances: Out<ComputeInstanceHandle>, count: Out<c_uint>,
    ) {
        let (gpu, state) = instance.now()?;
        let gi = instance.resolve(&state)?;
        let owner = gpu.model().profile(gi.profile).ok_or(Code::UNKNOWN)?;
        owner.compute_profile(profile).ok_or(Code::INVALID_ARGUMENT)?;
        let all = state.compute_instances.iter();
        let of_profile = all.filter(|ci| ci.gpu_instance == gi.id && ci.profile == profile);
        let handles: Vec<ComputeInstanceHandle> =
            of_profile.map(|ci| ComputeInstanceHandle::of(instance.number(), gi.id, ci.id)).collect();
        count.put(u32::try_from(handles.len()).unwrap_or(u32::MAX))?;
        instances.put_all(handles)
    }

    /// Compute instance by CI id.
    fn nvmlGpuInstanceGetComputeInstanceById(
        instance: GpuInstanceHandle, id: c_uint, found: Out<ComputeInstanceHandle>,
    ) {
        let (_, state) = instance.mig_now()?;
        let gi = instance.resolve(&state)?;
        let mut all = state.compute_instances.iter();
        let ci = all.find(|ci| ci.gpu_instance == gi.id && ci.id == id).ok_or(Code::NOT_FOUND)?;
        found.put(ComputeInstanceHandle::of(instance.number(), gi.id, ci.id))
    }

    /// What a compute instance is and where it lies.
    fn nvmlComputeInstanceGetInfo(instance: ComputeInstanceHandle, info: Out<ComputeInstanceInfo>) {
        put_info(instance, &info)
    }

    /// What a compute instance is and where it lies.
    fn nvmlComputeInstanceGetInfo_v2(instance: ComputeInstanceHandle, info: Out<ComputeInstanceInfo>) {
        put_info(instance, &info)
    }
}

/// The room for the handle is checked first: a compute instance that the caller cannot name would be lost.
fn create(
    instance: GpuInstanceHandle,
    profile: c_uint,
    placement: Option<Placement>,
    created: &Out<ComputeInstanceHandle>,
) -> Outcome {
    let (gpu, state) = instance.now()?;
    let gi = instance.resolve(&state)?;
    if created.is_null() {
        return Err(Code::INVALID_ARGUMENT);
    }
    let ci = gpu.create_compute_instance(gi.id, profile, placement)?;
    created.put(ComputeInstanceHandle::of(instance.number(), gi.id, ci.id))
}

fn put_info(instance: ComputeInstanceHandle, info: &Out<ComputeInstanceInfo>) -> Outcome {
    let (_, state) = instance.now()?;
    let ci = instance.resolve(&state)?;
    info.put(ComputeInstanceInfo {
        device: instance.board(),
        gpu_instance: GpuInstanceHandle::of(instance.number(), ci.gpu_instance),
        id: ci.id,
        profile_id: ci.profile,
        placement: nvml::nvmlComputeInstancePlacement_t {
            start: ci.placement.start,
            size: ci.placement.size,
        },
    })
}
