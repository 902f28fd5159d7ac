//! What a slice keeps: backwards from the CUDA calls over operands, memory objects and control dependence.

mod bare;
mod calls;
mod checks;
mod decisions;
mod destinations;
mod device;
mod keeper;
mod kept;
mod seeds;
mod words;

pub use destinations::is_destination;
pub use keeper::{Known, keep};
pub use kept::Kept;

#[cfg(test)]
mod tests;
