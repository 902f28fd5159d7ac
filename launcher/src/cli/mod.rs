//! The command line: words in, one checked `Request` out. No later code reads flags.

pub mod chance;
pub mod error;
pub mod flags;
pub mod mig_profiles;
pub mod nearest;
pub mod parse;
pub mod policies;
pub mod request;
pub mod selector;

pub use parse::parse;
