//! Why `migfit fit` has no answer.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::program::ProgramError;

/// Why `migfit fit` has no answer.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// The program or its job profile.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The working folder is gone or forbidden.
    #[error("the working folder cannot be told: {0}")]
    WorkingFolder(std::io::Error),
}

impl Explain for FitError {
    fn place(&self) -> Option<String> {
        match self {
            FitError::Program(error) => error.place(),
            FitError::WorkingFolder(_) => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            FitError::Program(error) => error.hint(),
            FitError::WorkingFolder(_) => Some("go to a folder that exists: cd".to_owned()),
        }
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            FitError::Program(error) => error.exit_code(),
            FitError::WorkingFolder(_) => ExitCode::NoSuchTarget,
        }
    }
}
