//! `migfit run`: jobs in, each sized, placed, run and recorded, a report out. In the order in which things happen.

pub mod error;

pub mod installation;

pub mod folder;

pub mod need;

pub mod ready;

pub mod warnings;

pub mod host;

pub mod dependents;

mod slices;

pub mod launch;

pub mod input;

pub mod orphans;

pub mod child;

pub mod events;
pub use events::heeded;

mod running;

mod holes;

pub mod record;

mod verified;
pub mod virtual_gpu_only;
pub mod word;

pub mod ending;

pub mod attempt;

pub mod restart;

pub mod outcome;

mod progress;

mod batch;

mod room;

mod aftermath;

mod finished;

mod opened;

mod verb;

pub use error::RunError;
pub use verb::run;
