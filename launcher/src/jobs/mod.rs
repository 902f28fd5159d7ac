//! Jobs as users state them: a job file, commands on standard input, or a program with its arguments. Knows no GPU
//! and starts nothing. In the order in which text becomes jobs.

pub mod job;

pub mod error;

mod toml_place;

mod complaint;

pub mod memory;

pub mod duration;

mod times;

mod template;

mod matrix;

mod values;

mod names;

mod entry;

mod after;

mod file;

mod lines;

pub mod source;

pub use error::JobFileError;
pub use job::Job;
pub use source::{Commands, JobSource};

#[cfg(test)]
mod keys_tests;

#[cfg(test)]
mod matrix_tests;
