//! `migfit simulate`: policies side by side on a simulated clock, for jobs with measured times. The schedule itself also
//! makes the plans of `migfit run --plan`.

pub mod schedule;

pub mod costs;

pub mod chance;

pub mod measure;

pub mod trials;

mod error;

mod outcome;

mod text;

mod json;

mod verb;

pub use error::SimulateError;
pub use verb::simulate;
