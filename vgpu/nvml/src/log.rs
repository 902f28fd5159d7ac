//! Calls that the virtual GPU does not support: the name of each goes once per process to a log file.

use migfit_vgpu_device::VirtualGpu;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

static SEEN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Notes that an unsupported function was called. A log that cannot be written does not change the answer.
pub fn unsupported(name: &'static str) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.insert(name) {
        return;
    }
    if let Some(path) = path()
        && let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path)
    {
        let _ = file.write_all(format!("{name}\n").as_bytes());
    }
}

/// `MIGFIT_VGPU_LOG`, else beside the state file; none without a virtual GPU.
fn path() -> Option<PathBuf> {
    let named = std::env::var_os("MIGFIT_VGPU_LOG").filter(|path| !path.is_empty());
    if let Some(path) = named {
        return Some(PathBuf::from(path));
    }
    let open = crate::library::gpu().map(|gpu| gpu.path().to_owned()).ok();
    let mut path = open
        .or_else(|| VirtualGpu::path_from_env().ok())?
        .into_os_string();
    path.push(".log");
    Some(PathBuf::from(path))
}
