//! CUDA source -> a program, by the real nvcc: one of the programs under rodinia/, or a text of the test's own.

use crate::process::{self, Outcome};
use crate::program::Program;
use crate::sandbox::Sandbox;
use crate::stage::Stage;
use crate::toolkit;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// A CUDA source file in a folder of its own.
pub struct Source {
    folder: Arc<Sandbox>,
    flags: Vec<String>,
}

impl Source {
    /// This text, as `program.cu`.
    #[must_use]
    pub fn of(text: &str) -> Source {
        let folder = Sandbox::new();
        folder.put("program.cu", text);
        Source {
            folder: Arc::new(folder),
            flags: Vec::new(),
        }
    }

    /// A file of tests/fixtures/cuda.
    ///
    /// # Panics
    /// When there is none of that name.
    #[must_use]
    pub fn fixture(name: &str) -> Source {
        let path = format!("{}/fixtures/cuda/{name}.cu", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path);
        Source::of(&text.unwrap_or_else(|error| panic!("{path}: {error}")))
    }

    /// More flags for nvcc.
    #[must_use]
    pub fn with_flags<const N: usize>(mut self, flags: [&str; N]) -> Source {
        self.flags.extend(flags.map(str::to_owned));
        self
    }

    /// `migfit build --host-compiler clang --virtual -- nvcc ...`.
    ///
    /// # Panics
    /// When that fails.
    #[must_use]
    pub fn built_for_the_virtual_gpu(&self) -> Program {
        self.build(&["build", "--host-compiler", "clang", "--virtual", "--"])
            .expect_success();
        self.program()
    }

    /// `migfit build --host-compiler clang -- nvcc ...`: as for a real GPU, with nvcc's default, the static runtime.
    ///
    /// # Panics
    /// When that fails.
    #[must_use]
    pub fn built_for_a_real_gpu(&self) -> Program {
        self.build(&["build", "--host-compiler", "clang", "--"])
            .expect_success();
        self.program()
    }

    /// nvcc alone, with the shared runtime: a program without a job profile that the virtual GPU runs.
    ///
    /// # Panics
    /// When that fails.
    #[must_use]
    pub fn built_without_migfit(&self) -> Program {
        let mut nvcc = self.nvcc();
        let code = "arch=compute_80,code=compute_80";
        nvcc.args(["-cudart", "shared", "-gencode", code]);
        process::output(&mut nvcc).expect_success();
        self.program()
    }

    /// Runs `migfit WORDS nvcc ...`, whatever comes of it.
    #[must_use]
    pub fn build(&self, words: &[&str]) -> Outcome {
        self.build_with(words, &[])
    }

    /// The same with environment variables.
    #[must_use]
    pub fn build_with(&self, words: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let nvcc = self.nvcc();
        let mut command = tool(Stage::ready().program("migfit"));
        command.args(words).arg("nvcc").args(nvcc.get_args());
        command.envs(variables.iter().copied());
        process::output(command.current_dir(self.folder.folder()))
    }

    /// nvcc itself, about to compile and link this source.
    #[must_use]
    pub fn nvcc(&self) -> Command {
        let mut nvcc = tool("nvcc".into());
        nvcc.args(["-o", "program", "program.cu"]).args(&self.flags);
        nvcc.current_dir(self.folder.folder());
        nvcc
    }

    /// The program, whether or not it was built.
    #[must_use]
    pub fn program(&self) -> Program {
        Program::in_sandbox(Arc::clone(&self.folder), "program")
    }
}

/// A program that finds nvcc and the staged programs in its PATH.
#[must_use]
pub fn tool(program: PathBuf) -> Command {
    let mut command = Command::new(program);
    process::clean(&mut command).env("PATH", toolkit::path_variable(Stage::ready()));
    command
}
