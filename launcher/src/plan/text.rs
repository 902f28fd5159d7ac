//! A plan as text: a line for each job in the order in which they begin, with the reasons, and what it all rests on.

use crate::plan::made::Plan;
use crate::plan::needs::PlannedJob;
use crate::plan::notes::notes;
use crate::plan::reason;
use crate::report::counted;
use crate::simulate::schedule::Placing;
use crate::table;
use std::fmt::Write;
use std::time::Duration;

/// The whole text.
#[must_use]
pub fn text(plan: &Plan<'_>) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "plan: {} on {}, policy {}; nothing was run\n",
        counted(plan.jobs.len(), "job"),
        plan.board,
        plan.policy.name()
    );
    text.push_str(&table(plan));
    let makespan = plan.schedule.makespan();
    if plan.is_timed {
        let _ = writeln!(text, "\nmakespan {} (simulated)", seconds(makespan));
    } else {
        text.push('\n');
    }
    for note in notes(plan) {
        let _ = writeln!(text, "note: {note}");
    }
    let _ = writeln!(text, "note: {}", reason::LEGEND);
    text
}

fn table(plan: &Plan<'_>) -> String {
    let placings = plan.schedule.placings.iter();
    let rows = placings.filter_map(|placing| {
        let planned = plan.jobs.get(placing.job)?;
        Some(row(plan, placing, planned))
    });
    let header: &[&str] = match plan.is_timed {
        true => &["JOB", "SLICE", "NEEDS", "START", "END", "WAITS FOR", "WHY"],
        false => &["JOB", "SLICE", "NEEDS", "WAITS FOR", "WHY"],
    };
    let figures: &[usize] = if plan.is_timed { &[2, 3, 4] } else { &[2] };
    table::with_remarks(header, rows.collect(), figures)
}

fn row(plan: &Plan<'_>, placing: &Placing, planned: &PlannedJob) -> Vec<String> {
    let mut row = vec![
        planned.job.name.clone(),
        placing.decision.placed.to_string(),
        needs(planned),
    ];
    if plan.is_timed {
        row.extend([seconds(placing.start), seconds(placing.end)]);
    }
    let until = placing
        .waited
        .as_ref()
        .and_then(|waited| plan.jobs.get(waited.until));
    row.push(until.map_or_else(|| "-".to_owned(), |planned| planned.job.name.clone()));
    row.push(reason::short(&placing.decision));
    row
}

/// What the slice must have, or how else it is known that it holds the job.
fn needs(planned: &PlannedJob) -> String {
    match planned.foretold.needs {
        Some(needs) => needs.to_string(),
        None if planned.job.times.is_empty() => "unknown".to_owned(),
        None => "by times".to_owned(),
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
