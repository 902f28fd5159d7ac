//! GPU instances and compute instances: listed, created and destroyed, one driver call after the other.

use crate::gpu::GpuError;
use crate::gpu::driver::{ProfileId, ToldInstance};
use crate::gpu::nvml::NvmlDevice;
use crate::gpu::nvml::code::{check, function};
use crate::gpu::nvml::profiles::{CONSTANTS, placement};
use migfit_mig::Placement;
use nvml_wrapper_sys::bindings as sys;

/// NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED, the only one there is.
const SHARED_ENGINES: u32 = 0;

impl NvmlDevice {
    /// GPU instances of a MIG profile of which at most `count` can exist.
    pub(super) fn gpu_instances(
        &self,
        ProfileId(profile): ProfileId,
        count: u32,
    ) -> Result<Vec<ToldInstance>, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstances";
        if count == 0 {
            return Ok(Vec::new());
        }
        let call = function(&self.nvml.lib().nvmlDeviceGetGpuInstances, CALL)?;
        let mut found = vec![std::ptr::null_mut(); count as usize];
        let mut length = count;
        // SAFETY: the array has room for as many as can exist of this MIG profile, and `length` says so.
        let code = unsafe { call(self.handle, profile, found.as_mut_ptr(), &raw mut length) };
        check(code, CALL)?;
        found.truncate(length as usize);
        found
            .into_iter()
            .map(|instance| self.info(instance))
            .collect()
    }

    /// Creates a GPU instance at a place. One that was made and does not tell what it is goes again.
    pub(super) fn create_gpu_instance(
        &self,
        ProfileId(profile): ProfileId,
        place: Placement,
    ) -> Result<ToldInstance, GpuError> {
        const CALL: &str = "nvmlDeviceCreateGpuInstanceWithPlacement";
        let call = function(
            &self.nvml.lib().nvmlDeviceCreateGpuInstanceWithPlacement,
            CALL,
        )?;
        let at = sys::nvmlGpuInstancePlacement_t {
            start: place.start,
            size: place.size,
        };
        let mut made = std::ptr::null_mut();
        // SAFETY: both structures live through the call; the driver writes one handle.
        let code = unsafe { call(self.handle, profile, &raw const at, &raw mut made) };
        check(code, CALL)?;
        self.info(made)
            .map_err(|cause| match self.destroy_by_handle(made) {
                Ok(()) => cause,
                Err(rollback) => GpuError::Unnamed {
                    place,
                    cause: Box::new(cause),
                    rollback: Box::new(rollback),
                },
            })
    }

    /// Creates the compute instance that takes all `sm_slices` of a GPU instance; returns its id.
    pub(super) fn create_full_compute_instance(
        &self,
        gi: u32,
        sm_slices: u32,
    ) -> Result<u32, GpuError> {
        const CALL: &str = "nvmlGpuInstanceCreateComputeInstance";
        let call = function(&self.nvml.lib().nvmlGpuInstanceCreateComputeInstance, CALL)?;
        let instance = self.instance(gi)?;
        let profile = self.full_compute_profile(instance, sm_slices)?;
        let mut made = std::ptr::null_mut();
        // SAFETY: the handle comes from this library; the driver writes one handle.
        let code = unsafe { call(instance, profile, &raw mut made) };
        check(code, CALL)?;
        self.compute_id(made)
    }

    /// Destroys a compute instance.
    pub(super) fn destroy_compute_instance(&self, gi: u32, ci: u32) -> Result<(), GpuError> {
        const FIND: &str = "nvmlGpuInstanceGetComputeInstanceById";
        const CALL: &str = "nvmlComputeInstanceDestroy";
        let find = function(&self.nvml.lib().nvmlGpuInstanceGetComputeInstanceById, FIND)?;
        let call = function(&self.nvml.lib().nvmlComputeInstanceDestroy, CALL)?;
        let mut found = std::ptr::null_mut();
        // SAFETY: the handle comes from this library; the driver writes one handle.
        let code = unsafe { find(self.instance(gi)?, ci, &raw mut found) };
        check(code, FIND)?;
        // SAFETY: the handle was just given by the driver.
        let code = unsafe { call(found) };
        check(code, CALL)
    }

    /// Destroys a GPU instance, which must hold no compute instance.
    pub(super) fn destroy_gpu_instance(&self, gi: u32) -> Result<(), GpuError> {
        self.destroy_by_handle(self.instance(gi)?)
    }

    fn destroy_by_handle(&self, instance: sys::nvmlGpuInstance_t) -> Result<(), GpuError> {
        const CALL: &str = "nvmlGpuInstanceDestroy";
        let call = function(&self.nvml.lib().nvmlGpuInstanceDestroy, CALL)?;
        // SAFETY: the handle was just given by the driver.
        let code = unsafe { call(instance) };
        check(code, CALL)
    }

    /// The GPU instance with this id.
    pub(super) fn instance_info(&self, gi: u32) -> Result<ToldInstance, GpuError> {
        self.info(self.instance(gi)?)
    }

    fn instance(&self, gi: u32) -> Result<sys::nvmlGpuInstance_t, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstanceById";
        let call = function(&self.nvml.lib().nvmlDeviceGetGpuInstanceById, CALL)?;
        let mut found = std::ptr::null_mut();
        // SAFETY: the driver writes one handle.
        let code = unsafe { call(self.handle, gi, &raw mut found) };
        check(code, CALL)?;
        Ok(found)
    }

    fn info(&self, instance: sys::nvmlGpuInstance_t) -> Result<ToldInstance, GpuError> {
        const CALL: &str = "nvmlGpuInstanceGetInfo";
        let call = function(&self.nvml.lib().nvmlGpuInstanceGetInfo, CALL)?;
        // SAFETY: null pointers and zeros are a valid value of this plain C structure.
        let mut info: sys::nvmlGpuInstanceInfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the handle comes from this library; `info` is a whole structure of the driver's layout.
        let code = unsafe { call(instance, &raw mut info) };
        check(code, CALL)?;
        Ok(ToldInstance {
            gi: info.id,
            profile: ProfileId(info.profileId),
            placement: placement(info.placement),
        })
    }

    fn compute_id(&self, compute: sys::nvmlComputeInstance_t) -> Result<u32, GpuError> {
        const CALL: &str = "nvmlComputeInstanceGetInfo_v2";
        let call = function(&self.nvml.lib().nvmlComputeInstanceGetInfo_v2, CALL)?;
        // SAFETY: null pointers and zeros are a valid value of this plain C structure.
        let mut info: sys::nvmlComputeInstanceInfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the handle comes from this library; `info` is a whole structure of the driver's layout.
        let code = unsafe { call(compute, &raw mut info) };
        check(code, CALL)?;
        Ok(info.id)
    }

    /// The compute profile with that many SM slices; which constant names it differs between boards.
    fn full_compute_profile(
        &self,
        instance: sys::nvmlGpuInstance_t,
        sm_slices: u32,
    ) -> Result<u32, GpuError> {
        const CALL: &str = "nvmlGpuInstanceGetComputeInstanceProfileInfo";
        let call = function(
            &self.nvml.lib().nvmlGpuInstanceGetComputeInstanceProfileInfo,
            CALL,
        )?;
        for constant in 0..CONSTANTS {
            // SAFETY: zeros are a valid value of this plain C structure.
            let mut info: sys::nvmlComputeInstanceProfileInfo_t = unsafe { std::mem::zeroed() };
            // SAFETY: the handle comes from this library; `info` is a whole structure of the driver's layout.
            match unsafe { call(instance, constant, SHARED_ENGINES, &raw mut info) } {
                sys::nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED => continue,
                sys::nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT => break,
                code => check(code, CALL)?,
            }
            if info.sliceCount == sm_slices {
                return Ok(info.id);
            }
        }
        Err(GpuError::Driver {
            call: CALL,
            reason: format!("no compute instance has all {sm_slices} SM slices"),
        })
    }
}
