//! The only file that knows NVML, and the only unsafe one of the GPU: one safe method per driver function that we
//! call, with our own types and errors. Knows no model, no plan and no job.

use crate::gpu::{GpuError, Which};
use migfit_mig::Placement;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use nvml_wrapper_sys::bindings as sys;
use std::path::{Path, PathBuf};

/// NVML's constants are asked for from 0 until the driver knows no more; this ends it where one never does.
const CONSTANTS: u32 = 64;
/// NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_SHARED, the only one there is.
const SHARED_ENGINES: u32 = 0;

/// NVML's number to ask about a MIG profile with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileIndex(pub u32);

/// The number that NVML returns for a MIG profile and creates with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileId(pub u32);

/// A MIG profile as the driver tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldProfile {
    /// Number to ask with.
    pub index: ProfileIndex,
    /// Number to create with.
    pub id: ProfileId,
    /// SM slices.
    pub sm_slices: u32,
    /// SMs.
    pub sms: u32,
    /// How many can exist.
    pub count: u32,
    /// Memory in MiB (which NVML calls MB).
    pub memory_mib: u64,
}

/// A GPU instance as the driver tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldInstance {
    /// Its id.
    pub gi: u32,
    /// Its MIG profile.
    pub profile: ProfileId,
    /// Where it lies.
    pub placement: Placement,
}

/// One GPU behind a loaded NVML.
pub struct NvmlDevice {
    nvml: Nvml,
    uuid: String,
}

impl NvmlDevice {
    /// Loads this library (none: the system's) and finds the GPU.
    ///
    /// # Errors
    /// When one of them is missing.
    pub fn open(library: Option<&Path>, which: &Which) -> Result<NvmlDevice, GpuError> {
        let name = library.unwrap_or(Path::new("libnvidia-ml.so.1"));
        let loaded = Nvml::builder().lib_path(name.as_os_str()).init();
        let nvml = loaded.map_err(|error| match error {
            NvmlError::LibloadingError(loader) => GpuError::NoLibrary {
                library: PathBuf::from(name),
                reason: loader.to_string(),
            },
            other => no_gpu(which, &other),
        })?;
        let uuid = match which {
            Which::Index(index) => nvml.device_by_index(*index),
            Which::Uuid(uuid) => nvml.device_by_uuid(uuid.as_str()),
        }
        .and_then(|device| device.uuid())
        .map_err(|error| no_gpu(which, &error))?;
        Ok(NvmlDevice { nvml, uuid })
    }

    /// GPU UUID.
    pub fn uuid(&self) -> &str {
        &self.uuid
    }

    /// The board's name.
    pub fn name(&self) -> Result<String, GpuError> {
        self.device()?.name().map_err(told("nvmlDeviceGetName"))
    }

    /// The driver's version.
    pub fn driver(&self) -> Result<String, GpuError> {
        let version = self.nvml.sys_driver_version();
        version.map_err(told("nvmlSystemGetDriverVersion"))
    }

    /// Whether MIG mode is on.
    pub fn mig_mode(&self) -> Result<bool, GpuError> {
        match self.device()?.mig_mode() {
            Ok(mode) => Ok(mode.current == 1),
            Err(NvmlError::NotSupported) => Ok(false),
            Err(error) => Err(told("nvmlDeviceGetMigMode")(error)),
        }
    }

    /// All MIG profiles that the driver offers on this GPU.
    pub fn profiles(&self) -> Result<Vec<ToldProfile>, GpuError> {
        let device = self.device()?;
        let mut found = Vec::new();
        for index in 0..CONSTANTS {
            let info = match device.profile_info(index) {
                Ok(info) => info,
                Err(NvmlError::InvalidArg) => break,
                Err(NvmlError::NotSupported) => continue,
                Err(error) => return Err(told("nvmlDeviceGetGpuInstanceProfileInfo")(error)),
            };
            found.push(ToldProfile {
                index: ProfileIndex(index),
                id: ProfileId(info.id),
                sm_slices: info.slice_count,
                sms: info.multiprocessor_count,
                count: info.instance_count,
                memory_mib: info.memory_size_mb,
            });
        }
        Ok(found)
    }

