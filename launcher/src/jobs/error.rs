//! What is wrong with a job file or with what came in its place; where, and what to do.

use std::path::PathBuf;

/// What is wrong with a job file.
#[derive(Debug, thiserror::Error)]
pub enum JobFileError {
    /// It cannot be read.
    #[error("cannot read {whose}: {source}")]
    Unreadable {
        /// What.
        whose: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is a folder.
    #[error("the job file '{}' is a folder", .0.display())]
    Folder(PathBuf),
    /// Something in it is wrong.
    #[error("{what}")]
    Wrong {
        /// The file, or `standard input`.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The folder that migfit was started in is gone.
    #[error("cannot tell the current folder: {0}")]
    WorkingFolder(std::io::Error),
}
