//! The figures of all policies and every job's slice and times as JSON: a form of its own, kept for users' scripts;
//! `VERSION` rises when it changes.

use crate::simulate::outcome::Outcome;
use crate::simulate::schedule::Placing;
use crate::simulate::text::notes;
use crate::simulate::verb::Answer;
use migfit_mig::Placement;
use serde::Serialize;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    /// Nothing was run.
    simulated: bool,
    gpu: String,
    policies: Vec<PolicyForm<'a>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct PolicyForm<'a> {
    policy: &'static str,
    makespan_s: f64,
    throughput_ratio: Option<f64>,
    mean_wait_s: f64,
    memory_utilization: f64,
    new_gpu_instances: usize,
    /// In the order in which they begin.
    jobs: Vec<JobForm<'a>>,
}

#[derive(Serialize)]
struct JobForm<'a> {
    name: &'a str,
    mig_profile: String,
    placement: Placement,
    new_gpu_instance: bool,
    start_s: f64,
    end_s: f64,
    reason: &'a str,
}

/// The whole document.
///
/// # Errors
/// When a value has no JSON form.
pub fn json(answer: &Answer<'_>) -> serde_json::Result<String> {
    let document = Document {
        version: VERSION,
        simulated: true,
        gpu: answer.request.board.to_string(),
        policies: answer
            .outcomes
            .iter()
            .map(|outcome| policy(answer, outcome))
            .collect(),
        notes: notes(answer),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn policy<'a>(answer: &'a Answer<'_>, outcome: &'a Outcome) -> PolicyForm<'a> {
    let placings = outcome.schedule.placings.iter();
    PolicyForm {
        policy: outcome.policy.name(),
        makespan_s: outcome.makespan.as_secs_f64(),
        throughput_ratio: outcome.throughput_ratio,
        mean_wait_s: outcome.mean_wait.as_secs_f64(),
        memory_utilization: outcome.memory_utilization,
        new_gpu_instances: outcome.created,
        jobs: placings.map(|placing| job(answer, placing)).collect(),
    }
}

fn job<'a>(answer: &'a Answer<'_>, placing: &'a Placing) -> JobForm<'a> {
    JobForm {
        name: answer.jobs.get(placing.job).map_or("", |job| &job.name),
        mig_profile: placing.decision.placed.profile.to_string(),
        placement: placing.decision.placed.placement,
        new_gpu_instance: placing.is_new(),
        start_s: placing.start.as_secs_f64(),
        end_s: placing.end.as_secs_f64(),
        reason: &placing.reason,
    }
}
