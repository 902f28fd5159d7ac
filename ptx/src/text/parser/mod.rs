//! Words of a PTX text -> its syntax tree.

mod cursor;
mod declaration;
mod function;
mod instruction;
mod module;

pub use module::parse;
