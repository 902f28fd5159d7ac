//! Why a program could not be found, or its job profile could not be read.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use migfit_schema::container::{ContainerError, PROFILE_SECTION};
use migfit_schema::profile::PROFILE_VERSION;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Why a program could not be found, or its job profile could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Nothing of that name.
    #[error("there is no program '{name}'")]
    NotFound {
        /// As given.
        name: String,
        /// A program that may have been meant.
        instead: Option<String>,
    },
    /// A folder.
    #[error("'{}' is a folder, not a program", .0.display())]
    Folder(PathBuf),
    /// A device, a pipe or a socket.
    #[error("'{}' is no regular file", .0.display())]
    NotRegular(PathBuf),
    /// It may not be executed.
    #[error("'{}' may not be executed", .0.display())]
    NotExecutable(PathBuf),
    /// The system refuses to read it.
    #[error("'{}' cannot be read: {}", path.display(), said(source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file of another kind.
    #[error("'{}' is {kind}, not a Linux program (ELF)", path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// An object file, which has no job profile of its own.
    #[error("'{}' is an object file, not a linked program", .0.display())]
    Unlinked(PathBuf),
    /// An ELF file that ends early or contradicts itself.
    #[error("'{}' is a damaged ELF file: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// No section of ours.
    #[error("'{}' carries no job profile", .0.display())]
    NoProfile(PathBuf),
    /// The section's entries are cut or foreign.
    #[error("the job profile of '{}' is damaged: {reason}", path.display())]
    DamagedProfile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: DamagedProfile,
    },
    /// Written by another version.
    #[error("the job profile of '{}' has version {found}; this migfit reads version {PROFILE_VERSION}", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u64,
        /// Version of the migfit that wrote it, where it says so.
        writer: Option<String>,
    },
}

/// What the system says, in words where we have them.
fn said(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// What is wrong inside a job profile.
#[derive(Debug, thiserror::Error)]
pub enum DamagedProfile {
    /// The container.
    #[error("section {PROFILE_SECTION}: {0}")]
    Container(ContainerError),
    /// The section is there, a summary is not.
    #[error("section {PROFILE_SECTION} holds no summary")]
    NoSummary,
    /// Two programs' job profiles in one file.
    #[error("section {PROFILE_SECTION} holds {0} summaries, one is right")]
    Several(usize),
    /// The summary's JSON.
    #[error("summary: {0}")]
    Summary(serde_json::Error),
    /// The size program's bytes.
    #[error("size program: {0}")]
    SizeProgram(postcard::Error),
    /// Bytes behind the size program.
    #[error("size program: {0} bytes too many")]
    Trailing(usize),
}

const BUILD: &str = "build the program with migfit: migfit build -- make";

/// A file in the folder: the one of the folder's own name where there is one.
fn inside(folder: &Path) -> PathBuf {
    let own = folder.file_name().map(|name| folder.join(name));
    own.filter(|file| file.is_file())
        .unwrap_or_else(|| folder.join("a.out"))
}

impl Explain for ProgramError {
    fn place(&self) -> Option<String> {
        match self {
            ProgramError::OtherVersion {
                writer: Some(writer),
                ..
            } => Some(format!("written by migfit {writer}")),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            ProgramError::NotFound { instead, .. } => match instead {
                Some(instead) => format!("did you mean {instead}?"),
                None => "name the program's file, with its folder: ./a.out".to_owned(),
            },
            ProgramError::Folder(path) => {
                format!("name a program in it: {}", inside(path).display())
            }
            ProgramError::NotRegular(_) => {
                "name a program's file, with its folder: ./a.out".to_owned()
            }
            ProgramError::NotExecutable(path) => {
                format!("is it a program? then: chmod +x {}", path.display())
            }
            ProgramError::Unreadable { path, .. } => {
                format!("see who may read it: ls -l {}", path.display())
            }
            ProgramError::NotElf { .. } | ProgramError::Unlinked(_) => {
                "name the linked program that 'migfit build -- make' makes".to_owned()
            }
            ProgramError::Damaged { .. } => {
                "it may be half copied or half linked: build it again".to_owned()
            }
            ProgramError::NoProfile(_) => {
                format!("{BUILD} (llvm-strip takes the job profile away, GNU strip leaves it)")
            }
            ProgramError::DamagedProfile { .. } => {
                "build it again with migfit: migfit build -- make".to_owned()
            }
            ProgramError::OtherVersion { .. } => {
                format!("{BUILD} (again, with the migfit that shall read it)")
            }
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            ProgramError::NotFound { .. } | ProgramError::Unreadable { .. } => {
                ExitCode::NoSuchTarget
            }
            ProgramError::Folder(_)
            | ProgramError::NotRegular(_)
            | ProgramError::NotExecutable(_)
            | ProgramError::NotElf { .. }
            | ProgramError::Unlinked(_)
            | ProgramError::Damaged { .. } => ExitCode::NotAProgram,
            ProgramError::NoProfile(_) => ExitCode::NoJobProfile,
            ProgramError::DamagedProfile { .. } | ProgramError::OtherVersion { .. } => {
                ExitCode::BadJobProfile
            }
        }
    }
}
