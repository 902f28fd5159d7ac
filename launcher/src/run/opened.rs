//! `--gpu` of a run -> the open GPU, real or virtual; where a virtual one keeps its state. Knows no jobs.

use crate::cli::selector::GpuSelector;
use crate::gpu::nvml::Library;
use crate::gpu::{self, GpuError, Opened, Which, Wish, virtual_gpu};
use crate::run::RunError;
use crate::run::folder::RunFolder;
use crate::run::installation::NVML;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable that makes calls of the virtual GPU fail.
const FAULTS: &str = "MIGFIT_VGPU_FAULTS";

/// Where the run's GPU keeps its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// In the hardware.
    Hardware,
    /// In the file that the caller named: several runs may share one virtual GPU.
    Given(PathBuf),
    /// In a file of this run alone.
    Own(PathBuf),
}

impl State {
    /// The state of the GPU selected; a file that the caller named is checked and absolute.
    ///
    /// # Errors
    /// When that file cannot be used, or what an earlier run left in the folder cannot be taken away.
    pub fn of(gpu: &GpuSelector, folder: &RunFolder) -> Result<State, RunError> {
        Ok(match (gpu, virtual_gpu::given_state()) {
            (GpuSelector::Real(_), _) => State::Hardware,
            (GpuSelector::Virtual(_), Some(given)) => State::Given(usable(&given)?),
            (GpuSelector::Virtual(_), None) => State::Own(folder.fresh_gpu_state()?),
        })
    }

    /// The file; none on a real GPU.
    pub fn path(&self) -> Option<&Path> {
        match self {
            State::Hardware => None,
            State::Given(path) | State::Own(path) => Some(path),
        }
    }
}

/// The state file that the caller named, absolute.
fn usable(given: &Path) -> Result<PathBuf, RunError> {
    let bad = |reason| RunError::BadState {
        path: given.to_owned(),
        reason,
    };
    virtual_gpu::check_state(given).map_err(bad)?;
    std::path::absolute(given).map_err(|error| bad(format!("cannot be used: {error}")))
}

/// Variables of the virtual GPU for this process and its jobs; none on a real GPU.
pub fn variables(gpu: &GpuSelector, state: Option<&Path>) -> Vec<(OsString, OsString)> {
    match (gpu, state) {
        (GpuSelector::Virtual(model), Some(state)) => virtual_gpu::variables(model, state),
        _ => Vec::new(),
    }
}

/// Opens the GPU, or the one slice of it that is named; `library`: the folder of the virtual GPU's libraries.
///
/// # Errors
/// When it does not answer, or is not one to run on.
pub fn open(
    selector: &GpuSelector,
    slice: Option<&str>,
    library: Option<&Path>,
    state: &State,
) -> Result<Opened, RunError> {
    let nvml = library.map(|folder| folder.join(NVML));
    let only = Wish {
        which: Which::Index(0),
        slices_demanded: false,
    };
    let wish = match selector {
        GpuSelector::Virtual(_) => &only,
        GpuSelector::Real(wish) => wish,
    };
    let library = Library::open(nvml.as_deref()).map_err(|error| not_started(error, state))?;
    Ok(match slice {
        Some(uuid) => gpu::open_slice(&library, wish, uuid)?,
        None => gpu::open(&library, wish)?,
    })
}

/// A virtual GPU that does not start says nothing of drivers and boards: its library or its state file is at fault.
fn not_started(error: GpuError, state: &State) -> RunError {
    match (error, state) {
        (GpuError::NoLibrary { library, reason }, State::Given(_) | State::Own(_)) => {
            RunError::NoVirtualGpu {
                library,
                reason: format!("cannot be loaded: {reason}"),
            }
        }
        // Told to fail: the state file has no part in it.
        (
            error @ (GpuError::NoDriver | GpuError::Driver { .. }),
            State::Given(_) | State::Own(_),
        ) if std::env::var_os(FAULTS).is_some_and(|faults| !faults.is_empty()) => {
            let faults = std::env::var(FAULTS).unwrap_or_default();
            match faults.contains("start=driver-not-loaded") {
                true => error.into(),
                false => RunError::VirtualGpuFails {
                    reason: format!("{error}, with {FAULTS}={faults}"),
                },
            }
        }
        (GpuError::NoDriver | GpuError::Driver { .. }, State::Given(path)) => RunError::BadState {
            path: path.clone(),
            reason: "is of another virtual GPU, or cannot be used".to_owned(),
        },
        (error @ (GpuError::NoDriver | GpuError::Driver { .. }), State::Own(path)) => {
            match room(path) {
                Err(source) => RunError::CannotWrite {
                    path: path.clone(),
                    source,
                },
                Ok(()) => RunError::VirtualGpuFails {
                    reason: error.to_string(),
                },
            }
        }
        (other, _) => other.into(),
    }
}

/// Whether the folder of a state file takes another file with something in it: a disk may be full.
fn room(state: &Path) -> std::io::Result<()> {
    let probe = state.with_extension("probe");
    let written = std::fs::write(&probe, [0; 1 << 16]);
    // It may not be there.
    let _ = std::fs::remove_file(&probe);
    written
}
