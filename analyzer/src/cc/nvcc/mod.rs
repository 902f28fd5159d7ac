//! The nvcc that a build finds first: it starts the real one so that its host compiler is seen by us, and otherwise as
//! it was called. Words and environment in; the real nvcc's output and exit code out.

mod command;
mod run;
mod words;

pub use run::stand_in;
