//! Runs other programs: shown, quiet or captured; a failure names the command and the next step.

use crate::error::ChoreError;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitStatus, Output, Stdio};

/// Runs with inherited output; anything but exit code 0 is an error.
pub fn run(command: &mut Command, hint: &str) -> Result<(), ChoreError> {
    let status = command
        .status()
        .map_err(|source| start_error(command, source, hint))?;
    check(command, status, hint)
}

/// Runs without a word; what it printed is shown only when it fails.
pub fn quiet(command: &mut Command, hint: &str) -> Result<(), ChoreError> {
    let output = output(command.stdin(Stdio::null()), hint)?;
    if !output.status.success() {
        eprint!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    check(command, output.status, hint)
}

/// Runs and hands over each line of its standard output as it comes; anything but exit code 0 is an error.
pub fn lines(
    command: &mut Command,
    hint: &str,
    mut each: impl FnMut(&str),
) -> Result<(), ChoreError> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| start_error(command, source, hint))?;
    if let Some(output) = child.stdout.take() {
        let lines = BufReader::new(output).lines();
        lines.map_while(Result::ok).for_each(|line| each(&line));
    }
    let status = child
        .wait()
        .map_err(|source| start_error(command, source, hint))?;
    check(command, status, hint)
}

/// Whether it starts and ends with exit code 0; prints nothing.
pub fn succeeds(command: &mut Command) -> bool {
    let silent = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Runs and keeps all output, whatever the exit code.
pub fn output(command: &mut Command, hint: &str) -> Result<Output, ChoreError> {
    command
        .output()
        .map_err(|source| start_error(command, source, hint))
}

/// The command line as one would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn check(command: &Command, status: ExitStatus, hint: &str) -> Result<(), ChoreError> {
    if status.success() {
        return Ok(());
    }
    Err(ChoreError::Command {
        command: shown(command),
        status: status.to_string(),
        hint: hint.to_owned(),
    })
}

fn start_error(command: &Command, source: std::io::Error, hint: &str) -> ChoreError {
    ChoreError::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
        hint: hint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_with_its_status_and_the_next_step() {
        let error = run(Command::new("sh").args(["-c", "exit 7"]), "do this").unwrap_err();
        let text = error.to_string();
        assert!(text.contains("sh -c exit 7") && text.contains("7") && text.contains("do this"));
    }

    #[test]
    fn each_line_is_handed_over_and_a_failure_told_all_the_same() {
        let mut seen = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two; exit 3"]);
        let end = lines(&mut command, "do this", |line| seen.push(line.to_owned()));
        assert_eq!(seen, ["one", "two"]);
        assert!(end.unwrap_err().to_string().contains("exit status: 3"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = quiet(&mut Command::new("no-such-program-here"), "install it").unwrap_err();
        assert!(error.to_string().contains("no-such-program-here"));
    }
}
