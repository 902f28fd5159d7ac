//! Jobs as users state them: a job file, or a program with its arguments. Knows no GPU and starts nothing.

pub mod job;

mod toml_place;

mod memory;

pub mod file;

pub use job::Job;
