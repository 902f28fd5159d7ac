//! Which objects a register or an object's contents may point to: Andersen's analysis, blind to fields and
//! contexts. Inlining before lowering is what makes it sharp enough.

mod bind;
mod generate;
mod graph;
mod library;
mod object_set;
mod sets;
mod solve;

pub use bind::returned;
pub use sets::{Node, PointsTo};
pub use solve::solve;

#[cfg(test)]
mod tests;
