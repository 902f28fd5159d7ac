//! Runs the built `migfit` as a user does: words in; text, exit code and nothing else out.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod bad_programs;
mod fit;
mod fixture;
mod grammar;
mod layout;
mod plan;
mod simulate;
