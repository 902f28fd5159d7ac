//! What a program really did, as the logging CUDA library wrote it down; kept beside the source, one block a run.

use crate::build;
use crate::fixture::{Fixture, Run};
use migfit_tests::{Sandbox, process};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// What one run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Largest sum of bytes alive.
    pub peak: u64,
    /// Kernel, grid, block and dynamic shared memory in one text -> how often.
    pub launches: BTreeMap<String, u64>,
}

/// The truth that is kept of a run.
pub fn of(fixture: &Fixture, run: &Run) -> Truth {
    let path = fixture.truth_path();
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| {
        panic!(
            "{} is missing: MIGFIT_CORPUS_TRUTH=write makes it",
            path.display()
        )
    });
    let block = text.split("run ").find_map(|block| {
        let (args, rest) = block.split_once('\n')?;
        (args.trim() == run.args).then_some(rest)
    });
    let block = block.unwrap_or_else(|| panic!("{}: no run {:?}", path.display(), run.args));
    let mut truth = Truth::default();
    for line in block.lines() {
        if let Some(peak) = line.strip_prefix("peak ") {
            truth.peak = peak.parse().expect("a number");
        }
        let launch = line
            .strip_prefix("launch ")
            .and_then(|launch| launch.rsplit_once(' '));
        if let Some((shape, count)) = launch {
            truth
                .launches
                .insert(shape.to_owned(), count.parse().expect("a number"));
        }
    }
    truth
}

/// Runs all command lines and keeps what they did.
pub fn write(fixture: &Fixture) {
    std::fs::write(fixture.truth_path(), run_all(fixture)).expect("the corpus can be written");
}

/// Runs all command lines and fails where one did something else than is kept.
pub fn check(fixture: &Fixture) {
    let kept = std::fs::read_to_string(fixture.truth_path()).unwrap_or_default();
    assert_eq!(kept, run_all(fixture), "{}", fixture.name);
}

fn run_all(fixture: &Fixture) -> String {
    let program = build::program(fixture);
    let mut text = String::new();
    for run in &fixture.runs {
        let folder = Sandbox::new();
        for (name, bytes) in &fixture.files {
            folder.put(name, bytes);
        }
        let line = format!("exec \"$0\" {}", run.args);
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).arg(&program);
        process::clean(&mut command)
            .env("CUDA_LOG", folder.path("log"))
            .env("LD_LIBRARY_PATH", build::logger())
            .current_dir(folder.folder());
        let outcome = process::output(&mut command);
        let log = std::fs::read_to_string(folder.path("log"))
            .unwrap_or_else(|_| panic!("{} {}: it left no log\n{outcome}", fixture.name, run.args));
        let _ = writeln!(text, "run {}\n{log}", run.args);
    }
    text
}
