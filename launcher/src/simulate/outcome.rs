//! One policy's schedule -> its figures. Ratios above 1 are better than one job at a time.

use crate::cli::request::PolicyName;
use crate::simulate::schedule::{Placing, Schedule};
use migfit_mig::Model;
use std::time::Duration;

/// What one policy came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The policy.
    pub policy: PolicyName,
    /// Begin of the batch to the last end.
    pub makespan: Duration,
    /// Jobs per time against one job at a time on the whole GPU; none where that cannot be simulated.
    pub throughput_ratio: Option<f64>,
    /// Mean time from a job's submission to its start.
    pub mean_wait: Duration,
    /// Share of memory-slice time that jobs held, from 0 to 1.
    pub memory_utilization: f64,
    /// GPU instances that were made.
    pub created: usize,
    /// Who ran where and when.
    pub schedule: Schedule,
}

/// Sums a schedule up; `sequential` is the makespan of one job at a time.
#[must_use]
pub fn sum_up(
    policy: PolicyName,
    schedule: Schedule,
    (model, gpus): (&Model, usize),
    sequential: Option<Duration>,
) -> Outcome {
    let makespan = schedule.makespan();
    let placings = &schedule.placings;
    let waits = placings
        .iter()
        .map(|placing| placing.start.saturating_sub(placing.arrived).as_secs_f64());
    let slices = f64::from(model.memory_slices) * gpus as f64 * makespan.as_secs_f64();
    let held: f64 = placings.iter().map(held).sum();
    Outcome {
        policy,
        makespan,
        throughput_ratio: sequential
            .map(|sequential| ratio(sequential.as_secs_f64(), makespan.as_secs_f64())),
        mean_wait: Duration::from_secs_f64(ratio(waits.sum(), placings.len() as f64)),
        memory_utilization: ratio(held, slices),
        created: schedule.created(),
        schedule,
    }
}

/// Memory-slice seconds of one job.
fn held(placing: &Placing) -> f64 {
    let time = placing.end.saturating_sub(placing.start).as_secs_f64();
    f64::from(placing.decision.placed.placement.size) * time
}

/// A quotient; 0 where there is nothing to divide by.
fn ratio(of: f64, by: f64) -> f64 {
    if by > 0.0 { of / by } else { 0.0 }
}
