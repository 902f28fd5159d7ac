//! The figures of all policies as text, with what they rest on.

use crate::cli::request::{SimulateRequest, Trials};
use crate::report::counted;
use crate::simulate::costs::CREATION;
use crate::simulate::outcome::Outcome;
use crate::simulate::trials::Tried;
use crate::simulate::verb::Answer;
use crate::table;
use std::fmt::Write;
use std::time::Duration;

const COLUMNS: [&str; 6] = [
    "POLICY",
    "MAKESPAN",
    "THROUGHPUT",
    "MEAN WAIT",
    "MEMORY SLICES HELD",
    "NEW GPU INSTANCES",
];

/// The whole text.
#[must_use]
pub fn text(answer: &Answer<'_>) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} on {}, simulated; nothing was run\n",
        counted(answer.jobs.len(), "job"),
        answer.request.board
    );
    let rows = answer.outcomes.iter().map(row).collect();
    text.push_str(&table::text(&COLUMNS, rows, &[1, 2, 3, 4, 5]));
    text.push('\n');
    for note in notes(answer) {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn row(outcome: &Outcome) -> Vec<String> {
    let ratio = outcome.throughput_ratio;
    vec![
        outcome.policy.name(),
        seconds(outcome.makespan),
        ratio.map_or_else(|| "not available".to_owned(), |ratio| format!("{ratio:.3}")),
        seconds(outcome.mean_wait),
        format!("{:.1} %", 100.0 * outcome.memory_utilization),
        outcome.created.to_string(),
    ]
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// What the figures rest on and leave out, a sentence each.
pub fn notes(answer: &Answer<'_>) -> Vec<String> {
    let mut notes = vec![
        format!(
            "simulated clock: run times as the job file states them, taken as measured on {}; no interference between \
             slices; {} s for each new GPU instance (assumed)",
            answer.request.board.model.name,
            CREATION.as_secs_f64()
        ),
        "throughput is against one job at a time on the whole GPU (above 1 is better); all jobs are submitted at 0"
            .to_owned(),
    ];
    let limited = answer.jobs.iter().any(|job| job.time_limit.is_some());
    notes.push(match limited {
        true => "restarts and time limits are not simulated".to_owned(),
        false => "restarts are not simulated".to_owned(),
    });
    let host = answer.request.host;
    if host.cpus.is_none() && answer.jobs.iter().any(|job| job.cpus > 1) {
        notes.push("the host's cores bound nothing here: --cpus N does".to_owned());
    }
    if host.memory.is_none() && answer.jobs.iter().any(|job| job.host_memory.is_some()) {
        notes.push("the host's memory bounds nothing here: --host-memory SIZE does".to_owned());
    }
    notes
}

const TRIED: [&str; 9] = [
    "POLICY",
    "MAKESPAN",
    "SD",
    "P95",
    "WORST",
    "TURNAROUND",
    "SLOWDOWN",
    "WAIT",
    "LONGEST WAIT",
];

/// The table of many trials.
#[must_use]
pub fn trials(request: &SimulateRequest, trials: Trials, tried: &[Tried]) -> String {
    let count = usize::try_from(trials.count).unwrap_or(usize::MAX);
    let mut text = format!(
        "{} on {}{}, simulated; nothing was run\n\n",
        counted(count, "trial"),
        request.board,
        match request.gpus {
            1 => String::new(),
            gpus => format!(" x{gpus}"),
        }
    );
    let rows = tried.iter().map(tried_row).collect();
    text.push_str(&table::text(&TRIED, rows, &[1, 2, 3, 4, 5, 6, 7, 8]));
    text.push('\n');
    let proved = tried.first().map_or(0, |tried| tried.proved);
    let against = match (trials.load, proved) {
        (Some(_), _) => "makespan in seconds, since arrivals have no yardstick".to_owned(),
        (None, 0) => "makespan against the joint area bound (1 is never reached)".to_owned(),
        (None, proved) => format!(
            "makespan against the optimum, proved in {proved} of {count} trials, else against a lower bound"
        ),
    };
    let _ = writeln!(
        text,
        "note: {against}: mean, standard deviation, 95th percentile and worst over the trials; less is better everywhere"
    );
    let _ = writeln!(
        text,
        "note: turnaround, wait in seconds, slowdown against the job's fastest slice: means over the jobs of a trial"
    );
    let _ = writeln!(
        text,
        "note: seed {}; foretold times are off by {} % (lognormal), and scored by the true ones; {} s for each new GPU instance (assumed)",
        trials.seed,
        100.0 * trials.error,
        CREATION.as_secs_f64()
    );
    text
}

fn tried_row(tried: &Tried) -> Vec<String> {
    let (sample, digits) = match tried.against.mean > 0.0 {
        true => (tried.against, 4),
        false => (tried.makespan, 1),
    };
    vec![
        tried.policy.name(),
        format!("{:.digits$}", sample.mean),
        format!("{:.digits$}", sample.sd),
        format!("{:.digits$}", sample.p95),
        format!("{:.digits$}", sample.worst),
        format!("{:.1} s", tried.turnaround.mean),
        format!("{:.2}", tried.slowdown.mean),
        format!("{:.1} s", tried.wait.mean),
        format!("{:.0} s", tried.longest_wait),
    ]
}
