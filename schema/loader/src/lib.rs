//! A program's file and the environment of its run in, the shared libraries that the dynamic loader (ld.so) would
//! take out; runs nothing. Must not know what migfit writes into files.

mod cache;
mod dynamic;
mod places;
mod search;
mod system;

pub use cache::parse as parse_cache;
pub use dynamic::Dynamic;
pub use places::Places;
pub use search::{Needed, needed, not_looked_into};
pub use system::is_system;
