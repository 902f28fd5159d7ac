//! The driver of this process: made once by cuInit, which chooses the slice that the process sees.

use crate::host_calls;
use crate::log;
use crate::status::{Outcome, Status};
use migfit_vgpu_device::visible::{self, Board};
use migfit_vgpu_device::{Slice, StateError, VirtualGpu};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The version of CUDA that this driver stands for.
pub const VERSION: i32 = 13050;

/// The driver after cuInit.
pub struct Driver {
    /// The GPU.
    pub gpu: Arc<VirtualGpu>,
    /// The GPU's number among those of the machine.
    pub number: u32,
    /// The slice that the process sees, device 0.
    pub slice: Slice,
}

impl Driver {
    /// The PCI bus that the GPU is on, alone; NVML says the same.
    pub fn pci_bus(&self) -> u32 {
        self.number.saturating_add(1)
    }
}

static DRIVER: OnceLock<Result<Driver, Status>> = OnceLock::new();
static FORKED: AtomicBool = AtomicBool::new(false);

/// cuInit: looks for the device once; later calls give the same answer.
pub fn initialize() -> Outcome {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Status::NOT_INITIALIZED);
    }
    match DRIVER.get_or_init(start) {
        Ok(_) => Ok(()),
        Err(status) => Err(*status),
    }
}

/// The driver; an error before cuInit, in a child that was forked after it, and in functions that a stream calls, as
/// with CUDA.
pub fn driver() -> Outcome<&'static Driver> {
    if host_calls::in_call() {
        return Err(Status::NOT_PERMITTED);
    }
    if FORKED.load(Ordering::Relaxed) {
        return Err(Status::NOT_INITIALIZED);
    }
    match DRIVER.get() {
        None => Err(Status::NOT_INITIALIZED),
        Some(Err(status)) => Err(*status),
        Some(Ok(driver)) => Ok(driver),
    }
}

/// The driver, if this is a device of it.
pub fn device(ordinal: i32) -> Outcome<&'static Driver> {
    let driver = driver()?;
    if ordinal == 0 {
        Ok(driver)
    } else {
        Err(Status::INVALID_DEVICE)
    }
}

fn start() -> Result<Driver, Status> {
    let (mut gpus, boards) = open().map_err(|error| {
        if !matches!(error, StateError::NotConfigured) {
            log::explain(&error.to_string());
        }
        Status::from(error)
    })?;
    let wanted = std::env::var_os("CUDA_VISIBLE_DEVICES");
    let wanted = wanted.as_ref().map(|value| value.to_string_lossy());
    let chosen = visible::choose(&boards, wanted.as_deref());
    let (number, slice) = chosen.ok_or(Status::NO_DEVICE)?;
    let slice = slice.clone();
    let gpu = gpus.swap_remove(number);
    let number = u32::try_from(number).map_err(|_| Status::INVALID_DEVICE)?;
    // SAFETY: the handler only stores to a static atomic, which is allowed between fork and exec.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    Ok(Driver {
        gpu: Arc::new(gpu),
        number,
        slice,
    })
}

/// The GPUs of the environment, and what is on each. None is held any more by what this process ran before an exec.
fn open() -> Result<(Vec<VirtualGpu>, Vec<Board>), StateError> {
    let gpus = VirtualGpu::all_from_env()?;
    let board = |gpu: &VirtualGpu| {
        gpu.forget_earlier_program()?;
        Ok(Board {
            uuid: gpu.uuid(),
            slices: gpu.slices()?,
        })
    };
    let boards: Result<_, StateError> = gpus.iter().map(board).collect();
    Ok((gpus, boards?))
}

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}
