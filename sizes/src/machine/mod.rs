//! The interpreter of size programs: values, byte-accurate host memory, steps, calls and unknown branches.
//! Knows nothing of libc or CUDA but the names that `models` answers to.

pub mod access;
pub mod address;
mod ahead;
pub mod arithmetic;
pub mod branch;
pub mod call;
pub mod convert;
pub mod effects;
pub mod given;
mod handed_on;
pub mod host;
mod loose;
pub mod mark;
pub mod memory;
pub mod object;
pub mod patience;
pub mod provenance;
pub mod run;
pub mod sign;
pub mod start;
pub mod step;
mod tags;
pub mod value;
mod watching;
