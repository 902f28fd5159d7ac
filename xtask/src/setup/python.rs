//! A private Python environment: made anew, filled with packages that are pinned by version and hash.

use crate::error::{ChoreError, file};
use crate::{paths, process};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a package may come as.
pub enum Form {
    /// Built packages only.
    Wheels,
    /// Source of this version, built with what is in the environment.
    Source {
        /// The variable that tells the version to the package's build, and the version.
        version: (&'static str, &'static str),
    },
}

/// A private Python environment in the target folder.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// The one of this name, whether or not it is there.
    pub fn named(name: &str) -> Environment {
        Environment {
            folder: paths::prefix().join(name),
        }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it was filled as these requirements say.
    pub fn holds(&self, requirements: &str) -> bool {
        std::fs::read_to_string(self.stamp()).is_ok_and(|installed| installed == requirements)
    }

    /// Notes that it was filled as these requirements say.
    pub fn note(&self, requirements: &str) -> Result<(), ChoreError> {
        let stamp = self.stamp();
        std::fs::write(&stamp, requirements).map_err(file("write", &stamp))
    }

    /// Makes it anew, empty.
    pub fn make(&self) -> Result<(), ChoreError> {
        std::fs::create_dir_all(paths::prefix()).map_err(file("create", paths::prefix()))?;
        let mut python = Command::new("python3");
        python.args(["-m", "venv", "--clear"]).arg(&self.folder);
        process::quiet(&mut python, "install python3-venv")
    }

    /// Installs what a file of xtask requires.
    pub fn install(&self, requirements: &str, form: &Form, hint: &str) -> Result<(), ChoreError> {
        let mut pip = Command::new(self.folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps"]);
        pip.args(["--disable-pip-version-check", "--require-hashes"]);
        match form {
            Form::Wheels => pip.arg("--only-binary=:all:"),
            Form::Source { version } => pip
                .args(["--no-binary=:all:", "--no-build-isolation"])
                .env(version.0, version.1),
        };
        pip.arg("-r")
            .arg(paths::root().join("xtask").join(requirements));
        process::quiet(&mut pip, hint)
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("installed-requirements.txt")
    }
}
