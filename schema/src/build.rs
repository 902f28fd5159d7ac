//! What `migfit build` and `migfit-cc` tell each other: the names of environment variables, and lines of
//! JSON in the build's log.

use serde::{Deserialize, Serialize};

/// The clang to use: a path, or a name in PATH.
pub const CLANG_VARIABLE: &str = "MIGFIT_CLANG";
/// PATH without the folder of shims: where a shim finds the compiler that it stands for.
pub const REAL_PATH_VARIABLE: &str = "MIGFIT_REAL_PATH";
/// Set to 1 when programs are built for the virtual GPU.
pub const VIRTUAL_VARIABLE: &str = "MIGFIT_VIRTUAL";
/// Who compiles host code: `HOST_COMPILER_CLANG`, or the compiler that the build would have used.
pub const HOST_COMPILER_VARIABLE: &str = "MIGFIT_HOST_COMPILER";
/// Value of `HOST_COMPILER_VARIABLE`: clang stands in under nvcc, and the object comes from the bitcode.
pub const HOST_COMPILER_CLANG: &str = "clang";
/// From our nvcc to the host compiler that it starts: the `-ccbin` that the user's command has.
pub const CCBIN_VARIABLE: &str = "MIGFIT_CCBIN";
/// `migfit-cc` under a path that nvcc can be told.
pub const OURS_VARIABLE: &str = "MIGFIT_CC";
/// What `migfit build` put behind the user's NVCC_APPEND_FLAGS.
pub const NVCC_FLAGS_VARIABLE: &str = "MIGFIT_NVCC_FLAGS";
/// Value of `HOST_COMPILER_VARIABLE`: there is no clang, so nothing gives IR.
pub const HOST_COMPILER_ALONE: &str = "alone";
/// In a list of objects without IR, between the name of one that was compiled under us and the reason, which a bracket
/// closes.
pub const NO_IR: &str = " (no IR: ";
/// First word of our nvcc's own: the real nvcc follows it.
pub const NVCC_WORD: &str = "--migfit-nvcc";
/// File to which lines of JSON are appended.
pub const LOG_VARIABLE: &str = "MIGFIT_BUILD_LOG";

/// The newest clang whose bitcode the linked LLVM reads.
pub const NEWEST_CLANG: u32 = 19;
/// The oldest clang that is looked for by itself.
pub const OLDEST_CLANG: u32 = 14;

/// Names of compilers that stand first in PATH during a build, all of them `migfit-cc`.
pub const SHIMS: [&str; 8] = [
    "cc", "c++", "gcc", "g++", "clang", "clang++", "mpicc", "mpicxx",
];

/// One line of the build's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLine {
    /// A CUDA program or library was linked.
    Linked(BuiltProgram),
    /// Something that the user should know of the build.
    Note(BuildNote),
}

/// Something that the user should know of the build; told once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildNote {
    /// `-flto` was left out of compiles: objects of link-time optimisation have no place for IR.
    LtoLeftOut,
    /// nvcc was told to use this host compiler (`-ccbin`) and used clang.
    HostCompilerSetAside(String),
    /// clang's own attempt to link failed, this compiler linked.
    LinkedBy(String),
    /// An nvcc command was the user's compiler's from the start, because of these flags for the host compiler.
    LeftToUsersCompiler(String),
    /// Host code was compiled by the user's compiler, with a pass of clang beside it.
    SidePass,
    /// An nvcc command failed with what we add to it, and was run again without us.
    RunAgain(String),
    /// The copy of a job profile under the program's build-id could not be written, and why.
    NoCopy(String),
}

/// One linked CUDA program or library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltProgram {
    /// The program's absolute path.
    pub path: String,
    /// Whether it is a shared library.
    pub is_library: bool,
    /// Allocation sites found.
    pub allocations: usize,
    /// Launch sites found.
    pub launches: usize,
    /// Places that could not be followed.
    pub unknowns: usize,
    /// Linked objects, members of archives and shared libraries that carried no IR.
    pub without_ir: Vec<String>,
    /// Why the program carries no size program, when it carries none.
    pub failure: Option<String>,
}
