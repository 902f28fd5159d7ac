//! A size program in, a text listing for people and snapshot tests out.

mod words;

mod program;

mod function;

mod instruction;

pub use program::listing;
