//! A flat function -> the code generator's form. A kernel's code runs a range of a block's threads, each to where it
//! waits for others; another function's code runs one call.

mod arithmetic;
mod atomic;
mod bits;
mod call;
mod compare;
mod control;
mod convert;
pub mod count;
mod fixed;
mod float;
mod frame;
pub mod function;
mod half;
mod memory;
mod moves;
mod operand;
mod special;
mod steps;
mod stop;

pub use function::{Environment, Refusal, device_function, kernel};
