//! What a slice keeps: backwards from the CUDA calls over operands, memory objects and control dependence.

mod bare;
mod calls;
mod checks;
mod deaths;
mod decisions;
mod destinations;
mod device;
mod keeper;
mod kept;
mod seeds;
mod success;
mod unchecked;
mod words;

pub use destinations::is_destination;
pub use keeper::{Checks, Known, keep};
pub use kept::Kept;
pub use unchecked::{Check, Unchecked};

#[cfg(test)]
mod tests;
