//! A plan as JSON: a form of its own, kept for users' scripts; `VERSION` rises when it changes.

use crate::plan::made::Plan;
use crate::plan::needs::{Hindrance, PlannedJob};
use crate::plan::notes::notes;
use crate::simulate::schedule::{Placing, Waited};
use migfit_mig::Placement;
use serde::Serialize;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'p> {
    version: u32,
    gpu: String,
    is_virtual: bool,
    policy: String,
    /// `timetable` or `order`.
    kind: &'static str,
    makespan_s: Option<f64>,
    /// In the order in which they begin.
    jobs: Vec<JobForm<'p>>,
    not_started: Vec<NotStarted<'p>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct JobForm<'p> {
    name: &'p str,
    mig_profile: String,
    placement: Placement,
    new_gpu_instance: bool,
    start_s: Option<f64>,
    end_s: Option<f64>,
    /// Name of the job whose end lets it start.
    waits_for: Option<&'p str>,
    waits_because: Option<&'p str>,
    /// What its slice must have, context included.
    needs_mib: Option<u64>,
    predicted_bytes: Option<u64>,
    verdict: String,
    /// Why slices of this size.
    need_reason: &'p str,
    /// Why this place.
    reason: &'p str,
    /// Why `migfit run` would not start its program.
    hindrance: Option<&'p str>,
}

#[derive(Serialize)]
struct NotStarted<'p> {
    name: &'p str,
    why: &'p str,
}

/// The whole document.
///
/// # Errors
/// When a value has no JSON form.
pub fn json(plan: &Plan<'_>) -> serde_json::Result<String> {
    let placings = plan.schedule.placings.iter();
    let jobs = placings.filter_map(|placing| job(plan, placing));
    let never = plan.schedule.never.iter().map(|(job, why)| NotStarted {
        name: name(plan, *job),
        why,
    });
    let document = Document {
        version: VERSION,
        gpu: plan.board.to_string(),
        is_virtual: plan.board.is_virtual,
        policy: plan.policy.name(),
        kind: if plan.is_timed { "timetable" } else { "order" },
        makespan_s: plan
            .is_timed
            .then(|| plan.schedule.makespan().as_secs_f64()),
        jobs: jobs.collect(),
        not_started: never.collect(),
        notes: notes(plan),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn name<'p>(plan: &'p Plan<'_>, job: usize) -> &'p str {
    plan.jobs.get(job).map_or("", |planned| &planned.job.name)
}

fn job<'p>(plan: &'p Plan<'_>, placing: &'p Placing) -> Option<JobForm<'p>> {
    let PlannedJob {
        job,
        hindrance,
        foretold,
        ..
    } = plan.jobs.get(placing.job)?;
    let waited: Option<&Waited> = placing.waited.as_ref();
    Some(JobForm {
        name: &job.name,
        mig_profile: placing.decision.placed.profile.to_string(),
        placement: placing.decision.placed.placement,
        new_gpu_instance: placing.is_new(),
        start_s: plan.is_timed.then_some(placing.start.as_secs_f64()),
        end_s: plan.is_timed.then_some(placing.end.as_secs_f64()),
        waits_for: waited.map(|waited| name(plan, waited.until)),
        waits_because: waited.map(|waited| waited.because.as_str()),
        needs_mib: foretold.needs.map(|needs| needs.0),
        predicted_bytes: foretold.peak.map(|peak| peak.0),
        verdict: foretold.verdict.to_string(),
        need_reason: &foretold.why,
        reason: &placing.reason,
        hindrance: hindrance.as_ref().map(|hindrance| match hindrance {
            Hindrance::NoCommand => "it has no command",
            Hindrance::NoProgram(why) | Hindrance::NotHere(why) => why,
        }),
    })
}
