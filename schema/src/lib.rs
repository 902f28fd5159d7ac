//! Types that cross a process border: units, the job profile (summary and size program), its container
//! in an ELF section, the run record and the batch report. Serde only; knows no other crate of ours.

pub mod amount;
pub mod annotation;
pub mod build;
pub mod closed;
pub mod container;
pub mod copies;
pub mod formula;
pub mod kernel;
pub mod names;
pub mod observed;
pub mod profile;
pub mod program;
pub mod record;
pub mod report;
pub mod site;
pub mod units;
