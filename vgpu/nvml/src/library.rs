//! Start and end of the library: the virtual GPU that the environment names is open between them.

use crate::code::{Code, Outcome};
use migfit_vgpu_device::unsupported::Said;
use migfit_vgpu_device::{Snapshot, VirtualGpu};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Library {
    /// Starts without their end.
    users: u32,
    gpu: Option<Arc<VirtualGpu>>,
}

static LIBRARY: Mutex<Library> = Mutex::new(Library {
    users: 0,
    gpu: None,
});

fn library() -> MutexGuard<'static, Library> {
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the GPU at the first start. NVML has no text for errors, so the reason of a failure goes to stderr, once.
pub fn start() -> Outcome {
    let mut library = library();
    if library.gpu.is_none() {
        let gpu = VirtualGpu::from_env().map_err(|error| {
            explain(&format!("migfit virtual GPU: {error}"));
            Code::from(error)
        })?;
        library.gpu = Some(Arc::new(gpu));
    }
    library.users += 1;
    Ok(())
}

fn explain(text: &str) {
    static SAID: Said = Said::new();
    if SAID.is_new(text) {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Forgets the GPU at the last end.
pub fn end() -> Outcome {
    let mut library = library();
    library.users = library.users.checked_sub(1).ok_or(Code::UNINITIALIZED)?;
    if library.users == 0 {
        library.gpu = None;
    }
    Ok(())
}

/// The open GPU.
pub fn gpu() -> Outcome<Arc<VirtualGpu>> {
    library().gpu.clone().ok_or(Code::UNINITIALIZED)
}

/// The open GPU and what it holds at the moment.
pub fn gpu_now() -> Outcome<(Arc<VirtualGpu>, Snapshot)> {
    let gpu = gpu()?;
    let state = gpu.snapshot()?;
    Ok((gpu, state))
}

/// The same where MIG has to be on.
pub fn mig_now() -> Outcome<(Arc<VirtualGpu>, Snapshot)> {
    let (gpu, state) = gpu_now()?;
    match state.mig_mode {
        true => Ok((gpu, state)),
        false => Err(Code::NOT_SUPPORTED),
    }
}

/// Starts the library on a GPU of the test's own.
#[cfg(test)]
pub fn start_with(gpu: VirtualGpu) {
    let mut library = library();
    library.users = 1;
    library.gpu = Some(Arc::new(gpu));
}
