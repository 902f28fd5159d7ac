//! Calls that the virtual GPU does not support: the name of each goes once per process to a log file.

use crate::border::In;
use migfit_vgpu_device::VirtualGpu;
use std::collections::BTreeSet;
use std::ffi::c_char;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes that an unsupported function was called. A log that cannot be written is no reason to fail the call otherwise.
pub fn unsupported(name: &str) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !seen.insert(name.to_owned()) {
        return;
    }
    if let Some(path) = path()
        && let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path)
    {
        let _ = file.write_all(format!("{name}\n").as_bytes());
    }
}

/// For libcudart, which stands on the driver interface alone: notes one of its own functions.
#[unsafe(no_mangle)]
pub extern "C" fn migfit_vgpu_unsupported(name: In<c_char>) {
    crate::border::guard(|| {
        unsupported(name.name()?);
        Ok(())
    });
}

fn path() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("MIGFIT_VGPU_LOG").filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path));
    }
    let mut path = VirtualGpu::path_from_env().ok()?.into_os_string();
    path.push(".log");
    Some(PathBuf::from(path))
}

/// Says what a driver's code cannot: on stderr, once per process and text.
pub fn explain(text: &str) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.insert(text.to_owned()) {
        eprintln!("migfit virtual GPU: {text}");
    }
}
