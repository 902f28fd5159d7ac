//! `migfit fit`: a program's job profile -> its formulas, or what it needs for one command line and which slices fit.

pub mod error;
pub mod formula_text;
pub mod formulas;
pub mod verb;

pub use error::FitError;
pub use verb::fit;
