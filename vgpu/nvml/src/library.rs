//! Start and end of the library: the virtual GPU that the environment names is open between them.

use crate::code::{Code, Outcome};
use crate::faults;
use migfit_vgpu_device::unsupported::Said;
use migfit_vgpu_device::{Faults, Snapshot, StateError, VirtualGpu};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Library {
    /// Starts without their end.
    users: u32,
    gpu: Option<Arc<VirtualGpu>>,
    /// Read once per process, so that an end and a new start go on counting.
    faults: Option<Arc<Faults>>,
}

static LIBRARY: Mutex<Library> = Mutex::new(Library {
    users: 0,
    gpu: None,
    faults: None,
});

fn library() -> MutexGuard<'static, Library> {
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the GPU at the first start. NVML has no text for errors, so the reason of a failure goes to stderr, once.
pub fn start() -> Outcome {
    let mut library = library();
    if library.gpu.is_none() {
        let opened = set_faults(&mut library).and_then(|_| VirtualGpu::from_env());
        let gpu = opened.map_err(|error| {
            explain(&format!("migfit virtual GPU: {error}"));
            Code::from(error)
        })?;
        library.gpu = Some(Arc::new(gpu));
    }
    library.users += 1;
    Ok(())
}

/// The faults that are set; none where they cannot be read, which the start tells.
pub fn faults() -> Option<Arc<Faults>> {
    set_faults(&mut library()).ok()
}

fn set_faults(library: &mut Library) -> Result<Arc<Faults>, StateError> {
    let faults = match &library.faults {
        Some(faults) => Arc::clone(faults),
        None => Arc::new(faults::from_env()?),
    };
    library.faults = Some(Arc::clone(&faults));
    Ok(faults)
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
pub fn start_with(gpu: VirtualGpu, faults: Faults) {
    let mut library = library();
    library.users = 1;
    library.faults = Some(Arc::new(faults));
    library.gpu = Some(Arc::new(gpu));
}
