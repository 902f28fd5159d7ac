//! Starts compilers: in our place, beside us with their output passed on, or quietly with their errors kept.

use super::error::CcError;
use super::settings::{Role, Settings};
use super::watched::{self, Group};
use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
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
    let mut command = driver(settings, &settings.compiler);
    watched::status(command.args(words))
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
        say(&self.stdout, &self.stderr);
    }
}

/// Runs the compiler with these words, waits, and keeps its output.
pub fn capture(settings: &Settings, words: &[OsString]) -> Result<Captured, CcError> {
    let mut command = driver(settings, &settings.compiler);
    coloured(&mut command);
    let output = watched::output(command.args(words));
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
    watched::status(command.env("PATH", &settings.real_path).args(words))
        .map(exit_code)
        .map_err(|source| not_started(other, source))
}

/// Runs `clang` with these words. Returns what it said on standard error; where it failed, the reason.
pub fn run_quietly(
    settings: &Settings,
    group: &Group,
    clang: &Path,
    words: &[OsString],
) -> Result<Vec<u8>, String> {
    let mut command = driver(settings, clang);
    if settings.clang_stands_in() {
        coloured(&mut command);
    }
    let output = group.output(command.args(words).stdin(Stdio::null()));
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(output.stderr),
        false => Err(first_error(&output.stderr, output.status)),
    }
}

/// The one line with which the user's compiler answers a question.
pub fn asked(settings: &Settings, question: &str) -> Option<OsString> {
    let mut command = Command::new(&settings.compiler);
    let command = command.env("PATH", &settings.real_path).arg(question);
    let output = watched::output(command.stdin(Stdio::null())).ok()?;
    let line = output.stdout.trim_ascii_end().to_vec();
    output.status.success().then(|| OsString::from_vec(line))
}

/// The line in which a tool says what is wrong.
pub fn first_error(said: &[u8], status: ExitStatus) -> String {
    let said = String::from_utf8_lossy(said);
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().find(|line| line.contains("error"));
    let line = line.or_else(|| lines().next_back());
    match line {
        Some(line) => line.chars().take(LONGEST_REASON).collect(),
        None => status.to_string(),
    }
}

/// Passes on what a command said on both its outputs.
pub fn say(stdout: &[u8], stderr: &[u8]) {
    // Where standard output is gone there is nobody to tell.
    let _ = std::io::stdout().write_all(stdout);
    repeat(stderr);
}

/// Passes on what a compiler said.
pub fn repeat(said: &[u8]) {
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::stderr().write_all(said);
}

/// Characters of a tool's own message that are kept.
const LONGEST_REASON: usize = 200;

fn driver(settings: &Settings, compiler: &Path) -> Command {
    let mut command = Command::new(compiler);
    command.env("PATH", &settings.real_path);
    if settings.clang_stands_in() {
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

/// As a shell tells it: 128 and the number of a signal.
pub fn exit_code(status: ExitStatus) -> i32 {
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).unwrap_or(1)
}

/// The error of a command that did not start.
pub fn not_started(compiler: &Path, source: std::io::Error) -> CcError {
    CcError::NotStarted {
        compiler: compiler.to_owned(),
        source,
    }
}
