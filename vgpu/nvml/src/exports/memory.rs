//! Memory of the GPU or of a MIG device: what all processes together hold of it.

use crate::border::{Out, version};
use crate::code::{Code, Outcome};
use crate::faults;
use crate::handle::{self, Device, DeviceHandle, OfGpu};
use migfit_vgpu_device::MemoryUse;
use nvml_wrapper_sys::bindings as nvml;

exports! {
    /// Total, free and used bytes.
    fn nvmlDeviceGetMemoryInfo(device: DeviceHandle, memory: Out<nvml::nvmlMemory_t>) {
        let held = memory_use(device)?;
        memory.put(nvml::nvmlMemory_t {
            total: held.total.0,
            free: held.free().0,
            used: held.used.0,
        })
    }

    /// The same with the reserved part told apart: the virtual GPU reserves none beside the contexts.
    fn nvmlDeviceGetMemoryInfo_v2(device: DeviceHandle, memory: Out<nvml::nvmlMemory_v2_t>) {
        let held = memory_use(device)?;
        let wanted = version::<nvml::nvmlMemory_v2_t>(2);
        if memory.first_word()? != wanted {
            return Err(Code::VERSION_MISMATCH);
        }
        memory.put(nvml::nvmlMemory_v2_t {
            version: wanted,
            total: held.total.0,
            reserved: 0,
            free: held.free().0,
            used: held.used.0,
        })
    }

    /// The window through which the host reaches the memory. Nothing is mapped through it here. Its size is derived, not
    /// read: the smallest power of two that holds the board's memory, as on A100 (64 GiB for 40) and A30 (32 for 24); a
    /// MIG device has as much of it as of the memory slices.
    fn nvmlDeviceGetBAR1MemoryInfo(device: DeviceHandle, memory: Out<nvml::nvmlBAR1Memory_t>) {
        let (gpu, state) = device.now()?;
        let whole = gpu.model().memory.to_bytes().0.next_power_of_two();
        let total = match device.resolve(&state)? {
            Device::Gpu => whole,
            Device::Mig(ci) => {
                let owner = handle::gpu_instance(&state, ci.gpu_instance).ok_or(Code::INVALID_ARGUMENT)?;
                let all = u64::from(gpu.model().memory_slices.max(1));
                whole / all * u64::from(owner.placement.size)
            }
        };
        memory.put(nvml::nvmlBAR1Memory_t { bar1Total: total, bar1Free: total, bar1Used: 0 })
    }
}

fn memory_use(device: DeviceHandle) -> Outcome<MemoryUse> {
    let (gpu, state) = device.now()?;
    let gpu_instance = match device.resolve(&state)? {
        Device::Gpu if state.mig_mode => {
            faults::check_admin()?;
            None
        }
        Device::Gpu => None,
        Device::Mig(ci) => Some(ci.gpu_instance),
    };
    Ok(gpu.memory(gpu_instance)?)
}
