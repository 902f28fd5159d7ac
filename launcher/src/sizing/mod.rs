//! Which slices of a GPU hold a job: its need and the CUDA context against every MIG profile of a model, tightest
//! first, with the reasons. Pure: used by `fit` and by `run`; knows no device, no queue and no text.

pub mod board;
pub mod choice;
pub mod context;
pub mod device;
pub mod measured;
pub mod word;

pub use board::Board;
pub use choice::{Choice, Sized, SliceNeed, as_the_driver_rounds, size};
