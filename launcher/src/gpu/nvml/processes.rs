//! MIG devices by their ids, and the processes that hold a context: of the GPU where the driver shows them, and of its
//! MIG devices, which a user without privilege may look at too.

use crate::gpu::GpuError;
use crate::gpu::driver::ToldProcess;
use crate::gpu::nvml::NvmlDevice;
use crate::gpu::nvml::code::{check, function, told};
use nvml_wrapper::Device;
use nvml_wrapper::error::NvmlError;

impl NvmlDevice {
    /// Processes with a context on the GPU or on one of its MIG devices.
    pub(super) fn running_processes(&self) -> Result<Vec<ToldProcess>, GpuError> {
        let whole = running(&self.device());
        let mut found = whole.as_ref().map_or_else(|_| Vec::new(), Clone::clone);
        let mut asked = whole.is_ok();
        for mig in self.mig_devices().unwrap_or_default() {
            let (gi, _) = self.ids(&mig)?;
            if let Ok(on_it) = running(&mig) {
                asked = true;
                found.extend(on_it.into_iter().map(|process| ToldProcess {
                    gi: Some(gi),
                    ..process
                }));
            }
        }
        found.sort_by_key(|process| (process.pid, process.gi.is_none()));
        found.dedup_by_key(|process| process.pid);
        match (asked, whole) {
            (false, Err(refused)) => Err(refused),
            _ => Ok(found),
        }
    }

    /// The MIG device of this GPU instance and, where given, this compute instance.
    pub(super) fn mig_device(
        &self,
        gi: u32,
        ci: Option<u32>,
    ) -> Result<Option<Device<'_>>, GpuError> {
        for mig in self.mig_devices()? {
            let (its_gi, its_ci) = self.ids(&mig)?;
            if its_gi == gi && ci.is_none_or(|ci| ci == its_ci) {
                return Ok(Some(mig));
            }
        }
        Ok(None)
    }

    pub(super) fn mig_devices(&self) -> Result<Vec<Device<'_>>, GpuError> {
        let device = self.device();
        let most = device
            .mig_device_count()
            .map_err(told("nvmlDeviceGetMaxMigDeviceCount"))?;
        let mut found = Vec::new();
        for index in 0..most {
            match device.mig_device_by_index(index) {
                // SAFETY: the handle came from this very library; the new value lives as long as `self`.
                Ok(mig) => found.push(unsafe { Device::new(mig.handle(), &self.nvml) }),
                // A hole in the numbering.
                Err(NvmlError::NotFound) => {}
                Err(error) => return Err(told("nvmlDeviceGetMigDeviceHandleByIndex")(error)),
            }
        }
        Ok(found)
    }

    pub(super) fn ids(&self, mig: &Device<'_>) -> Result<(u32, u32), GpuError> {
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

fn running(device: &Device<'_>) -> Result<Vec<ToldProcess>, GpuError> {
    let all = device
        .running_compute_processes()
        .map_err(told("nvmlDeviceGetComputeRunningProcesses_v3"))?;
    let process = |process: nvml_wrapper::struct_wrappers::device::ProcessInfo| ToldProcess {
        pid: process.pid,
        gi: process.gpu_instance_id,
    };
    Ok(all.into_iter().map(process).collect())
}
