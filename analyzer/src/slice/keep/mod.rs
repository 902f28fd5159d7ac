//! What a slice keeps: backwards from the CUDA calls over operands, memory objects and control dependence.

mod calls;
mod decisions;
mod keeper;
mod kept;
mod seeds;

pub use keeper::{Known, keep};
pub use kept::Kept;

#[cfg(test)]
mod tests;
