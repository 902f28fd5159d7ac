//! Policies: who goes where, when. Pure: a situation in, one step with its reason out; no clock, no device, so
//! the same object decides in live and in simulated runs.

pub mod host;

pub mod situation;

pub mod step;

pub mod policies;

mod somewhere;

pub mod sequential;

pub mod fifo;

pub mod sorted;

pub mod view;

pub mod planned;

pub mod planners;

pub mod share;

pub mod migfit;

pub mod names;

pub mod named;

pub use host::{HostRoom, Share, Shortage};
pub use policies::Policy;
pub use situation::{Going, Queued, Situation};
pub use step::{Start, Step};

#[cfg(test)]
mod sentences;
