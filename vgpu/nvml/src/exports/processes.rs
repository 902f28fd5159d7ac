//! Processes that hold a context on the GPU or on a MIG device.

use crate::border::Out;
use crate::code::{Code, Outcome};
use crate::handle::{Device, DeviceHandle};
use crate::library;
use migfit_vgpu_device::ProcessUse;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::c_uint;

/// Stands for "no GPU instance" and "no compute instance".
const NONE: c_uint = c_uint::MAX;

exports! {
    /// Processes, in the structure of old drivers.
    fn nvmlDeviceGetComputeRunningProcesses(
        device: DeviceHandle, count: Out<c_uint>, infos: Out<nvml::nvmlProcessInfo_v1_t>,
    ) {
        put_processes(device, &count, &infos, |p| nvml::nvmlProcessInfo_v1_t {
            pid: p.pid,
            usedGpuMemory: p.bytes.0,
        })
    }

    /// Processes.
    fn nvmlDeviceGetComputeRunningProcesses_v2(
        device: DeviceHandle, count: Out<c_uint>, infos: Out<nvml::nvmlProcessInfo_t>,
    ) {
        put_processes(device, &count, &infos, process_info)
    }

    /// Processes.
    fn nvmlDeviceGetComputeRunningProcesses_v3(
        device: DeviceHandle, count: Out<c_uint>, infos: Out<nvml::nvmlProcessInfo_t>,
    ) {
        put_processes(device, &count, &infos, process_info)
    }
}

fn process_info(process: &ProcessUse) -> nvml::nvmlProcessInfo_t {
    nvml::nvmlProcessInfo_t {
        pid: process.pid,
        usedGpuMemory: process.bytes.0,
        gpuInstanceId: process.gpu_instance.unwrap_or(NONE),
        computeInstanceId: process.compute_instance.unwrap_or(NONE),
    }
}

/// Tells how many there are in any case; fills the array only when it has room for all.
fn put_processes<T>(
    device: DeviceHandle,
    count: &Out<c_uint>,
    infos: &Out<T>,
    form: impl Fn(&ProcessUse) -> T,
) -> Outcome {
    let (_, state) = library::gpu_now()?;
    let device = device.resolve(&state)?;
    let on_device = |p: &&ProcessUse| match device {
        Device::Gpu => true,
        Device::Mig(ci) => {
            (p.gpu_instance, p.compute_instance) == (Some(ci.gpu_instance), Some(ci.id))
        }
    };
    let found: Vec<T> = state.processes.iter().filter(on_device).map(form).collect();
    let room = count.first_word()?;
    count.put(u32::try_from(found.len()).unwrap_or(u32::MAX))?;
    if found.is_empty() {
        return Ok(());
    }
    if found.len() > room as usize {
        return Err(Code::INSUFFICIENT_SIZE);
    }
    infos.put_all(found)
}
