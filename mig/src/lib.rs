//! MIG models, layouts, the layout graph, placement and sizing. Pure: data in, data or text out.
//! Knows no clock, no device and no file at run time; the same code plans live and simulated runs.

pub mod profile_name;

pub mod model;

pub mod catalog;

pub mod layout;

mod candidates;

pub mod graph;

pub mod place;

pub mod tightest;

pub mod render;

pub mod planning;

pub use catalog::{ModelError, builtin, find};
pub use graph::LayoutGraph;
pub use layout::{Layout, Placed};
pub use model::{Engines, MemorySource, MigProfile, Model, Placement};
pub use place::{Action, Decision, Held, NoPlacement, place};
pub use profile_name::{Attribute, ProfileName};
pub use tightest::{Fit, Sizing, tightest};
