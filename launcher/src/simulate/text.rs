//! The figures of all policies as text, with what they rest on.

use crate::report::counted;
use crate::simulate::costs::CREATION;
use crate::simulate::outcome::Outcome;
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
        outcome.policy.name().to_owned(),
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
