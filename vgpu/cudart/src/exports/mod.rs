//! The exported functions of the runtime interface, by chapter of its manual. Each only checks what C hands in and
//! calls the driver. build.rs reads their names here: one `fn cudaName(` a line.

mod copy;
mod device;
mod errors;
mod event;
mod function;
mod launch;
mod memory;
mod registration;
mod stream;
mod volume;

// Those that have a second name for per-thread default streams.
pub use copy::*;
pub use errors::*;
pub use event::*;
pub use launch::*;
pub use memory::*;
pub use stream::*;
pub use volume::*;
