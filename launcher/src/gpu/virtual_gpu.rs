//! The virtual GPU: tells its libraries, through this process's environment, which model to be and where its
//! state lies. Everything else goes through `nvml`, as with a real GPU.

use migfit_mig::Model;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable that names the model.
const MODEL_VARIABLE: &str = "MIGFIT_VGPU";
/// Environment variable that names the state file.
const STATE_VARIABLE: &str = "MIGFIT_VGPU_STATE";

/// The variables of a virtual GPU, for this process and for the jobs.
#[must_use]
pub fn variables(model: &Model, state: &Path) -> Vec<(OsString, OsString)> {
    vec![
        (MODEL_VARIABLE.into(), model.name.clone().into()),
        (STATE_VARIABLE.into(), state.as_os_str().to_owned()),
    ]
}

/// The state file that the caller named, if any: several runs may share one virtual GPU.
#[must_use]
pub fn given_state() -> Option<PathBuf> {
    std::env::var_os(STATE_VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Puts the variables into this process's environment, where the virtual GPU's libraries look for them.
///
/// # Safety
/// No other thread may run: the environment is shared and unguarded.
pub unsafe fn announce(variables: &[(OsString, OsString)]) {
    for (name, value) in variables {
        // SAFETY: the caller says that no other thread runs.
        unsafe { std::env::set_var(name, value) };
    }
}
