//! Tests of the command `migfit-cc` with a real clang and real linkers, without nvcc; the analyzer is a stand-in.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod compile;
mod fixture;
mod libraries;
mod link;
mod shims;
