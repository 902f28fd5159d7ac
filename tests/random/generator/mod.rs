//! A number in, a CUDA host program out: well defined C++ (no overflow, no read of what was not written) that ends
//! after few steps and whose sizes, launches and branches depend on arguments, memory, loops and calls.

mod expression;
mod forms;
mod function;
mod mainline;
mod program;
mod statement;
mod text;
mod types;

pub use program::{Program, program};
