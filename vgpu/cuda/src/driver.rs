//! The driver of this process: made once by cuInit, which chooses the slice that the process sees.

use crate::log;
use crate::status::{Outcome, Status};
use migfit_vgpu_device::{Slice, StateError, VirtualGpu, visible};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The version of CUDA that this driver stands for.
pub const VERSION: i32 = 13050;

/// The driver after cuInit.
pub struct Driver {
    /// The GPU.
    pub gpu: Arc<VirtualGpu>,
    /// The slice that the process sees, device 0.
    pub slice: Slice,
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

/// The driver; an error before cuInit and in a child that was forked after it, as with CUDA.
pub fn driver() -> Outcome<&'static Driver> {
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
    let opened = VirtualGpu::from_env().and_then(|gpu| {
        gpu.forget_earlier_program()?;
        Ok((gpu.slices()?, gpu))
    });
    let (slices, gpu) = opened.map_err(|error| {
        if !matches!(error, StateError::NotConfigured) {
            log::explain(&error.to_string());
        }
        Status::from(error)
    })?;
    let wanted = std::env::var_os("CUDA_VISIBLE_DEVICES");
    let wanted = wanted.as_ref().map(|value| value.to_string_lossy());
    let slice = visible::choose(&slices, &gpu.uuid(), wanted.as_deref());
    let slice = slice.ok_or(Status::NO_DEVICE)?.clone();
    // SAFETY: the handler only stores to a static atomic, which is allowed between fork and exec.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    Ok(Driver {
        gpu: Arc::new(gpu),
        slice,
    })
}

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}
