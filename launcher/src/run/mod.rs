//! `migfit run`: jobs in, each sized, placed, run and recorded, a report out. In the order in which things happen.

pub mod error;

mod installation;

pub mod folder;

pub mod need;

pub mod ready;

mod slices;

mod launch;

mod child;

mod events;

mod holes;

pub mod record;

mod verified;
mod virtual_gpu_only;

pub mod outcome;

mod progress;

mod batch;

mod verb;

pub use error::RunError;
pub use verb::run;
