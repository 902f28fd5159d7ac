//! What a driver's code cannot say: names of calls that are not done go to the virtual GPU's log, reasons to stderr.

use crate::border::In;
use migfit_vgpu_device::{VirtualGpu, unsupported};
use std::ffi::c_char;
use std::io::Write;

/// Notes that an unsupported function was called.
pub fn unsupported(name: &str) {
    // The log lies beside a state file, never beside a foreign file that was named for one.
    let state_file = || Some(VirtualGpu::from_env().ok()?.path().to_owned());
    unsupported::log(name, state_file);
}

/// For libcudart, which stands on the driver interface alone: notes one of its own functions.
#[unsafe(no_mangle)]
pub extern "C" fn migfit_vgpu_unsupported(name: In<c_char>) {
    crate::border::guard(|| {
        unsupported(name.name()?);
        Ok(())
    });
}

/// Says what a driver's code cannot: on stderr, once per process and text.
pub fn explain(text: &str) {
    static SAID: unsupported::Said = unsupported::Said::new();
    if SAID.is_new(text) {
        // A closed stderr is no reason to fail.
        let _ = writeln!(std::io::stderr(), "migfit virtual GPU: {text}");
    }
}
