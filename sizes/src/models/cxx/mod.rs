//! Models of the functions of libstdc++ that user code calls because their bodies are in the library: strings, trees,
//! lists, hashes, streams. They work on the library's own layouts, since inlined code reads the same memory.

pub mod extract;
pub mod hash_tables;
pub mod ios;
pub mod lists;
mod node;
pub mod open;
pub mod output;
pub mod seek;
pub mod string;
pub mod string_search;
pub mod text;
pub mod trees;
pub mod vtables;
