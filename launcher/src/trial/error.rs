//! Why a program was not tried out.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::program::ProgramError;
use crate::run::RunError;
use migfit_schema::units::Bytes;
use std::path::PathBuf;

/// Why a program was not tried out.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// It cannot run on the virtual GPU, or the virtual GPU is not there.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The machine's memory.
    #[error("'{}' needs at least {needs} of device memory, and this machine has {has} free; nothing was started", program.display())]
    TooLarge {
        /// The program.
        program: PathBuf,
        /// What is foretold of it.
        needs: Bytes,
        /// What is free.
        has: Bytes,
    },
    /// No layer, and nobody who agreed to do without.
    #[error("what the program writes cannot be kept apart here ({0}); nothing was started")]
    NoLayer(String),
    /// None of the boards asked for can be a virtual GPU.
    #[error("too little is known of {0} for a virtual GPU")]
    NoModel(String),
    /// A folder or file of ours.
    #[error("'{}' cannot be written: {source}", path.display())]
    CannotWrite {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The working folder is gone or forbidden.
    #[error("the working folder cannot be told: {0}")]
    WorkingFolder(std::io::Error),
    /// Signals cannot be waited for, or the process not started.
    #[error("'{}' cannot be started: {source}", program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The program never called CUDA.
    #[error("'{}' left no run record: it ended ({ending}) before its first CUDA call", program.display())]
    NoRecord {
        /// The program.
        program: PathBuf,
        /// How it ended.
        ending: String,
    },
    /// The JSON cannot be made.
    #[error("cannot write the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Explain for TrialError {
    fn place(&self) -> Option<String> {
        match self {
            TrialError::Program(error) => error.place(),
            TrialError::Run(error) => error.place(),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            TrialError::Program(error) => return error.hint(),
            TrialError::Run(error) => return error.hint(),
            TrialError::TooLarge { .. } => {
                "run it on a machine with more memory, or give smaller arguments; --skip-kernels needs only \
                 the memory that the host copies"
                    .to_owned()
            }
            TrialError::NoLayer(_) => {
                "with --in-place the program writes to your files as they are".to_owned()
            }
            TrialError::NoModel(_) => "name another model: --gpu a100-80gb".to_owned(),
            TrialError::CannotWrite { .. } => "is the disk full? name another folder in TMPDIR".to_owned(),
            TrialError::WorkingFolder(_) => "go to a folder that exists: cd".to_owned(),
            TrialError::NotStarted { .. } => "can it be started without migfit?".to_owned(),
            TrialError::NoRecord { .. } => {
                "what it printed is above; are its arguments right, and is it a CUDA program?".to_owned()
            }
            TrialError::Json(_) => return None,
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            TrialError::Program(error) => error.exit_code(),
            TrialError::Run(error) => error.exit_code(),
            TrialError::TooLarge { .. } => ExitCode::TooLarge,
            TrialError::NoLayer(_) | TrialError::NotStarted { .. } => ExitCode::CannotStart,
            TrialError::NoModel(_) => ExitCode::UnknownName,
            TrialError::CannotWrite { .. } | TrialError::Json(_) => ExitCode::CannotWrite,
            TrialError::WorkingFolder(_) => ExitCode::NoSuchTarget,
            TrialError::NoRecord { .. } => ExitCode::NoJobProfile,
        }
    }
}
