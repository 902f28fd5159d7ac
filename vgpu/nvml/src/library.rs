//! Start and end of the library: the virtual GPUs that the environment names are open between them.

use crate::code::{Code, Outcome};
use crate::faults;
use migfit_vgpu_device::unsupported::Said;
use migfit_vgpu_device::{Faults, StateError, VirtualGpu};
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

struct Library {
    /// Starts without their end.
    users: u32,
    /// By number; empty while it is not started.
    gpus: Vec<Arc<VirtualGpu>>,
    /// Read once per process, so that an end and a new start go on counting.
    faults: Option<Arc<Faults>>,
}

static LIBRARY: Mutex<Library> = Mutex::new(Library {
    users: 0,
    gpus: Vec::new(),
    faults: None,
});

fn library() -> MutexGuard<'static, Library> {
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the GPUs at the first start. NVML has no text for errors, so the reason of a failure goes to stderr, once.
pub fn start() -> Outcome {
    let mut library = library();
    if library.gpus.is_empty() {
        let opened = set_faults(&mut library).and_then(|_| VirtualGpu::all_from_env());
        let gpus = opened.map_err(|error| {
            explain(&format!("migfit virtual GPU: {error}"));
            Code::from(error)
        })?;
        library.gpus = gpus.into_iter().map(Arc::new).collect();
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

/// Forgets the GPUs at the last end.
pub fn end() -> Outcome {
    let mut library = library();
    library.users = library.users.checked_sub(1).ok_or(Code::UNINITIALIZED)?;
    if library.users == 0 {
        library.gpus.clear();
    }
    Ok(())
}

/// The open GPUs, by number.
pub fn gpus() -> Outcome<Vec<Arc<VirtualGpu>>> {
    let gpus = library().gpus.clone();
    match gpus.is_empty() {
        true => Err(Code::UNINITIALIZED),
        false => Ok(gpus),
    }
}

/// The open GPU of this number.
pub fn gpu(number: u32) -> Outcome<Arc<VirtualGpu>> {
    let gpus = gpus()?;
    gpus.get(number as usize)
        .cloned()
        .ok_or(Code::INVALID_ARGUMENT)
}

/// Starts the library on GPUs of the test's own.
#[cfg(test)]
pub fn start_with(gpus: Vec<VirtualGpu>, faults: Faults) {
    let mut library = library();
    library.users = 1;
    library.faults = Some(Arc::new(faults));
    library.gpus = gpus.into_iter().map(Arc::new).collect();
}