    /// Legal placements of a MIG profile. (The wrapper's own form of this always returns nothing.)
    pub fn placements(&self, ProfileId(profile): ProfileId) -> Result<Vec<Placement>, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstancePossiblePlacements_v2";
        let call = function(
            &self
                .nvml
                .lib()
                .nvmlDeviceGetGpuInstancePossiblePlacements_v2,
            CALL,
        )?;
        let handle = self.handle()?;
        let mut count = 0;
        // SAFETY: no array is given, so the driver only writes the count.
        let code = unsafe { call(handle, profile, std::ptr::null_mut(), &raw mut count) };
        check(code, CALL)?;
        let mut found = vec![sys::nvmlGpuInstancePlacement_t { start: 0, size: 0 }; count as usize];
        // SAFETY: the array has room for the `count` entries that the driver asked for.
        let code = unsafe { call(handle, profile, found.as_mut_ptr(), &raw mut count) };
        check(code, CALL)?;
        found.truncate(count as usize);
        Ok(found.into_iter().map(placement).collect())
    }

    /// GPU instances of a MIG profile of which at most `count` can exist.
    pub fn instances(
        &self,
        ProfileId(profile): ProfileId,
        count: u32,
    ) -> Result<Vec<ToldInstance>, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstances";
        let call = function(&self.nvml.lib().nvmlDeviceGetGpuInstances, CALL)?;
        let mut found = vec![std::ptr::null_mut(); count as usize];
        let mut length = count;
        // SAFETY: the array has room for as many as can exist of this MIG profile, and `length` says so.
        let code = unsafe { call(self.handle()?, profile, found.as_mut_ptr(), &raw mut length) };
        check(code, CALL)?;
        found.truncate(length as usize);
        found
            .into_iter()
            .map(|instance| self.info(instance))
            .collect()
    }

    /// Creates a GPU instance at a place.
    pub fn create_instance(
        &self,
        ProfileId(profile): ProfileId,
        place: Placement,
    ) -> Result<ToldInstance, GpuError> {
        const CALL: &str = "nvmlDeviceCreateGpuInstanceWithPlacement";
        let call = function(
            &self.nvml.lib().nvmlDeviceCreateGpuInstanceWithPlacement,
            CALL,
        )?;
        let place = sys::nvmlGpuInstancePlacement_t {
            start: place.start,
            size: place.size,
        };
        let mut made = std::ptr::null_mut();
        // SAFETY: both structures live through the call; the driver writes one handle.
        let code = unsafe { call(self.handle()?, profile, &raw const place, &raw mut made) };
        check(code, CALL)?;
        self.info(made).inspect_err(|_| {
            if let Ok(destroy) = function(&self.nvml.lib().nvmlGpuInstanceDestroy, CALL) {
                // SAFETY: the handle was just given by the driver.
                let _ = unsafe { destroy(made) };
            }
        })
    }

    /// Creates the compute instance that takes all `sm_slices` of a GPU instance; returns its id.
    pub fn create_full_compute(&self, gi: u32, sm_slices: u32) -> Result<u32, GpuError> {
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
    pub fn destroy_compute(&self, gi: u32, ci: u32) -> Result<(), GpuError> {
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
    pub fn destroy_instance(&self, gi: u32) -> Result<(), GpuError> {
        const CALL: &str = "nvmlGpuInstanceDestroy";
        let call = function(&self.nvml.lib().nvmlGpuInstanceDestroy, CALL)?;
        // SAFETY: the handle was just given by the driver.
        let code = unsafe { call(self.instance(gi)?) };
        check(code, CALL)
    }

    /// UUID of the MIG device of this GPU instance and compute instance; none where there is none.
    pub fn mig_uuid(&self, gi: u32, ci: u32) -> Result<Option<String>, GpuError> {
        let device = self.device()?;
        let most = device
            .mig_device_count()
            .map_err(told("nvmlDeviceGetMaxMigDeviceCount"))?;
        for index in 0..most {
            let mig = match device.mig_device_by_index(index) {
                Ok(mig) => mig,
                // A hole in the numbering.
                Err(NvmlError::NotFound) => continue,
                Err(error) => return Err(told("nvmlDeviceGetMigDeviceHandleByIndex")(error)),
            };
            if self.ids(&mig)? == (gi, ci) {
                return mig.uuid().map(Some).map_err(told("nvmlDeviceGetUUID"));
            }
        }
        Ok(None)
    }

    fn device(&self) -> Result<Device<'_>, GpuError> {
        let device = self.nvml.device_by_uuid(self.uuid.as_str());
        device.map_err(told("nvmlDeviceGetHandleByUUID"))
    }

    fn handle(&self) -> Result<sys::nvmlDevice_t, GpuError> {
        let device = self.device()?;
        // SAFETY: the handle stays good as long as the library is initialised, which `self.nvml` sees to.
        Ok(unsafe { device.handle() })
    }

    fn instance(&self, gi: u32) -> Result<sys::nvmlGpuInstance_t, GpuError> {
        const CALL: &str = "nvmlDeviceGetGpuInstanceById";
        let call = function(&self.nvml.lib().nvmlDeviceGetGpuInstanceById, CALL)?;
        let mut found = std::ptr::null_mut();
        // SAFETY: the driver writes one handle.
        let code = unsafe { call(self.handle()?, gi, &raw mut found) };
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

    fn ids(&self, mig: &Device<'_>) -> Result<(u32, u32), GpuError> {
        const GI: &str = "nvmlDeviceGetGpuInstanceId";
        const CI: &str = "nvmlDeviceGetComputeInstanceId";
        let gi_of = function(&self.nvml.lib().nvmlDeviceGetGpuInstanceId, GI)?;
        let ci_of = function(&self.nvml.lib().nvmlDeviceGetComputeInstanceId, CI)?;
        let (mut gi, mut ci) = (0, 0);
        // SAFETY: the handle is only passed to the library that it came from, while `mig` lives.
        let handle = unsafe { mig.handle() };
        // SAFETY: the driver writes one number.
        let code = unsafe { gi_of(handle, &raw mut gi) };
        check(code, GI)?;
        // SAFETY: the driver writes one number.
        let code = unsafe { ci_of(handle, &raw mut ci) };
        check(code, CI)?;
        Ok((gi, ci))
    }
}

fn placement(told: sys::nvmlGpuInstancePlacement_t) -> Placement {
    Placement {
        start: told.start,
        size: told.size,
    }
}

/// The pointer of a function that this driver has; the bindings' own wrappers panic where it has not.
fn function<F: Copy, E>(found: &Result<F, E>, call: &'static str) -> Result<F, GpuError> {
    found
        .as_ref()
        .copied()
        .map_err(|_| GpuError::NoFunction { call })
}

fn check(code: sys::nvmlReturn_t, call: &'static str) -> Result<(), GpuError> {
    match code {
        sys::nvmlReturn_enum_NVML_SUCCESS => Ok(()),
        sys::nvmlReturn_enum_NVML_ERROR_NO_PERMISSION => Err(GpuError::NoPermission { call }),
        sys::nvmlReturn_enum_NVML_ERROR_IN_USE => Err(GpuError::InUse { call }),
        sys::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_RESOURCES => Err(GpuError::NoRoom { call }),
        sys::nvmlReturn_enum_NVML_ERROR_NOT_FOUND => Err(GpuError::NotFound { call }),
        other => Err(GpuError::Driver {
            call,
            reason: format!("NVML error {other}"),
        }),
    }
}

fn told(call: &'static str) -> impl Fn(NvmlError) -> GpuError {
    move |error| match error {
        NvmlError::NoPermission => GpuError::NoPermission { call },
        NvmlError::InUse => GpuError::InUse { call },
        NvmlError::NotFound => GpuError::NotFound { call },
        NvmlError::FailedToLoadSymbol(_) => GpuError::NoFunction { call },
        other => GpuError::Driver {
            call,
            reason: other.to_string(),
        },
    }
}

fn no_gpu(which: &Which, error: &NvmlError) -> GpuError {
    GpuError::NoGpu {
        which: which.to_string(),
        reason: error.to_string(),
    }
}
