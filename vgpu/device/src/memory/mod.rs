//! Device memory of one context: an address range of its own in which only allocated granules are mapped.

mod free_ranges;
mod heap;
mod space;

pub use heap::{Allocation, GRANULE, Heap, SHARED_BELOW, units};
