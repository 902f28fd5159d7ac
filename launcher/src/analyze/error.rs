//! Why `migfit analyze` has no answer.

use crate::cli::error::CliError;
use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::program::ProgramError;
use crate::sizing::word::MisplacedWord;
use std::path::{Path, PathBuf};

/// Why `migfit analyze` has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnalyzeError {
    /// The program or its job profile.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The user's word is about something that the program has not.
    #[error(transparent)]
    Word(#[from] MisplacedWord),
    /// No such file, or one that may not be read.
    #[error("'{}' cannot be read: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A folder, a pipe, a device.
    #[error("'{}' is no regular file", .0.display())]
    NotAFile(PathBuf),
    /// A file that no compiler makes so large.
    #[error("'{}' has {bytes} bytes, more than any object or module that is read", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Neither a program nor anything that can be made one.
    #[error("'{}' is neither a program, an object, LLVM IR nor a source", .0.display())]
    OtherKind(PathBuf),
    /// A program is whole: nothing is linked to it.
    #[error("'{}' is a linked program and stands beside other files", .0.display())]
    ProgramAmongOthers(PathBuf),
    /// An object without IR.
    #[error("'{}' carries no host IR", .0.display())]
    NoIr(PathBuf),
    /// An object that contradicts itself.
    #[error("'{}' is damaged: {reason}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The compiler refused.
    #[error("'{}' does not compile:\n{said}", file.display())]
    Compile {
        /// The source.
        file: PathBuf,
        /// The compiler's first lines.
        said: String,
    },
    /// `migfit-analyze` refused.
    #[error("'{}' cannot be analysed: {reason}", file.display())]
    Analysis {
        /// The file.
        file: PathBuf,
        /// Its reason.
        reason: String,
    },
    /// A part of migfit is not installed.
    #[error("a part of migfit is missing: {}", .0.display())]
    Missing(PathBuf),
    /// A tool that does not start.
    #[error("'{}' cannot be started: {cause}", tool.display())]
    NotStarted {
        /// The tool.
        tool: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// No GPU model of that name.
    #[error(transparent)]
    Model(CliError),
    /// A model of which a program could be told too little.
    #[error("too little is known of {0}: how many SMs it has")]
    NoSms(String),
    /// The file that describes the device.
    #[error("the device file '{}' is wrong: {reason}", file.display())]
    Device {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, where.
        reason: String,
    },
    /// `--cwd`.
    #[error("'{}' is no folder", .0.display())]
    NoFolder(PathBuf),
    /// The working folder is gone or forbidden.
    #[error("the working folder cannot be told: {0}")]
    WorkingFolder(std::io::Error),
    /// A temporary folder.
    #[error("a temporary file cannot be written: {0}")]
    Scratch(std::io::Error),
    /// The JSON cannot be made.
    #[error("cannot write the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl AnalyzeError {
    /// A file that the system refuses.
    pub fn unreadable(file: &Path, cause: std::io::Error) -> AnalyzeError {
        AnalyzeError::Unreadable {
            file: file.to_owned(),
            cause,
        }
    }
}

impl Explain for AnalyzeError {
    fn place(&self) -> Option<String> {
        match self {
            AnalyzeError::Program(error) => error.place(),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            AnalyzeError::Program(error) => return error.hint(),
            AnalyzeError::Model(error) => return error.hint(),
            AnalyzeError::Word(error) => return error.hint(),
            AnalyzeError::Json(_) => return None,
            AnalyzeError::Unreadable { .. } => "see what is there: ls -l",
            AnalyzeError::NotAFile(_)
            | AnalyzeError::TooLarge { .. }
            | AnalyzeError::OtherKind(_) => "name a program, .o, .ll, .bc, .cu, .cpp or .c",
            AnalyzeError::ProgramAmongOthers(_) => "name the program alone, or its objects",
            AnalyzeError::NoIr(_) => "compile it with migfit: migfit build -- nvcc -c FILE.cu",
            AnalyzeError::Damaged { .. } => "compile it again",
            AnalyzeError::Compile { .. } => {
                "build it as its own project does and name the program: migfit build -- make"
            }
            AnalyzeError::Analysis { .. } => "IR of LLVM 14 to 19 for 64-bit hosts can be read",
            AnalyzeError::Missing(_) => "install migfit whole: cargo xtask stage",
            AnalyzeError::NotStarted { .. } => "see whether it may be executed: ls -l",
            AnalyzeError::NoSms(_) => "describe the device in a file: --device FILE",
            AnalyzeError::Device { .. } => {
                "it is TOML or JSON with name, compute_capability = [9, 0], sm_count, memory_bytes, ..."
            }
            AnalyzeError::NoFolder(_) => "name a folder that exists: --cwd DIR",
            AnalyzeError::WorkingFolder(_) => "go to a folder that exists: cd",
            AnalyzeError::Scratch(_) => "make room in TMPDIR, or set it to another folder",
        };
        Some(hint.to_owned())
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            AnalyzeError::Program(error) => error.exit_code(),
            AnalyzeError::Model(error) => error.exit_code(),
            AnalyzeError::Word(error) => error.exit_code(),
            AnalyzeError::Unreadable { .. }
            | AnalyzeError::NoFolder(_)
            | AnalyzeError::WorkingFolder(_) => ExitCode::NoSuchTarget,
            AnalyzeError::NotAFile(_)
            | AnalyzeError::TooLarge { .. }
            | AnalyzeError::OtherKind(_)
            | AnalyzeError::ProgramAmongOthers(_)
            | AnalyzeError::Damaged { .. }
            | AnalyzeError::Compile { .. }
            | AnalyzeError::Analysis { .. } => ExitCode::NotAProgram,
            AnalyzeError::NoIr(_) => ExitCode::NoJobProfile,
            AnalyzeError::Missing(_) | AnalyzeError::NotStarted { .. } => ExitCode::Incomplete,
            AnalyzeError::NoSms(_) | AnalyzeError::Device { .. } => ExitCode::UnknownName,
            AnalyzeError::Scratch(_) | AnalyzeError::Json(_) => ExitCode::CannotWrite,
        }
    }
}
