//! Planning a batch on the layout graph's places: how long each job takes per MIG profile, and when each memory slice is
//! free, in; who goes where in which order, out. Pure: no clock, no device; effort is counted in evaluations, so that a
//! plan repeats.

pub mod ground;

pub mod slots;

pub mod batch;

pub mod weights;

pub mod bound;

pub mod sequence;

pub mod list;

pub mod greedy;

pub mod anneal;

pub mod sized;

pub mod symmetry;

pub mod exact;

pub mod far;

pub mod fixed;

pub mod smooth;

pub mod polish;

pub mod plan;

pub use batch::{Batch, Task};
pub use ground::{Ground, Time};
pub use plan::{Effort, Plan, plan};
pub use slots::Slots;
