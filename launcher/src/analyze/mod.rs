//! `migfit analyze`, for machines: a program, an object, IR or a CUDA source in, the need of one command line on one
//! device out. Knows no LLVM: `migfit-analyze` reads IR, `migfit build` compiles sources.

mod compile;
mod device;
mod error;
mod json;
mod target;
mod verb;

pub use error::AnalyzeError;
pub use verb::analyze;
