//! What `migfit build` and `migfit-cc` tell each other: the names of environment variables, and one line of JSON
//! per linked CUDA program in the build's log.

use serde::{Deserialize, Serialize};

/// The clang to use: a path, or a name in PATH.
pub const CLANG_VARIABLE: &str = "MIGFIT_CLANG";
/// PATH without the folder of shims: where a shim finds the compiler that it stands for.
pub const REAL_PATH_VARIABLE: &str = "MIGFIT_REAL_PATH";
/// Set to 1 when programs are built for the virtual GPU.
pub const VIRTUAL_VARIABLE: &str = "MIGFIT_VIRTUAL";
/// File to which one line per linked CUDA program is appended.
pub const LOG_VARIABLE: &str = "MIGFIT_BUILD_LOG";

/// The newest clang whose bitcode the linked LLVM reads.
pub const NEWEST_CLANG: u32 = 19;
/// The oldest clang that is looked for by itself.
pub const OLDEST_CLANG: u32 = 14;

/// Names of compilers that stand first in PATH during a build, all of them `migfit-cc`.
pub const SHIMS: [&str; 8] = [
    "cc", "c++", "gcc", "g++", "clang", "clang++", "mpicc", "mpicxx",
];

/// One linked CUDA program: a line of the build's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltProgram {
    /// The program's absolute path.
    pub path: String,
    /// Allocation sites found.
    pub allocations: usize,
    /// Launch sites found.
    pub launches: usize,
    /// Places that could not be followed.
    pub unknowns: usize,
    /// Linked objects that carried no IR.
    pub without_ir: Vec<String>,
    /// Why the program carries no size program, when it carries none.
    pub failure: Option<String>,
}
