//! Why `migfit fit` has no answer.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::program::ProgramError;
use crate::sizing::word::MisplacedWord;
use std::ffi::OsString;

/// Why `migfit fit` has no answer.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// The program or its job profile.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The user's word is about something that the program has not.
    #[error(transparent)]
    Word(#[from] MisplacedWord),
    /// The working folder is gone or forbidden.
    #[error("the working folder cannot be told: {0}")]
    WorkingFolder(std::io::Error),
    /// A word of the command line in no text encoding.
    #[error("'{}' is no UTF-8 text, so it cannot be evaluated", .0.display())]
    NotText(OsString),
    /// The JSON cannot be made.
    #[error("cannot write the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Explain for FitError {
    fn place(&self) -> Option<String> {
        match self {
            FitError::Program(error) => error.place(),
            FitError::Word(_)
            | FitError::WorkingFolder(_)
            | FitError::NotText(_)
            | FitError::Json(_) => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            FitError::Program(error) => error.hint(),
            FitError::Word(error) => error.hint(),
            FitError::WorkingFolder(_) => Some("go to a folder that exists: cd".to_owned()),
            FitError::NotText(_) => Some("rename the file that it names".to_owned()),
            FitError::Json(_) => None,
        }
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            FitError::Program(error) => error.exit_code(),
            FitError::Word(error) => error.exit_code(),
            FitError::WorkingFolder(_) => ExitCode::NoSuchTarget,
            FitError::NotText(_) => ExitCode::Usage,
            FitError::Json(_) => ExitCode::CannotWrite,
        }
    }
}
