//! What the user says of a program for where the evaluation does not know better: `--assume`, and comments in the
//! source. In reading order: what is said, how it is written, whether it speaks of something, how it enters a program.

/// How reasons begin that rest on what the user says.
pub const USERS_WORD: &str = "the user's word";

mod check;
mod given;
mod parse;
mod values;

pub use check::{Misplaced, check};
pub use given::{Assumption, Given, Literal, Spot};
pub use values::{MODEL, globals_named, with_values};
