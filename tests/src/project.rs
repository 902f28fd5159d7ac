//! A project of tests/fixtures/projects in a folder of its own, and builds of it.

use crate::migfit::migfit;
use crate::process::{self, Outcome};
use crate::program::Program;
use crate::sandbox::Sandbox;
use crate::source::tool;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// A project, copied.
#[derive(Clone)]
pub struct Project {
    folder: Arc<Sandbox>,
}

impl Project {
    /// The project of that name.
    ///
    /// # Panics
    /// When there is none, or it cannot be copied.
    #[must_use]
    pub fn fixture(name: &str) -> Project {
        let folder = Sandbox::new();
        let sources = format!("{}/fixtures/projects/{name}", env!("CARGO_MANIFEST_DIR"));
        copy(Path::new(&sources), folder.folder());
        Project {
            folder: Arc::new(folder),
        }
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Sandbox {
        &self.folder
    }

    /// `migfit build --virtual -- WORDS` in its folder, about to start.
    #[must_use]
    pub fn build(&self, words: &[&str]) -> Command {
        self.build_as(&["--virtual"], words)
    }

    /// The same with other flags of `migfit build`.
    #[must_use]
    pub fn build_as(&self, flags: &[&str], words: &[&str]) -> Command {
        let mut build = migfit();
        build.arg("build").args(flags).arg("--").args(words);
        build.current_dir(self.folder.folder());
        build
    }

    /// The same, run; it must succeed.
    ///
    /// # Panics
    /// When it fails.
    pub fn built(&self, words: &[&str]) -> Outcome {
        process::output(&mut self.build(words)).expect_success()
    }

    /// Another tool in its folder, without migfit; it must succeed.
    ///
    /// # Panics
    /// When it fails.
    pub fn tool(&self, name: &str, words: &[&str]) -> Outcome {
        let mut command = tool(name.into());
        command.args(words).current_dir(self.folder.folder());
        process::output(&mut command).expect_success()
    }

    /// A program in it, whether or not it was built.
    #[must_use]
    pub fn program(&self, name: &str) -> Program {
        Program::in_sandbox(Arc::clone(&self.folder), name)
    }
}

/// The `program` of a project that its own Makefile built for the virtual GPU.
///
/// # Panics
/// When there is no such project, or its build fails.
#[must_use]
pub fn built_project(name: &str) -> Program {
    let project = Project::fixture(name);
    project.built(&["make"]);
    project.program("program")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the sandbox can be written");
    for entry in std::fs::read_dir(from)
        .expect("the project exists")
        .flatten()
    {
        let (source, copied) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &copied);
        } else {
            std::fs::copy(source, copied).expect("sources can be copied");
        }
    }
}
