//! PTX text <-> syntax tree. Texts of ISA 7 to 9 as nvcc and clang write them; what a text means is not looked at.

pub mod error;
mod tokens;

pub mod ast;
pub mod literal;
mod parser;
mod printer;
pub mod types;

pub use error::{Place, PtxError};
pub use parser::parse;

#[cfg(test)]
mod tests;
