//! One GPU through NVML: its board, its MIG mode, and the calls of `Driver` that fit in a line. The handle is kept:
//! looking it up anew may take seconds while others use the driver.

use crate::gpu::GpuError;
use crate::gpu::driver::{
    Driver, MigMode, ProfileId, ToldBoard, ToldInstance, ToldMemory, ToldProcess, ToldProfile,
    ToldSlice,
};
use crate::gpu::nvml::Library;
use crate::gpu::nvml::code::told;
use migfit_mig::Placement;
use migfit_schema::units::Bytes;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};
use nvml_wrapper_sys::bindings as sys;
use std::rc::Rc;

/// One GPU behind a started NVML.
pub struct NvmlDevice {
    pub(super) nvml: Rc<Nvml>,
    pub(super) handle: sys::nvmlDevice_t,
    uuid: String,
}

impl NvmlDevice {
    /// The GPU of this handle.
    ///
    /// # Errors
    /// When the driver does not tell its UUID.
    pub(super) fn of(library: &Library, device: &Device<'_>) -> Result<NvmlDevice, GpuError> {
        let uuid = device.uuid().map_err(told("nvmlDeviceGetUUID"))?;
        // SAFETY: the handle stays good as long as the library is initialised, which the kept `nvml` sees to.
        let handle = unsafe { device.handle() };
        Ok(NvmlDevice {
            nvml: Rc::clone(&library.nvml),
            handle,
            uuid,
        })
    }

    pub(super) fn device(&self) -> Device<'_> {
        // SAFETY: the handle came from this very library.
        unsafe { Device::new(self.handle, &self.nvml) }
    }

    /// Total and free bytes; the second form first, which does not count the driver's own part as free.
    fn memory(&self) -> Option<ToldMemory> {
        if let Ok(memory) = self.device().memory_info() {
            return Some(ToldMemory {
                total: Bytes(memory.total),
                free: Bytes(memory.free),
            });
        }
        let call = *self.nvml.lib().nvmlDeviceGetMemoryInfo.as_ref().ok()?;
        let mut memory = sys::nvmlMemory_t {
            total: 0,
            free: 0,
            used: 0,
        };
        // SAFETY: the driver writes one structure of this layout.
        let code = unsafe { call(self.handle, &raw mut memory) };
        (code == sys::nvmlReturn_enum_NVML_SUCCESS).then_some(ToldMemory {
            total: Bytes(memory.total),
            free: Bytes(memory.free),
        })
    }
}

impl Driver for NvmlDevice {
    fn uuid(&self) -> &str {
        &self.uuid
    }

    fn minor(&self) -> Option<u32> {
        self.device().minor_number().ok()
    }

    fn version(&self) -> Result<String, GpuError> {
        let version = self.nvml.sys_driver_version();
        version.map_err(told("nvmlSystemGetDriverVersion"))
    }

    fn board(&self) -> Result<ToldBoard, GpuError> {
        let device = self.device();
        let capability = device
            .cuda_compute_capability()
            .map_err(told("nvmlDeviceGetCudaComputeCapability"))?;
        let part = |part: i32| u32::try_from(part).unwrap_or(0);
        Ok(ToldBoard {
            name: device.name().map_err(told("nvmlDeviceGetName"))?,
            compute_capability: (part(capability.major), part(capability.minor)),
            memory: self.memory(),
            cores: device.num_cores().ok(),
            pci_device_id: device.pci_info().ok().map(|pci| pci.pci_device_id >> 16),
        })
    }

    fn mig_mode(&self) -> Result<MigMode, GpuError> {
        match self.device().mig_mode() {
            Ok(mode) => Ok(match (mode.current == 1, mode.pending == 1) {
                (false, false) => MigMode::Off,
                (false, true) => MigMode::TurningOn,
                (true, true) => MigMode::On,
                (true, false) => MigMode::TurningOff,
            }),
            // Also a driver from before MIG.
            Err(
                NvmlError::NotSupported
                | NvmlError::FunctionNotFound
                | NvmlError::FailedToLoadSymbol(_),
            ) => Ok(MigMode::Absent),
            Err(error) => Err(told("nvmlDeviceGetMigMode")(error)),
        }
    }

    fn profiles(&self) -> Result<Vec<ToldProfile>, GpuError> {
        self.all_profiles()
    }

    fn placements(&self, profile: ProfileId) -> Result<Vec<Placement>, GpuError> {
        self.possible_placements(profile)
    }

    fn remaining(&self, profile: ProfileId) -> Result<u32, GpuError> {
        self.remaining_capacity(profile)
    }

    fn instances(&self, profile: ProfileId, count: u32) -> Result<Vec<ToldInstance>, GpuError> {
        self.gpu_instances(profile, count)
    }

    fn create_instance(
        &self,
        profile: ProfileId,
        place: Placement,
    ) -> Result<ToldInstance, GpuError> {
        self.create_gpu_instance(profile, place)
    }

    fn create_full_compute(&self, gi: u32, sm_slices: u32) -> Result<u32, GpuError> {
        self.create_full_compute_instance(gi, sm_slices)
    }

    fn destroy_compute(&self, gi: u32, ci: u32) -> Result<(), GpuError> {
        self.destroy_compute_instance(gi, ci)
    }

    fn destroy_instance(&self, gi: u32) -> Result<(), GpuError> {
        self.destroy_gpu_instance(gi)
    }

    fn mig_uuid(&self, gi: u32, ci: u32) -> Result<Option<String>, GpuError> {
        let found = self.mig_device(gi, Some(ci))?;
        let uuid = found.map(|mig| mig.uuid().map_err(told("nvmlDeviceGetUUID")));
        uuid.transpose()
    }

    fn slices(&self) -> Result<Vec<ToldSlice>, GpuError> {
        self.told_slices()
    }

    fn processes(&self) -> Result<Vec<ToldProcess>, GpuError> {
        self.running_processes()
    }
}
