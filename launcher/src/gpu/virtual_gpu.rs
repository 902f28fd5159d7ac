//! The virtual GPU: tells its libraries, through this process's environment, which model to be and where its
//! state lies. Everything else goes through `nvml`, as with a real GPU.

use migfit_mig::{MigProfile, Model};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable that names the model.
const MODEL_VARIABLE: &str = "MIGFIT_VGPU";
/// Environment variable that names the state file.
const STATE_VARIABLE: &str = "MIGFIT_VGPU_STATE";

/// Whether enough is known of a model to be one: a GPU knows its own SMs and engines.
#[must_use]
pub fn can_be(model: &Model) -> bool {
    let known = |profile: &MigProfile| profile.sms.is_some() && profile.engines.is_some();
    model.sm_count.is_some() && model.profiles.iter().all(known)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_whose_sms_no_source_has_is_no_virtual_gpu() {
        let known = |name: &str| can_be(migfit_mig::find(name).unwrap());
        assert!(known("a100-40gb") && known("a30-24gb"));
        assert!(!known("h20-96gb"));
    }
}
