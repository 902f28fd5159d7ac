//! What a run came to: outcomes in, `report.json` (written anew after each job, and a journal of them) and a table out. Knows no device
//! and no process.

pub mod date;

pub mod heading;

pub mod batch;

pub mod job;

pub mod file;

pub mod table;

pub use batch::counted;
pub use file::{Begun, ReportFile, Told, json};
pub use heading::Heading;

#[cfg(test)]
mod samples;
