//! The figures of all policies and every job's slice and times as JSON: a form of its own, kept for users' scripts;
//! `VERSION` rises when it changes.

use crate::cli::request::SimulateRequest;
use crate::simulate::measure::Sample;
use crate::simulate::outcome::Outcome;
use crate::simulate::schedule::Placing;
use crate::simulate::text::notes;
use crate::simulate::trials::Tried;
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
    policy: String,
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

#[derive(Serialize)]
struct TrialsForm {
    version: u32,
    simulated: bool,
    gpu: String,
    gpus: usize,
    policies: Vec<TriedForm>,
}

#[derive(Serialize)]
struct TriedForm {
    policy: String,
    /// Trials whose yardstick is a proved optimum; in the others it is a lower bound.
    proved: usize,
    at_the_optimum: usize,
    against_yardstick: Option<SampleForm>,
    makespan_s: SampleForm,
    mean_turnaround_s: SampleForm,
    mean_slowdown: SampleForm,
    mean_wait_s: SampleForm,
    longest_wait_s: f64,
}

#[derive(Serialize)]
struct SampleForm {
    mean: f64,
    sd: f64,
    p95: f64,
    worst: f64,
}

impl From<Sample> for SampleForm {
    fn from(sample: Sample) -> SampleForm {
        SampleForm {
            mean: sample.mean,
            sd: sample.sd,
            p95: sample.p95,
            worst: sample.worst,
        }
    }
}

/// The figures of many trials.
///
/// # Errors
/// When a value has no JSON form.
pub fn trials(request: &SimulateRequest, tried: &[Tried]) -> serde_json::Result<String> {
    let form = |tried: &Tried| TriedForm {
        policy: tried.policy.name(),
        proved: tried.proved,
        at_the_optimum: tried.optimal,
        against_yardstick: (tried.against.mean > 0.0).then(|| tried.against.into()),
        makespan_s: tried.makespan.into(),
        mean_turnaround_s: tried.turnaround.into(),
        mean_slowdown: tried.slowdown.into(),
        mean_wait_s: tried.wait.into(),
        longest_wait_s: tried.longest_wait,
    };
    let document = TrialsForm {
        version: VERSION,
        simulated: true,
        gpu: request.board.to_string(),
        gpus: request.gpus,
        policies: tried.iter().map(form).collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}
