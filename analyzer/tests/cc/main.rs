//! Tests of the command `migfit-cc` with a real clang and real linkers, without nvcc; the analyzer is a stand-in.

mod compile;
mod fixture;
mod link;
mod shims;
