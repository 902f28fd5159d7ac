//! Why a chore failed, each with what to do next.

use std::path::PathBuf;

/// Why a chore failed.
#[derive(Debug, thiserror::Error)]
pub enum ChoreError {
    /// A program of ours or of the system ended badly.
    #[error("`{command}` ended with {status}\nhint: {hint}")]
    Command {
        /// The command line.
        command: String,
        /// Exit code or signal.
        status: String,
        /// The next step.
        hint: String,
    },
    /// A program could not be started.
    #[error("`{program}` could not be started: {source}\nhint: {hint}")]
    Start {
        /// The program.
        program: String,
        /// The system's reason.
        source: std::io::Error,
        /// The next step.
        hint: String,
    },
    /// Packages are missing and cannot be installed from here.
    #[error("missing: {what}\nhint: as root, run: {command}")]
    Packages {
        /// What was looked for and not found.
        what: String,
        /// The command that installs it.
        command: String,
    },
    /// A file or folder could not be read or written.
    #[error("{action} {}: {source}\nhint: check that the folder exists, is yours and is not full", path.display())]
    File {
        /// What was tried, as "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A toolkit named by CUDA_PATH is not usable.
    #[error("CUDA_PATH={} has no bin/nvcc\nhint: unset CUDA_PATH to let this command bring nvcc by itself", path.display())]
    Toolkit {
        /// The folder.
        path: PathBuf,
    },
    /// A program printed something else than what it promises.
    #[error("{what}\nhint: {hint}")]
    Unexpected {
        /// What was wrong.
        what: String,
        /// The next step.
        hint: String,
    },
}

/// Adds action and path to an input or output error.
pub fn file(
    action: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(std::io::Error) -> ChoreError {
    let path = path.into();
    move |source| ChoreError::File {
        action,
        path,
        source,
    }
}
