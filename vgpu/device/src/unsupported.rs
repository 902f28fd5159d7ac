//! Calls that the virtual GPU does not support: the name of each goes once per process and library to a log file.
//! Knows no C interface: a name is a text.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Texts that were said already.
#[derive(Debug, Default)]
pub struct Said(Mutex<BTreeSet<String>>);

impl Said {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Said {
        Said(Mutex::new(BTreeSet::new()))
    }

    /// Whether it is the first time for this text.
    pub fn is_new(&self, text: &str) -> bool {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert(text.to_owned())
    }
}

/// Notes that an unsupported function was called: in the file that `MIGFIT_VGPU_LOG` names, else beside the state
/// file; nowhere without a virtual GPU. A log that cannot be written does not change the answer of the call.
pub fn log(name: &str, state_file: impl FnOnce() -> Option<PathBuf>) {
    static SAID: Said = Said::new();
    let named = std::env::var_os("MIGFIT_VGPU_LOG").filter(|path| !path.is_empty());
    append(&SAID, name, || match named {
        Some(path) => Some(PathBuf::from(path)),
        None => state_file().map(beside),
    });
}

fn beside(state_file: PathBuf) -> PathBuf {
    let mut path = state_file.into_os_string();
    path.push(".log");
    PathBuf::from(path)
}

fn append(said: &Said, name: &str, path: impl FnOnce() -> Option<PathBuf>) {
    if said.is_new(name)
        && let Some(path) = path()
        && let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path)
    {
        // One write, so that names of several processes do not mix.
        let _ = file.write_all(format!("{name}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_goes_once_to_the_log_beside_the_state_file() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("gpu.state");
        let said = Said::new();
        for name in ["first", "second", "first"] {
            append(&said, name, || Some(beside(state.clone())));
        }
        let text = std::fs::read_to_string(folder.path().join("gpu.state.log")).unwrap();
        assert_eq!(text, "first\nsecond\n");
    }

    #[test]
    fn a_log_that_cannot_be_written_or_is_not_there_is_no_failure() {
        let said = Said::new();
        append(&said, "nowhere", || None);
        append(&said, "no folder", || {
            Some(PathBuf::from("/no/such/folder/log"))
        });
        assert!(!said.is_new("nowhere") && !said.is_new("no folder"));
    }
}
