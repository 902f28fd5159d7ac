//! `migfit fit --run`: the program really runs, on a virtual GPU as large as need be; what it took is measured.

mod asked;
mod chart;
mod error;
mod json;
mod launches;
mod measured;
mod process;
mod series;
mod sites;
mod svg;
mod text;
mod verb;
mod watch;

pub use error::TrialError;
pub use verb::run;
