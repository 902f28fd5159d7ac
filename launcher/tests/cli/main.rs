//! Runs the built `migfit` as a user does: words in; text, exit code and nothing else out.

mod bad_programs;
mod fit;
mod fixture;
mod grammar;
mod layout;
