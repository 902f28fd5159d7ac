//! Where sizes come from, for people: what an evaluation saw of each value, and the tree from an allocation or launch
//! back to the program's inputs. In reading order: what is noted, how values are written, trees, calls with their trees.

mod definition;
mod expression;
mod node;
mod packed;
mod sites;
mod tree;
pub mod watch;
mod words;

pub use node::{Node, Origin, SiteTree, ValueSeen};
pub use sites::sites;
pub use watch::{At, Held, Watch};
