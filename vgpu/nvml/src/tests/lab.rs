//! A virtual GPU for one test, and short forms of the calls that most tests begin with.

pub use super::pointers::{Argument, Room};
use crate::border::{In, Out};
use crate::exports::compute_instance::*;
use crate::exports::gpu_instance::*;
use crate::exports::gpu_profile::*;
use crate::exports::mig_device::*;
use crate::handle::{ComputeInstanceHandle, DeviceHandle, GpuInstanceHandle};
use crate::library;
use migfit_vgpu_device::{Faults, Settings, VirtualGpu};
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The library serves one GPU per process, so tests take turns.
static TURN: Mutex<()> = Mutex::new(());

/// A started library on an empty GPU.
pub struct Lab {
    _turn: MutexGuard<'static, ()>,
    folder: tempfile::TempDir,
}

impl Lab {
    /// With an A100.
    pub fn a100() -> Lab {
        Lab::of("a100-40gb").unwrap()
    }

    /// With a GPU of this model; none where the virtual GPU does not have it.
    pub fn of(model: &str) -> Option<Lab> {
        Lab::set_up(&Settings::of_model(model), "")
    }

    /// With an A100 and these faults.
    pub fn with_faults(faults: &str) -> Lab {
        Lab::set_up(&Settings::of_model("a100-40gb"), faults).unwrap()
    }

    /// With GPUs of these models.
    pub fn of_several(models: &[&str]) -> Lab {
        let lab = Lab::a100();
        let open = |(number, model): (usize, &&str)| {
            let path = lab.folder.path().join(format!("{number}.state"));
            VirtualGpu::open(&path, Some(*model)).unwrap()
        };
        let gpus = models.iter().enumerate().map(open).collect();
        library::start_with(gpus, Faults::default());
        lab
    }

    /// With a GPU as it is set; none where the virtual GPU does not have the model.
    pub fn set_up(settings: &Settings, faults: &str) -> Option<Lab> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let gpu = VirtualGpu::set_up(&folder.path().join("gpu.state"), settings).ok()?;
        library::start_with(vec![gpu], Faults::parse(faults).unwrap());
        Some(Lab {
            _turn: turn,
            folder,
        })
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        while library::end().is_ok() {}
    }
}

/// The GPU's handle.
pub fn gpu() -> DeviceHandle {
    DeviceHandle::gpu(0)
}

/// The value that a call stores, or its code.
pub fn ask<T>(blank: T, call: impl FnOnce(Out<T>) -> u32) -> Result<T, u32> {
    let mut value = blank;
    match call(Out::to(&mut value)) {
        0 => Ok(value),
        code => Err(code),
    }
}

/// The text that a call stores, or its code.
pub fn ask_text(call: impl FnOnce(Out<c_char>, u32) -> u32) -> Result<String, u32> {
    let mut buffer = [1 as c_char; 96];
    match call(Out::to_all(&mut buffer), 96) {
        0 => {
            let bytes = buffer.iter().take_while(|b| **b != 0);
            Ok(bytes.map(|b| char::from(b.cast_unsigned())).collect())
        }
        code => Err(code),
    }
}

/// Creates a GPU instance of the MIG profile with this id.
pub fn create(profile: u32, start_and_size: Option<(u32, u32)>) -> Result<GpuInstanceHandle, u32> {
    let blank = GpuInstanceHandle::of(0, 99);
    ask(blank, |out| match start_and_size {
        None => nvmlDeviceCreateGpuInstance(gpu(), profile, out),
        Some((start, size)) => {
            let place = nvml::nvmlGpuInstancePlacement_t { start, size };
            nvmlDeviceCreateGpuInstanceWithPlacement(gpu(), profile, In::of(&place), out)
        }
    })
}

/// Creates a compute instance.
pub fn create_compute(gi: GpuInstanceHandle, profile: u32) -> Result<ComputeInstanceHandle, u32> {
    let blank = ComputeInstanceHandle::of(0, 99, 99);
    ask(blank, |out| {
        nvmlGpuInstanceCreateComputeInstance(gi, profile, out)
    })
}

/// What a GPU instance is.
pub fn info(gi: GpuInstanceHandle) -> Result<GpuInstanceInfo, u32> {
    let blank = GpuInstanceInfo {
        device: gpu(),
        id: 0,
        profile_id: 0,
        placement: nvml::nvmlGpuInstancePlacement_t { start: 0, size: 0 },
    };
    ask(blank, |out| nvmlGpuInstanceGetInfo(gi, out))
}

/// The MIG device at an index.
pub fn mig_device(index: u32) -> Result<DeviceHandle, u32> {
    ask(gpu(), |out| {
        nvmlDeviceGetMigDeviceHandleByIndex(gpu(), index, out)
    })
}

/// How many more of a MIG profile fit.
pub fn capacity(profile: u32) -> Result<u32, u32> {
    ask(0, |out| {
        nvmlDeviceGetGpuInstanceRemainingCapacity(gpu(), profile, out)
    })
}
