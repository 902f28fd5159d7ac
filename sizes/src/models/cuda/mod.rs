//! Models of the CUDA runtime and of the driver calls that sizes depend on. A call's status is success
//! (the need is asked for, not whether this device could fill it) but for launches whose shape no device takes.

pub mod allocate;
pub mod arrays;
pub mod closed;
pub mod copy;
pub mod driver;
pub mod failure;
pub mod graph;
pub mod graph_calls;
pub mod graph_nodes;
pub mod graph_run;
pub mod kernel;
pub mod launch;
pub mod limits;
pub mod occupancy;
pub mod opt_in;
pub mod potential;
pub mod properties;
pub mod query;
pub mod refusal;
pub mod room;
pub mod symbols;
pub mod virtual_memory;
