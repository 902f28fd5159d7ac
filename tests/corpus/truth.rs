//! What a program really did, as the logging CUDA library wrote it down; kept beside the source, one block a run.

use crate::answer::unnamed;
use crate::build;
use crate::fixture::{Fixture, Run};
use crate::scene::Scene;
use migfit_tests::{logger, process};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// Files of ours in a run's folder, named so that no program looks for them.
const LOG: &str = ".cuda-log";
const STDIN: &str = ".stdin";

/// What one run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Largest sum of bytes alive.
    pub peak: u64,
    /// Kernel, grid, block and dynamic shared memory in one text -> how often.
    pub launches: BTreeMap<String, u64>,
}

/// The truth that is kept of a run.
pub fn of(fixture: &Fixture, number: usize, run: &Run) -> Truth {
    let path = fixture.truth.display();
    let text = std::fs::read_to_string(&fixture.truth)
        .unwrap_or_else(|_| panic!("{path} is missing: MIGFIT_CORPUS_TRUTH=write makes it"));
    // Several runs may have the same arguments and differ in their files.
    let earlier = fixture.runs.iter().take(number);
    let earlier = earlier.filter(|other| other.args == run.args).count();
    let block = blocks(&text)
        .into_iter()
        .filter(|(args, _)| *args == run.args)
        .nth(earlier);
    let (_, lines) = block.unwrap_or_else(|| panic!("{path}: no run {:?}", run.args));
    let mut truth = Truth::default();
    for line in lines {
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

/// Arguments and lines of each run.
fn blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("run"), blocks.last_mut()) {
            (Some(args), _) => blocks.push((args.trim(), Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    blocks
}

/// Runs all command lines and keeps what they did.
pub fn write(fixture: &Fixture) {
    std::fs::write(&fixture.truth, run_all(fixture)).expect("the corpus can be written");
}

/// Runs all command lines and fails where one did something else than is kept.
pub fn check(fixture: &Fixture) {
    let kept = std::fs::read_to_string(&fixture.truth).unwrap_or_default();
    assert_eq!(kept, run_all(fixture), "{}", fixture.name);
}

fn run_all(fixture: &Fixture) -> String {
    fixture.runs.iter().map(|run| one(fixture, run)).collect()
}

/// What one run wrote down; an exit code other than 0 is part of it.
fn one(fixture: &Fixture, run: &Run) -> String {
    let scene = Scene::of(fixture, run);
    let line = format!("exec \"$0\" {}", run.args);
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).arg(build::program(fixture));
    process::clean(&mut command)
        .env("CUDA_LOG", scene.folder.path(LOG))
        .env("LD_LIBRARY_PATH", logger::folder())
        .current_dir(scene.folder.folder());
    if let Some(device) = &scene.setting.device {
        command.env("CUDA_LOG_DEVICE", device);
    }
    scene.dress(&mut command);
    let stdin = scene.setting.stdin.as_ref().map_or(Stdio::null(), |text| {
        let file = scene.folder.put(STDIN, text);
        Stdio::from(std::fs::File::open(file).expect("it was written just now"))
    });
    let child = process::start_reading(&mut command, stdin);
    let outcome = process::finish(child, &command);
    let log = std::fs::read_to_string(scene.folder.path(LOG))
        .unwrap_or_else(|_| panic!("{} {}: it left no log\n{outcome}", fixture.name, run.args));
    let end = match outcome.code {
        0 => String::new(),
        code => format!("exit {code}\n"),
    };
    format!("run {}\n{}{end}\n", run.args, unnamed(&log))
}
