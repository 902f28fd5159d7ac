//! Calls of the staged `migfit`, built word by word.

use crate::fit_answer::FitAnswer;
use crate::gpu::Gpu;
use crate::jobs::JobFile;
use crate::process::{self, Outcome};
use crate::program::Program;
use crate::run::Run;
use crate::source::tool;
use crate::stage::Stage;
use std::path::Path;
use std::process::Command;

/// Calls of the staged `migfit`.
pub struct Migfit;

impl Migfit {
    /// `migfit WORDS...` in this folder.
    #[must_use]
    pub fn with<const N: usize>(folder: &Path, words: [&str; N]) -> Outcome {
        let mut command = migfit();
        process::output(command.args(words).current_dir(folder))
    }

    /// `migfit fit PROGRAM`.
    #[must_use]
    pub fn fit(program: &Program) -> Fit {
        Fit {
            program: program.clone(),
            flags: Vec::new(),
            args: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// `migfit run PROGRAM` on this GPU.
    #[must_use]
    pub fn run(program: &Program, gpu: &Gpu) -> Run {
        Run::of(gpu).folder(program.folder()).program(program)
    }

    /// `migfit run -f FILE` on this GPU.
    #[must_use]
    pub fn run_file(jobs: &JobFile, gpu: &Gpu) -> Run {
        Run::of(gpu).file(jobs)
    }
}

/// The staged `migfit`, with nvcc in its PATH.
#[must_use]
pub fn migfit() -> Command {
    tool(Stage::ready().program("migfit"))
}

/// `migfit fit` in the making.
pub struct Fit {
    program: Program,
    flags: Vec<String>,
    args: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Fit {
    /// For this GPU model.
    #[must_use]
    pub fn on(mut self, model: &str) -> Fit {
        self.flags.extend(["--gpu".to_owned(), model.to_owned()]);
        self
    }

    /// With these arguments, as one would type them.
    #[must_use]
    pub fn args(mut self, args: &str) -> Fit {
        self.args.extend(args.split_whitespace().map(str::to_owned));
        if self.args.is_empty() {
            self.flags.push("--no-args".to_owned());
        }
        self
    }

    /// With this environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Fit {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What it prints for people.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        let mut command = migfit();
        command.arg("fit").args(self.flags).arg(self.program.path());
        command.args(self.args).envs(self.variables);
        process::output(command.current_dir(self.program.folder()))
    }

    /// What it prints for programs.
    ///
    /// # Panics
    /// When it fails, or prints no JSON of the known form.
    #[must_use]
    pub fn json(mut self) -> FitAnswer {
        self.flags.push("--json".to_owned());
        let outcome = self.outcome().expect_success();
        serde_json::from_str(&outcome.stdout)
            .unwrap_or_else(|error| panic!("no answer of the known form: {error}\n{outcome}"))
    }
}
