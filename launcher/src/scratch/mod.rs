//! A scratch layer: a program runs on the files as they are, and what it writes goes elsewhere and is thrown away. Not a
//! sandbox: the network, signals, devices and what other processes do are not kept apart.

mod layer;
mod mounts;
mod room;

pub use layer::{InScratch, enter};
pub use room::{Room, Written};
