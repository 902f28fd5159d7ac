//! The chores of the repository: set-up, staging, demo, test and bench. It drives other programs and
//! knows nothing of LLVM or CUDA itself, so that it builds first on a bare machine.

use clap::{Parser, Subcommand};
use error::ChoreError;
use std::path::PathBuf;
use std::process::ExitCode;

mod bench;
mod check;
mod demo;
mod error;
mod paths;
mod process;
mod rodinia;
mod setup;
mod stage;

/// Chores of the migfit repository.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install what building and testing need: clang and LLVM (Debian packages), nvcc and clients of NVML (Python
    /// packages, into target/).
    Setup,
    /// Build everything and lay it out under target/migfit as an installed migfit would be.
    Stage {
        /// Print nothing unless something fails.
        #[arg(long)]
        quiet: bool,
    },
    /// Set up, then show migfit at work on real CUDA programs and a virtual A100.
    Demo,
    /// Set up, then every check: format, lints, tests, documentation.
    Test {
        /// Also hold 10,000 random programs against what they do (about two hours on two cores).
        #[arg(long)]
        thorough: bool,
    },
    /// Measure the figures that the project states.
    Bench {
        /// Only the figures whose name contains one of these words.
        names: Vec<String>,
        /// Also write the figures to this file.
        #[arg(long)]
        json: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match perform(Cli::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(chore: Chore) -> Result<(), ChoreError> {
    match chore {
        Chore::Setup => setup::run_for_tests(),
        Chore::Stage { quiet } => stage::run(quiet),
        Chore::Demo => demo::run(),
        Chore::Test { thorough } => check::run(thorough),
        Chore::Bench { names, json } => bench::run(&names, json.as_deref()),
    }
}
