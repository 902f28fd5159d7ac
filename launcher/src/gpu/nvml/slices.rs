//! MIG devices that exist, by what any user may ask: ids, name, attributes.

use crate::gpu::GpuError;
use crate::gpu::driver::ToldSlice;
use crate::gpu::nvml::NvmlDevice;
use crate::gpu::nvml::code::told;
use nvml_wrapper::Device;

impl NvmlDevice {
    /// All MIG devices of this GPU.
    pub(super) fn told_slices(&self) -> Result<Vec<ToldSlice>, GpuError> {
        let all = self.mig_devices()?;
        all.iter().map(|mig| self.told_slice(mig)).collect()
    }

    fn told_slice(&self, mig: &Device<'_>) -> Result<ToldSlice, GpuError> {
        let (gi, ci) = self.ids(mig)?;
        let attributes = mig
            .attributes()
            .map_err(told("nvmlDeviceGetAttributes_v2"))?;
        Ok(ToldSlice {
            uuid: mig.uuid().map_err(told("nvmlDeviceGetUUID"))?,
            gi,
            ci,
            name: mig.name().ok(),
            sm_slices: attributes.gpu_instance_slice_count,
            sms: attributes.multiprocessor_count,
            memory_mib: attributes.memory_size_mb,
            // Refused to a user without privilege.
            placement: self.instance_info(gi).ok().map(|told| told.placement),
        })
    }
}
