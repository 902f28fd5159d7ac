//! Job files that read like sentences.

use crate::program::Program;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A job file in the making.
#[derive(Default)]
pub struct JobFile(String);

impl JobFile {
    /// One without jobs.
    #[must_use]
    pub fn new() -> JobFile {
        JobFile::default()
    }

    /// Adds a program of ours with arguments as one would type them.
    #[must_use]
    pub fn job(self, name: &str, program: &Program, args: &str) -> JobFile {
        let path = program.path().display().to_string();
        let words = std::iter::once(path.as_str()).chain(args.split_whitespace());
        self.words(name, words)
            .key("cwd", &program.folder().display().to_string())
    }

    /// Adds a line for the shell.
    #[must_use]
    pub fn shell(self, name: &str, line: &str) -> JobFile {
        self.words(name, ["sh", "-c", line])
    }

    /// Says of the job added last how much memory it needs.
    #[must_use]
    pub fn with_memory(self, amount: &str) -> JobFile {
        self.key("memory", amount)
    }

    /// Sets a key of the job added last to this text.
    #[must_use]
    pub fn with(self, key: &str, value: &str) -> JobFile {
        self.key(key, value)
    }

    /// Sets a key of the job added last to this number.
    #[must_use]
    pub fn with_number(mut self, key: &str, value: u32) -> JobFile {
        let _ = writeln!(self.0, "{key} = {value}");
        self
    }

    /// Lets the job added last wait for these.
    #[must_use]
    pub fn after<const N: usize>(mut self, names: [&str; N]) -> JobFile {
        let _ = writeln!(self.0, "after = {names:?}");
        self
    }

    /// Gives the job added last an environment variable.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: &str) -> JobFile {
        let _ = writeln!(self.0, "env = {{ {name} = {value:?} }}");
        self
    }

    /// Asks for so many copies of the job added last.
    #[must_use]
    pub fn copies(mut self, count: u32) -> JobFile {
        let _ = writeln!(self.0, "count = {count}");
        self
    }

    /// Writes it.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join("jobs.toml");
        std::fs::write(&path, &self.0).expect("a job file can be written");
        path
    }

    fn words<'w>(mut self, name: &str, words: impl IntoIterator<Item = &'w str>) -> JobFile {
        let words: Vec<String> = words.into_iter().map(|word| format!("{word:?}")).collect();
        let command = words.join(", ");
        let _ = writeln!(self.0, "\n[[jobs]]\nname = {name:?}\ncommand = [{command}]");
        self
    }

    fn key(mut self, key: &str, value: &str) -> JobFile {
        let _ = writeln!(self.0, "{key} = {value:?}");
        self
    }
}
