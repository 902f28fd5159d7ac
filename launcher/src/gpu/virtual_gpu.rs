//! The virtual GPU: tells its libraries, through this process's environment, which model to be and where its
//! state lies. Everything else goes through `nvml`, as with a real GPU.

use migfit_mig::{MigProfile, Model};
use rustix::fs::{Access, access};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Environment variable that names the model.
const MODEL_VARIABLE: &str = "MIGFIT_VGPU";
/// Environment variable that names the state file.
pub const STATE_VARIABLE: &str = "MIGFIT_VGPU_STATE";

/// First bytes of a state file (a test compares them with those of a real one).
const MARK: [u8; 8] = *b"MIGFITVG";

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

/// Whether a named file can hold a virtual GPU's state: it is one, or can be made. Makes nothing.
///
/// # Errors
/// What is wrong with it, as a clause.
pub fn check_state(path: &Path) -> Result<(), String> {
    let meta = match path.metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return can_be_made(path),
        Err(error) => return Err(format!("cannot be used: {error}")),
    };
    if meta.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !meta.is_file() {
        return Err("is no regular file".to_owned());
    }
    let mut mark = [0; MARK.len()];
    let file = File::options().read(true).write(true).open(path);
    let read = file
        .map_err(|error| format!("cannot be written: {error}"))?
        .read_exact(&mut mark);
    match read.is_ok() && mark == MARK {
        true => Ok(()),
        false => Err("is no state of a virtual GPU".to_owned()),
    }
}

fn can_be_made(path: &Path) -> Result<(), String> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(format!(
            "cannot be made: there is no folder '{}'",
            folder.display()
        ));
    }
    let writable = access(folder, Access::WRITE_OK | Access::EXEC_OK);
    writable.map_err(|error| format!("cannot be made: {error}"))
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

    #[test]
    fn only_state_files_and_places_for_new_ones_are_usable() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("gpu.state");
        assert_eq!(check_state(&state), Ok(()));
        drop(migfit_vgpu_device::VirtualGpu::open(&state, Some("a100-40gb")).unwrap());
        assert_eq!(check_state(&state), Ok(()), "as the library made it");
        for (bytes, reason) in [("", "is no state"), ("MIGFITxxxxxx", "is no state")] {
            std::fs::write(&state, bytes).unwrap();
            assert!(check_state(&state).unwrap_err().contains(reason));
        }
        for (path, reason) in [
            (folder.path().to_owned(), "is a folder"),
            ("/dev/null".into(), "is no regular file"),
            (folder.path().join("no/such.state"), "there is no folder"),
            (state.join("below"), "cannot be used"),
        ] {
            let said = check_state(&path).unwrap_err();
            assert!(said.contains(reason), "{said}");
        }
        assert!(!folder.path().join("no").exists());
    }
}
