//! The exported functions of the runtime interface, by chapter of its manual. Each only checks what C hands in and
//! calls the driver. build.rs reads their names here: one `fn cudaName(` a line.

mod array;
mod array_copy;
mod capture;
mod copy;
mod device;
mod errors;
mod event;
mod function;
mod graph;
mod graph_any;
mod graph_node;
mod launch;
mod library;
mod managed;
mod memory;
mod peer;
mod pool;
mod registration;
mod stream;
mod texture;
#[cfg(not(feature = "twelve"))]
mod thirteen;
#[cfg(feature = "twelve")]
mod twelve;
mod volume;

// Those that have a second name for per-thread default streams.
pub use array_copy::*;
pub use capture::*;
pub use copy::*;
pub use errors::*;
pub use event::*;
pub use graph::*;
pub use graph_any::AnyNode;
pub use launch::*;
pub use managed::*;
pub use memory::*;
pub use pool::*;
pub use stream::*;
#[cfg(not(feature = "twelve"))]
pub use thirteen::*;
#[cfg(feature = "twelve")]
pub use twelve::*;
pub use volume::*;
