//! The built library, preloaded into real programs. Comes in: C programs and a fake driver, built here with `cc`. Goes
//! out: what the programs print and the run records they leave. Needs no GPU and no driver.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod interposing;
mod recording;
mod stage;
