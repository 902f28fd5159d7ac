//! Clients of NVML that are not ours, in their private Python environment, on a virtual GPU of the test's own.

use crate::gpu::Gpu;
use crate::process::{self, Outcome};
use crate::stage::{Stage, root};
use std::path::PathBuf;
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

    /// With these words, as one would type them.
    #[must_use]
    pub fn args(mut self, words: &str) -> Client {
        self.command.args(words.split_whitespace());
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
