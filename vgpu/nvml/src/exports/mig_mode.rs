//! The switch for being partitioned.

use crate::border::Out;
use crate::code::{Code, Outcome};
use crate::handle::DeviceHandle;
use crate::library;
use migfit_vgpu_device::{StateError, VirtualGpu};
use std::ffi::c_uint;

exports! {
    /// Whether MIG is on; nothing is ever pending.
    fn nvmlDeviceGetMigMode(device: DeviceHandle, current: Out<c_uint>, pending: Out<c_uint>) {
        let (gpu, state) = library::gpu_now()?;
        device.require_gpu()?;
        require_mig_model(&gpu)?;
        current.put(u32::from(state.mig_mode))?;
        pending.put(u32::from(state.mig_mode))
    }

    /// Switches MIG. Like the driver's, the call succeeds when the switch could be tried, and the status says
    /// whether it was; an Ampere board needs a reset for it, which a virtual GPU has not.
    fn nvmlDeviceSetMigMode(device: DeviceHandle, mode: c_uint, status: Out<c_uint>) {
        let (gpu, state) = library::gpu_now()?;
        device.require_gpu()?;
        require_mig_model(&gpu)?;
        let on = match mode {
            0 => false,
            1 => true,
            _ => return Err(Code::INVALID_ARGUMENT),
        };
        let same = on == state.mig_mode;
        let needs_reset = gpu.model().compute_capability.0 == 8;
        if !same && needs_reset {
            return Err(Code::NOT_SUPPORTED);
        }
        match gpu.set_mig_mode(on) {
            Ok(()) => status.put(0),
            Err(StateError::InUse(_)) => status.put(Code::IN_USE.0),
            Err(error) => Err(error.into()),
        }
    }
}

fn require_mig_model(gpu: &VirtualGpu) -> Outcome {
    match gpu.model().has_mig() {
        true => Ok(()),
        false => Err(Code::NOT_SUPPORTED),
    }
}
