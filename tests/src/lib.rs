//! Builders of the end-to-end tests: programs out of CUDA source, calls of the staged `migfit`, virtual GPUs to
//! look at. They know the contracts (schema) and the command line, and none of the crates behind it but the GPU's state.

#![expect(
    clippy::expect_used,
    reason = "all of it runs in tests: a panic is how a test fails"
)]

pub mod sandbox;

pub mod lock;

pub mod stage;

pub mod toolkit;

pub mod process;

pub mod source;

pub mod program;

pub mod project;

pub mod gpu;

pub mod clients;

pub mod old_driver;

pub mod holder;

pub mod jobs;

pub mod migfit;

pub mod fit_answer;

pub mod run;

pub mod launches;

pub mod logger;

pub mod rodinia_arguments;

pub mod strays;

pub use clients::Client;
pub use fit_answer::FitAnswer;
pub use gpu::Gpu;
pub use holder::Holder;
pub use jobs::JobFile;
pub use migfit::Migfit;
pub use old_driver::OldDriver;
pub use process::Outcome;
pub use program::Program;
pub use project::Project;
pub use run::{Going, Run};
pub use sandbox::Sandbox;
pub use source::Source;
pub use stage::Stage;

/// Says on the test's output why something was not tried here; never silent.
pub fn not_tried(what: &str, why: &str) {
    eprintln!("NOT TRIED on this machine: {what}: {why}");
}
