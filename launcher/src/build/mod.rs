//! `migfit build -- CMD`: the user's own build command goes in, its exit code comes out, and the CUDA programs that
//! it links carry a job profile. Knows no LLVM: `migfit-cc`, started by the build itself, does the work.

mod clang;
mod environment;
mod error;
mod options;
mod run;
mod search;
mod shims;
mod summary;
mod told;
mod toolkit;

pub use error::BuildError;
pub use options::{BuildOptions, HostCompiler};
pub use run::{clang_here, nvcc_here, run};
