//! The exported functions of the driver interface, by chapter of its manual. Each only checks what C hands in and calls
//! what does the work. build.rs reads their names here: one `fn cuName(` a line.

mod context;
mod copy;
mod device;
mod launch;
mod library;
mod memory;
mod process;
mod stream;

// Those that have a second name for per-thread default streams.
pub use copy::*;
pub use launch::*;
pub use memory::*;
pub use stream::*;
