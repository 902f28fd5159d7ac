//! The command `random-answers`: modules with command lines in, what the analyzer and the evaluator foretell out. The
//! same calls as `migfit analyze` makes, without a process for each; it never runs a program.

use migfit_analyzer::pipeline::{self, Slicing, Surroundings};
use migfit_random::{Answer, Question, serve};
use migfit_schema::kernel::Extent;
use migfit_schema::profile::{JobProfile, Unknown};
use migfit_sizes::{CommandLine, DeviceProperties, LaunchNeed, Limits, Need, evaluate};
use std::collections::BTreeMap;

/// Steps of one evaluation, far more than a generated program takes: a mutated one may never end.
const STEPS: u64 = 10_000_000;
/// Processor time of one module with all its command lines.
const SECONDS: u64 = 30;

fn main() -> std::io::Result<()> {
    serve(SECONDS, answers)
}

fn answers(question: &Question) -> Result<Vec<Answer>, String> {
    let around = Surroundings {
        system: migfit_analyzer::outside::SystemFunctions::of_this_host(),
        ..Surroundings::default()
    };
    let analysis = pipeline::analyze("program", &[&question.ir], Slicing::On, &around);
    let profile = analysis.map_err(|error| error.to_string())?.profile;
    let runs = question.runs.iter();
    Ok(runs.map(|args| answer(&profile, question, args)).collect())
}

fn answer(profile: &JobProfile, question: &Question, args: &[String]) -> Answer {
    let command = CommandLine {
        args: std::iter::once("./program".to_owned())
            .chain(args.iter().cloned())
            .collect(),
        env: Vec::new(),
        cwd: question.folder.clone(),
    };
    let limits = Limits {
        steps: STEPS,
        ..Limits::default()
    };
    let need = evaluate(profile, &command, &device(), &limits);
    let mut launches = BTreeMap::new();
    for launch in &need.launches {
        *launches.entry(shape(launch)).or_default() += launch.count;
    }
    Answer {
        verdict: need.verdict.to_string(),
        peak: need.peak.map(|bytes| bytes.0),
        launches,
        notes: notes(&need),
    }
}

/// The device that the logging library plays unless told otherwise (fixtures/logger/device.h).
fn device() -> DeviceProperties {
    DeviceProperties {
        name: "NVIDIA H200".to_owned(),
        compute_capability: (9, 0),
        sm_count: 132,
        total_bytes: 143_771 << 20,
        ..DeviceProperties::default()
    }
}

fn shape(launch: &LaunchNeed) -> String {
    let three = |extent: Option<Extent>| {
        extent.map_or("?".to_owned(), |by| format!("{}x{}x{}", by.x, by.y, by.z))
    };
    let shared = launch
        .shared
        .map_or("?".to_owned(), |bytes| bytes.to_string());
    let (grid, block) = (three(launch.grid), three(launch.block));
    format!("{} {grid} {block} {shared}", launch.kernel)
}

fn notes(need: &Need) -> Vec<String> {
    let line = |kind: &str, note: &Unknown| {
        let site = note.site.as_ref().map(ToString::to_string);
        let site = site.unwrap_or_default();
        format!("{kind}: {} at {site}: {}", note.what, note.reason)
    };
    let unknowns = need.unknowns.iter().map(|note| line("unknown", note));
    let assumed = need.assumptions.iter().map(|note| line("assumed", note));
    unknowns.chain(assumed).collect()
}
