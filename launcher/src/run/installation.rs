//! Where migfit's own libraries are: beside the program that runs, `PREFIX/bin/migfit` -> `PREFIX/lib/migfit`.

use crate::run::RunError;
use std::path::PathBuf;

/// The folder of migfit's libraries.
#[derive(Clone, Debug)]
pub struct Installation(PathBuf);

impl Installation {
    /// The one that this program belongs to.
    pub fn own() -> Installation {
        let own = std::env::current_exe().and_then(|path| path.canonicalize());
        let prefix = own
            .ok()
            .and_then(|own| Some(own.parent()?.parent()?.to_owned()));
        Installation(prefix.unwrap_or_default().join("lib/migfit"))
    }

    /// The library to preload into jobs.
    ///
    /// # Errors
    /// Why no run record will be kept, in a sentence.
    pub fn runtime(&self) -> Result<PathBuf, String> {
        let path = self.0.join("libmigfit_runtime.so");
        if std::env::var_os("MIGFIT").is_some_and(|value| value == "off") {
            return Err("MIGFIT=off: nothing is recorded".to_owned());
        }
        let text = path.to_string_lossy();
        if text.contains([' ', ':']) {
            return Err(format!(
                "nothing is recorded: a path with a space or colon cannot be preloaded: {text}"
            ));
        }
        match path.is_file() {
            true => Ok(path),
            false => Err(format!("nothing is recorded: {text} is missing")),
        }
    }

    /// The folder of the virtual GPU's libraries.
    ///
    /// # Errors
    /// When its NVML is not there.
    pub fn virtual_gpu(&self) -> Result<PathBuf, RunError> {
        let folder = self.0.join("vgpu");
        let nvml = folder.join("libnvidia-ml.so.1");
        match nvml.is_file() {
            true => Ok(folder),
            false => Err(RunError::NoVirtualGpu(nvml)),
        }
    }
}
