//! Graphs: nodes of work and what comes before what; executable graphs, which are launched; and the memory of their nodes.

mod executable;
mod graph;
pub mod memory;
pub mod parameters;

pub use executable::{executable, instantiate, remove_executable};
pub use graph::{Graph, create, destroy, destroy_node, get, node};
