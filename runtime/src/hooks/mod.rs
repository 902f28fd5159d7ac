//! The witnesses: what each hooked driver function means for the record, by subject. They get the arguments before the
//! real call and its result after it, and change nothing but what `cuGetProcAddress` answers.

pub mod arrays;
pub mod contexts;
pub mod graphs;
pub mod launch;
pub mod lookup;
pub mod memory;
pub mod names;
pub mod physical;
pub mod pools;
