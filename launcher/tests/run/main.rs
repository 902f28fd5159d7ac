//! `migfit run` on the virtual GPU, with programs that make no CUDA call: files, slices, ends, signals and refusals.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod batches;
mod ends;
mod fixture;
mod gpus;
mod refusals;
mod signals;
mod sources;
