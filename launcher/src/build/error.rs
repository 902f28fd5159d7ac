//! Why a build could not be started. A build that started and failed is no error: its exit code is passed on.

use std::io::ErrorKind;
use std::path::PathBuf;

/// Why a build could not be started.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Nothing stands after `--`.
    #[error("no build command was given")]
    NoCommand,
    /// The build command is not there.
    #[error("cannot find the build command `{0}`")]
    CommandNotFound(String),
    /// The build command is there and cannot be started.
    #[error("cannot start the build command `{command}`: {source}")]
    CommandNotStarted {
        /// The command.
        command: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// No clang, under the names looked for.
    #[error("no clang was found: looked for {0}")]
    NoClang(String),
    /// A clang that does not tell its version.
    #[error("{0} does not answer `--version` as clang does")]
    NotClang(PathBuf),
    /// A clang whose bitcode our LLVM cannot read.
    #[error("{path} is clang {version}; migfit reads the bitcode of clang up to {newest}")]
    ClangTooNew {
        /// The clang.
        path: PathBuf,
        /// Its major version.
        version: u32,
        /// The newest that will do.
        newest: u32,
    },
    /// `migfit-cc` or `migfit-analyze` is not beside `migfit`.
    #[error("migfit's installation is incomplete: {0} is missing")]
    Missing(PathBuf),
    /// nvcc splits its flags at spaces, with no way to quote.
    #[error("nvcc cannot be given the path {0}: it holds white space")]
    Spaces(PathBuf),
    /// The folder of shims could not be made.
    #[error("cannot make the temporary folder of compiler shims: {}", reason(.0))]
    Shims(#[source] std::io::Error),
}

/// What the system says; of a full disk, which one.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull => format!("TMPDIR is full: {}", std::env::temp_dir().display()),
        _ => error.to_string(),
    }
}

impl BuildError {
    /// The next step.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            BuildError::NoCommand => "write it after `--`: migfit build -- make".into(),
            BuildError::CommandNotFound(name) if name == "nvcc" => {
                "export PATH=/usr/local/cuda/bin:$PATH, or where the CUDA toolkit is".into()
            }
            BuildError::CommandNotFound(_) => {
                "is it installed and in PATH? The command is run as it stands, without a shell: \
                 for shell syntax say: migfit build -- sh -c '...'"
                    .into()
            }
            BuildError::CommandNotStarted { .. } => {
                "is it an executable file? Try it without migfit build".into()
            }
            BuildError::NoClang(_) | BuildError::NotClang(_) | BuildError::ClangTooNew { .. } => {
                "install it with `apt install clang-19`, or name a clang with MIGFIT_CLANG=/path/to/clang".into()
            }
            BuildError::Missing(_) => {
                "it belongs beside the program migfit; from the source tree `cargo xtask demo` stages both".into()
            }
            BuildError::Spaces(_) => "set TMPDIR to a folder without spaces in its path".into(),
            BuildError::Shims(_) => "set TMPDIR to a folder that can be written and has room".into(),
        }
    }
}
