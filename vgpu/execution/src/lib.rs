//! PTX programs -> machine code of this computer -> blocks of threads that run on it. Device memory is memory of this
//! process at the same addresses. Knows no CUDA interface, no slice and no allocation.

pub mod compile;
mod context;
pub mod error;
mod half;
mod host;
mod layout;
mod math;
mod rounded;
mod run;
mod translate;

pub use compile::{Compiled, Counting, Symbols, compile};
pub use error::{CompileError, Fault, FaultKind};
pub use run::launch::{Launch, launch};

#[cfg(test)]
mod tests;
