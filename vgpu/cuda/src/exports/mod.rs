//! The exported functions of the driver interface, by chapter of its manual. Each only checks what C hands in and calls
//! what does the work. build.rs reads their names here: one `fn cuName(` a line.

mod array;
mod capture;
mod context;
mod copy;
mod device;
mod fill;
mod graph;
mod graph_edge;
mod graph_exec;
mod graph_memory;
mod graph_node;
mod launch;
mod library;
mod managed;
mod memory;
mod occupancy;
mod peer;
mod pointer;
mod pool;
mod process;
mod stream;
mod texture;
mod virtual_memory;

// Those that have a second name for per-thread default streams.
pub use capture::*;
pub use copy::*;
pub use fill::*;
pub use graph_exec::*;
pub use launch::*;
pub use managed::*;
#[cfg(test)]
pub use memory::free;
pub use pool::*;
pub use stream::*;
