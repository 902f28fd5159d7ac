//! Processes that hold a context on the GPU or on a MIG device. All of them compute: there are none of graphics, and none
//! that share a context through NVIDIA's multi-process service.

use crate::border::{Out, put_text, version};
use crate::code::{Code, Outcome};
use crate::faults;
use crate::handle::{Device, DeviceHandle, OfGpu};
use crate::library;
use migfit_vgpu_device::ProcessUse;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::{c_char, c_uint};

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

    /// Processes of graphics.
    fn nvmlDeviceGetGraphicsRunningProcesses(device: DeviceHandle, count: Out<c_uint>, _infos: Out<nvml::nvmlProcessInfo_v1_t>) {
        put_none(device, &count)
    }

    /// Processes of graphics.
    fn nvmlDeviceGetGraphicsRunningProcesses_v2(device: DeviceHandle, count: Out<c_uint>, _infos: Out<nvml::nvmlProcessInfo_t>) {
        put_none(device, &count)
    }

    /// Processes of graphics.
    fn nvmlDeviceGetGraphicsRunningProcesses_v3(device: DeviceHandle, count: Out<c_uint>, _infos: Out<nvml::nvmlProcessInfo_t>) {
        put_none(device, &count)
    }

    /// Processes of the multi-process service.
    fn nvmlDeviceGetMPSComputeRunningProcesses(device: DeviceHandle, count: Out<c_uint>, _infos: Out<nvml::nvmlProcessInfo_v1_t>) {
        put_none(device, &count)
    }

    /// Processes of the multi-process service.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v2(device: DeviceHandle, count: Out<c_uint>, _infos: Out<nvml::nvmlProcessInfo_t>) {
        put_none(device, &count)
    }

    /// Processes of the multi-process service.
    fn nvmlDeviceGetMPSComputeRunningProcesses_v3(device: DeviceHandle, count: Out<c_uint>, _infos: Out<nvml::nvmlProcessInfo_t>) {
        put_none(device, &count)
    }

    /// Processes of one mode, in an array that the structure names.
    fn nvmlDeviceGetRunningProcessDetailList(device: DeviceHandle, list: Out<nvml::nvmlProcessDetailList_t>) {
        let found = processes_on(device)?;
        if list.first_word()? != version::<nvml::nvmlProcessDetailList_t>(1) {
            return Err(Code::INVALID_ARGUMENT);
        }
        // SAFETY: not null and of this version, so by the C interface it points to such a structure.
        let mut asked = unsafe { list.room()?.read_unaligned() };
        let found = match asked.mode {
            COMPUTE | ALL => found,
            GRAPHICS | MULTI_PROCESS_SERVICE => Vec::new(),
            _ => return Err(Code::INVALID_ARGUMENT),
        };
        let room = asked.numProcArrayEntries;
        asked.numProcArrayEntries = number_of(&found);
        list.put(asked)?;
        if found.len() > room as usize {
            return Err(Code::INSUFFICIENT_SIZE);
        }
        if found.is_empty() {
            return Ok(());
        }
        // SAFETY: by the C interface there is room for as many as the structure said.
        unsafe { Out::at(asked.procArray) }.put_all(found.iter().map(detail))
    }

    /// Name of a process, cut to fit.
    fn nvmlSystemGetProcessName(pid: c_uint, name: Out<c_char>, length: c_uint) {
        library::gpus()?;
        let room = (length as usize).checked_sub(1).ok_or(Code::INVALID_ARGUMENT)?;
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(|_| Code::NOT_FOUND)?;
        let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let cut = program.get(..room).unwrap_or(program);
        put_text(name, length, &String::from_utf8_lossy(cut))
    }
}

// NVML's process modes, which the bindings do not have.
const COMPUTE: c_uint = 0;
const GRAPHICS: c_uint = 1;
const MULTI_PROCESS_SERVICE: c_uint = 2;
const ALL: c_uint = 3;

fn detail(process: &ProcessUse) -> nvml::nvmlProcessDetail_v1_t {
    let info = process_info(process);
    nvml::nvmlProcessDetail_v1_t {
        pid: info.pid,
        usedGpuMemory: info.usedGpuMemory,
        gpuInstanceId: info.gpuInstanceId,
        computeInstanceId: info.computeInstanceId,
        usedGpuCcProtectedMemory: 0,
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
    let found: Vec<T> = processes_on(device)?.iter().map(form).collect();
    let room = count.first_word()?;
    count.put(number_of(&found))?;
    if found.is_empty() {
        return Ok(());
    }
    if found.len() > room as usize {
        return Err(Code::INSUFFICIENT_SIZE);
    }
    infos.put_all(found)
}

/// Tells that there are none.
fn put_none(device: DeviceHandle, count: &Out<c_uint>) -> Outcome {
    processes_on(device)?;
    count.put(0)
}

fn processes_on(device: DeviceHandle) -> Outcome<Vec<ProcessUse>> {
    let (_, mut state) = device.now()?;
    match device.resolve(&state)? {
        Device::Mig(ci) => {
            let here = (Some(ci.gpu_instance), Some(ci.id));
            state
                .processes
                .retain(|process| (process.gpu_instance, process.compute_instance) == here);
        }
        Device::Gpu if state.mig_mode => faults::check_admin()?,
        Device::Gpu => {}
    }
    Ok(state.processes)
}

fn number_of<T>(found: &[T]) -> c_uint {
    c_uint::try_from(found.len()).unwrap_or(c_uint::MAX)
}
