//! Questions and replies, as JSON on one line each.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A module and what it is run with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    /// IR text of a whole program.
    pub ir: PathBuf,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Command lines, without the program's name.
    pub runs: Vec<Vec<String>>,
}

/// What a worker makes of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply<T> {
    /// What was asked for, one for each command line.
    Done(Vec<T>),
    /// Why there is nothing: the module is not valid, or the process that looked at it died.
    Failed(String),
}

/// What one run did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Largest sum of bytes alive.
    pub peak: u64,
    /// Kernel, grid, block and dynamic shared memory in one text -> how often.
    pub launches: BTreeMap<String, u64>,
}

/// What the analyzer foretells of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The verdict, as it is printed.
    pub verdict: String,
    /// Bytes; none where unknown.
    pub peak: Option<u64>,
    /// As in a truth; what is unknown of a shape is `?`.
    pub launches: BTreeMap<String, u64>,
    /// What stayed unknown or was assumed.
    pub notes: Vec<String>,
}
