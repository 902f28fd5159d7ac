//! Where sizes come from, for people: what an evaluation saw of each value, and the tree from an allocation or launch
//! back to the program's inputs. In reading order: what is noted, expressions of values, trees.

mod expression;
mod tree;
pub mod watch;

pub use tree::{Node, Origin, SiteTree, ValueSeen, sites};
pub use watch::{At, Held, Watch};
