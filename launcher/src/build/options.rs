//! What the command line of `migfit build` asks for.

use std::ffi::OsString;

/// What the command line of `migfit build` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// The build command and its arguments: all that follows `--`.
    pub command: Vec<OsString>,
    /// Make programs for the virtual GPU (`--virtual`).
    pub for_virtual_gpu: bool,
    /// Who compiles nvcc's host code (`--host-compiler`).
    pub host_compiler: HostCompiler,
}

/// Who compiles nvcc's host code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostCompiler {
    /// The compiler that the build would have used; IR comes from a pass of clang beside it.
    #[default]
    User,
    /// Clang: the object comes from the bitcode that is analysed.
    Clang,
}
