//! What kernels took on this computer: a line for each compilation and each launch, in the file that
//! `MIGFIT_VGPU_TIMES` names. Real times, which depend on the machine: for measuring the virtual GPU itself.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::OnceLock;
use std::time::Duration;

/// A kernel was compiled: `compiled INSTRUCTIONS NANOSECONDS NAME`. The first of a module includes reading its text.
pub fn compiled(name: &str, instructions: usize, took: Duration) {
    line(|| format!("compiled {instructions} {} {name}\n", took.as_nanos()));
}

/// A kernel was run: `ran THREADS NANOSECONDS NAME`.
pub fn ran(name: &str, threads: u64, took: Duration) {
    line(|| format!("ran {threads} {} {name}\n", took.as_nanos()));
}

fn line(text: impl FnOnce() -> String) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("MIGFIT_VGPU_TIMES").filter(|path| !path.is_empty())?;
        OpenOptions::new().create(true).append(true).open(path).ok()
    };
    if let Some(mut file) = FILE.get_or_init(open).as_ref() {
        // A full disk is no reason to fail.
        let _ = file.write_all(text().as_bytes());
    }
}
