//! Models of the functions of libstdc++ that user code calls because their bodies are in the library: strings, trees,
//! lists, hashes, streams. They work on the library's own layouts, since inlined code reads the same memory.

pub mod buffers;
pub mod exception_types;
pub mod exceptions;
pub mod extract;
pub mod filesystem;
pub mod hash_tables;
pub mod ios;
pub mod lists;
mod node;
pub mod number_format;
pub mod open;
pub mod output;
pub mod path;
pub mod seek;
pub mod string;
pub mod string_places;
pub mod string_plain;
pub mod string_search;
pub mod string_splices;
pub mod text;
pub mod trees;
pub mod vtables;
