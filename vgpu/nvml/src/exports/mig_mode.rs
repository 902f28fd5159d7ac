//! The switch for being partitioned.

use crate::border::Out;
use crate::code::{Code, Outcome};
use crate::handle::DeviceHandle;
use crate::handle::OfGpu;
use migfit_vgpu_device::{StateError, VirtualGpu};
use std::ffi::c_uint;

exports! {
    /// Whether MIG is on, and whether it is after the next reset.
    fn nvmlDeviceGetMigMode(device: DeviceHandle, current: Out<c_uint>, pending: Out<c_uint>) {
        let (gpu, state) = device.now()?;
        device.require_gpu()?;
        require_mig_model(&gpu)?;
        current.put(u32::from(state.mig_mode))?;
        pending.put(u32::from(state.mig_pending))
    }

    /// Switches MIG. Like the driver's, the call succeeds when the switch could be tried, and the status says whether
    /// it was made: an Ampere board waits for a reset, a GPU in use for its processes and instances to go.
    fn nvmlDeviceSetMigMode(device: DeviceHandle, mode: c_uint, status: Out<c_uint>) {
        let gpu = device.owner()?;
        device.require_gpu()?;
        require_mig_model(&gpu)?;
        if status.is_null() {
            return Err(Code::INVALID_ARGUMENT);
        }
        let on = match mode {
            0 => false,
            1 => true,
            _ => return Err(Code::INVALID_ARGUMENT),
        };
        match gpu.set_mig_mode(on) {
            Ok(()) => status.put(0),
            Err(error @ (StateError::InUse(_) | StateError::ResetRequired)) => status.put(Code::from(error).0),
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
