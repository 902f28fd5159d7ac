//! `migfit layout`: a GPU model -> its MIG profiles, or the graph of all its layouts. Planning only; asks no device.

pub mod error;
pub mod graph;
pub mod show;

pub use error::LayoutError;
