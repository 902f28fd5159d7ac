//! Compiled kernels -> blocks of threads that run: their memory, their waiting for each other, their faults.

mod barrier;
mod block;
pub mod guard;
pub mod launch;
pub mod memory;
mod warp;
