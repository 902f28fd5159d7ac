//! `migfit fit`: a program's job profile -> its formulas, or what it needs for one command line and which slices fit.

pub mod answer;
pub mod error;
pub mod evaluate;
pub mod explain;
pub mod formula_text;
pub mod formulas;
pub mod json;
pub mod launch_facts;
pub mod need_text;
pub mod slices_text;
pub mod trust;
pub mod verb;

pub use error::FitError;
pub use verb::fit;
