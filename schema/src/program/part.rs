//! What one file brings to a process: the program itself, or a shared library that is loaded with it.

use crate::program::{FunctionId, GlobalId, SizeProgram};
use serde::{Deserialize, Serialize};

/// The host code of one file, whole, with what it offers to the other files of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// All its code that `main`, static constructors and exported functions reach, with advice for unknown branches.
    pub program: SizeProgram,
    /// Functions that other files may call by their names.
    pub functions: Vec<FunctionId>,
    /// Variables that other files may refer to by their names.
    pub globals: Vec<GlobalId>,
    /// Bytes of its device variables.
    pub device_variables: u64,
}
