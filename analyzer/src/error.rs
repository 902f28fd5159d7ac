//! Why an analysis could not be made. One variant per stage; each message names the thing and the next step.

use std::path::PathBuf;
use thiserror::Error;

/// Why an analysis could not be made.
#[derive(Debug, Error)]
pub enum AnalyzeError {
    /// A file could not be read.
    #[error("cannot read {}: {cause}. Hint: check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
    /// A file is not LLVM IR that this LLVM can read.
    #[error(
        "{} holds no LLVM IR that LLVM 19 can read: {message}. Hint: compile it again with a clang up to version 19",
        path.display()
    )]
    Bitcode {
        /// The file.
        path: PathBuf,
        /// LLVM's words.
        message: String,
    },
    /// A file without a byte.
    #[error("{} is empty. Hint: compile it again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A file that no compiler makes so large.
    #[error("{} has {bytes} bytes, more than any module of IR that is read. Hint: name the IR of one program", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Code of the GPU.
    #[error("{} is device code (for {target}), and sizes lie in the host's. Hint: compile with --cuda-host-only", path.display())]
    DeviceCode {
        /// The file.
        path: PathBuf,
        /// What it is for.
        target: String,
    },
    /// Code of another kind of processor.
    #[error("{} is for {target}. Hint: compile it for x86_64, with pointers of 64 bits", path.display())]
    OtherProcessor {
        /// The file.
        path: PathBuf,
        /// What it is for.
        target: String,
    },
    /// A module does not fit those linked before it.
    #[error("cannot link {} with the other modules: {message}. Hint: check for two definitions of one name", path.display())]
    Link {
        /// The file.
        path: PathBuf,
        /// LLVM's words.
        message: String,
    },
    /// No module was given.
    #[error("no bitcode was given. Hint: name at least one .bc file")]
    Nothing,
    /// LLVM refused to run the passes.
    #[error(
        "LLVM's passes failed: {message}. Hint: report it with the .bc file; the program itself is not touched"
    )]
    Passes {
        /// LLVM's words.
        message: String,
    },
    /// The job profile could not be turned into bytes.
    #[error("cannot write down the job profile: {message}. Hint: report it with the .bc file")]
    Encode {
        /// The encoder's words.
        message: String,
    },
    /// A file could not be written.
    #[error("cannot write {}: {cause}. Hint: check that the folder exists and has room", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
}
