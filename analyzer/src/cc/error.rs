//! Why `migfit-cc` could not stand in for the compiler. Failures of our own part never get here: they are warnings.

use std::path::PathBuf;

/// Why the compiler could not be run.
#[derive(Debug, thiserror::Error)]
pub enum CcError {
    /// The compiler that we stand for is not in PATH.
    #[error("cannot find the compiler `{0}`")]
    NoCompiler(String),
    /// No clang for nvcc's host code.
    #[error("no clang was found: looked for {0}")]
    NoClang(String),
    /// The compiler is there and does not start.
    #[error("cannot start {compiler}: {source}")]
    NotStarted {
        /// The compiler.
        compiler: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl CcError {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            CcError::NoCompiler(_) => "install it, or run the build without `migfit build`",
            CcError::NoClang(_) => {
                "install it with `apt install clang-19`, or name a clang with MIGFIT_CLANG=/path/to/clang"
            }
            CcError::NotStarted { .. } => "MIGFIT=off runs the build without migfit",
        }
    }
}
