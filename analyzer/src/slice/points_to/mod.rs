//! Which objects a register or an object's contents may point to: Andersen's analysis, blind to fields and
//! contexts. Inlining before lowering is what makes it sharp enough.

mod bind;
mod generate;
mod library;
mod sets;
mod solve;

pub use bind::returned;
pub use sets::PointsTo;
pub use solve::solve;

#[cfg(test)]
mod tests;
