//! Starts compilers: in our place, beside us with their output passed on, or quietly with their errors kept.

use super::error::CcError;
use super::settings::{Role, Settings};
use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Becomes the compiler, with the words as they came. Returns only when that fails.
pub fn replace_us(settings: &Settings) -> CcError {
    let mut command = driver(settings, &settings.compiler);
    if settings.role == Role::MpiShim {
        // The wrapper calls its compiler by name: it must find our shim of that one.
        command
            .env_remove("PATH")
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    }
    let source = command.args(&settings.words).exec();
    not_started(&settings.compiler, source)
}

/// Runs the compiler with these words and waits; its output is the user's. Returns its exit code.
pub fn run(settings: &Settings, words: &[OsString]) -> Result<i32, CcError> {
    let status = driver(settings, &settings.compiler).args(words).status();
    status
        .map(exit_code)
        .map_err(|source| not_started(&settings.compiler, source))
}

/// What a compiler came to, with its output kept.
pub struct Captured {
    /// Exit code.
    pub code: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Captured {
    /// Passes on what it said.
    pub fn repeat(&self) {
        // Where standard output is gone there is nobody to tell.
        let _ = std::io::stdout().write_all(&self.stdout);
        repeat(&self.stderr);
    }
}

/// Runs the compiler with these words, waits, and keeps its output.
pub fn capture(settings: &Settings, words: &[OsString]) -> Result<Captured, CcError> {
    let mut command = driver(settings, &settings.compiler);
    coloured(&mut command);
    let output = command.args(words).output();
    let output = output.map_err(|source| not_started(&settings.compiler, source))?;
    Ok(Captured {
        code: exit_code(output.status),
        stdout: output.stdout,
        stderr: output.stderr,
    })
}

/// Runs another compiler with these words; its output is the user's. Returns its exit code.
pub fn run_other(settings: &Settings, other: &Path, words: &[OsString]) -> Result<i32, CcError> {
    let mut command = Command::new(other);
    let status = command
        .env("PATH", &settings.real_path)
        .args(words)
        .status();
    status
        .map(exit_code)
        .map_err(|source| not_started(other, source))
}

/// Runs `clang` with these words. Returns what it said on standard error, or `None` when it failed.
pub fn run_quietly(settings: &Settings, clang: &Path, words: &[OsString]) -> Option<Vec<u8>> {
    let mut command = driver(settings, clang);
    coloured(&mut command);
    let output = command.args(words).stdin(Stdio::null()).output().ok()?;
    output.status.success().then_some(output.stderr)
}

/// Passes on what a compiler said.
pub fn repeat(said: &[u8]) {
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::stderr().write_all(said);
}

fn driver(settings: &Settings, compiler: &Path) -> Command {
    let mut command = Command::new(compiler);
    command.env("PATH", &settings.real_path);
    if settings.role == Role::UnderNvcc && !settings.off && settings.left_alone.is_none() {
        // As nvcc's default, g++, would: C++ unless `-x` says otherwise, and libstdc++ at links.
        command.arg("--driver-mode=g++");
    }
    command
}

/// What is captured to be passed on looks as it would have.
fn coloured(clang: &mut Command) {
    if std::io::stderr().is_terminal() {
        clang.arg("-fcolor-diagnostics");
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).unwrap_or(1)
}

fn not_started(compiler: &Path, source: std::io::Error) -> CcError {
    CcError::NotStarted {
        compiler: compiler.to_owned(),
        source,
    }
}
