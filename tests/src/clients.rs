//! Clients of NVML that are not ours, in their private Python environment, on a virtual GPU of the test's own.

use crate::gpu::Gpu;
use crate::process::{self, Outcome};
use crate::stage::{Stage, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A call of a client.
pub struct Client {
    command: Command,
}

impl Client {
    /// One of our scripts under fixtures/clients, which use nvidia-ml-py.
    #[must_use]
    pub fn script(name: &str, gpu: &Gpu) -> Client {
        let folder = root().join("tests/fixtures/clients");
        let mut client = Client::program("python", gpu);
        // No compiled copies beside the sources.
        client.command.env("PYTHONDONTWRITEBYTECODE", "1");
        client.command.arg(folder.join(name));
        client
    }

    /// A program of the environment: `nvitop`, `gpustat`.
    #[must_use]
    pub fn program(name: &str, gpu: &Gpu) -> Client {
        let mut command = Command::new(environment().join("bin").join(name));
        process::clean(&mut command);
        gpu.serve(&mut command);
        // Their output is read: plain, and as wide as it wants to be.
        command
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "dumb")
            .env("COLUMNS", "200");
        Client { command }
    }

    /// `mig.py` with these words: it lists, creates and destroys MIG devices.
    #[must_use]
    pub fn mig(gpu: &Gpu, words: &str) -> Client {
        Client::script("mig.py", gpu).args(words)
    }

    /// What nvitop prints, once.
    ///
    /// # Panics
    /// When it fails.
    #[must_use]
    pub fn nvitop(gpu: &Gpu) -> String {
        let nvitop = Client::program("nvitop", gpu).args("-1");
        nvitop.outcome().expect_success().stdout
    }

    /// With these words, as one would type them.
    #[must_use]
    pub fn args(mut self, words: &str) -> Client {
        self.command.args(words.split_whitespace());
        self
    }

    /// With the path of a file.
    #[must_use]
    pub fn file(mut self, path: &Path) -> Client {
        self.command.arg(path);
        self
    }

    /// With this environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Client {
        self.command.env(name, value);
        self
    }

    /// Runs it to its end.
    #[must_use]
    pub fn outcome(mut self) -> Outcome {
        process::output(&mut self.command)
    }

    /// Runs it to its end; fails unless it succeeds.
    pub fn done(self) {
        self.outcome().expect_success();
    }

    /// What it prints, as JSON.
    ///
    /// # Panics
    /// When it fails, or prints none.
    #[must_use]
    pub fn json(self) -> serde_json::Value {
        let outcome = self.outcome().expect_success();
        serde_json::from_str(&outcome.stdout)
            .unwrap_or_else(|error| panic!("no JSON: {error}\n{outcome}"))
    }

    /// NVML's code of the call that makes a script fail.
    ///
    /// # Panics
    /// When it does not fail so.
    #[must_use]
    #[track_caller]
    pub fn refusal(self) -> u64 {
        let outcome = self.outcome().expect_code(3);
        let said: serde_json::Value =
            serde_json::from_str(&outcome.stdout).expect("an error as JSON");
        let code = said.get("error").and_then(serde_json::Value::as_u64);
        code.expect("a code of NVML")
    }
}

/// Fails unless one line has all these parts.
#[track_caller]
pub fn expect_line(text: &str, parts: &[&str]) {
    let has_all = |line: &str| parts.iter().all(|part| line.contains(part));
    assert!(
        text.lines().any(has_all),
        "no line with {parts:?} in:\n{text}"
    );
}

/// The clients' folder, filled when it is not there.
fn environment() -> PathBuf {
    let stage = Stage::ready();
    let folder = stage.clients();
    if !folder.join("installed-requirements.txt").exists() {
        stage.install_clients();
    }
    folder
}
