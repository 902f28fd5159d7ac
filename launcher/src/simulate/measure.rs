//! What a schedule is measured by: spans of jobs, and the yardstick that a makespan is held against.

use crate::policy::view::micros;
use crate::simulate::costs::CREATION;
use crate::simulate::schedule::{Entrant, Schedule};
use migfit_mig::planning::{Batch, Effort, Ground, Slots, Task, bound, plan};
use migfit_mig::{LayoutGraph, ProfileName};
use std::time::Duration;

/// Jobs up to which the optimum is searched for as a yardstick.
const PROVABLE: usize = 8;

/// Nodes that the search may look at; enough for 8 jobs in all but very few batches.
const NODES: u64 = 40_000_000;

/// What a makespan is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yardstick {
    /// The optimum where it is proved, else a lower bound.
    pub makespan: Duration,
    /// Whether it is the optimum.
    pub proved: bool,
}

/// The yardstick of a batch that is there from the begin, by its true times. None where there is none: on too many GPUs, or
/// where a job has no time.
#[must_use]
pub fn yardstick(
    graph: &LayoutGraph,
    gpus: usize,
    entrants: &[Entrant],
    time: &dyn Fn(usize, ProfileName) -> Duration,
) -> Option<Yardstick> {
    let ground = Ground::new(graph, gpus, micros(CREATION))?;
    let slots = vec![Slots::empty(); gpus];
    let tasks = tasks(&ground, entrants, time);
    let batch = Batch::new(&ground, &tasks, &slots);
    if batch.ways.iter().any(Vec::is_empty) {
        return None;
    }
    if entrants.len() <= PROVABLE && gpus == 1 {
        let effort = Effort {
            evaluations: 100_000,
            nodes: NODES,
        };
        let best = plan(&ground, &batch, &slots, effort, None);
        return Some(Yardstick {
            makespan: Duration::from_micros(if best.proved {
                best.makespan
            } else {
                best.bound
            }),
            proved: best.proved,
        });
    }
    Some(Yardstick {
        makespan: Duration::from_micros(bound::area(&ground, &batch, &slots)),
        proved: false,
    })
}

/// Seconds of one GPU that the jobs take at least on average, if nothing is left idle.
#[must_use]
pub fn mean_area(
    graph: &LayoutGraph,
    entrants: &[Entrant],
    time: &dyn Fn(usize, ProfileName) -> Duration,
) -> f64 {
    let Some(ground) = Ground::new(graph, 1, 0) else {
        return 0.0;
    };
    let slots = [Slots::empty()];
    let tasks = tasks(&ground, entrants, time);
    // Many copies, so that no single job is longer than the sum.
    let copies = 64usize.div_ceil(tasks.len().max(1));
    let many: Vec<Task> = std::iter::repeat_n(&tasks, copies)
        .flatten()
        .cloned()
        .collect();
    let batch = Batch::new(&ground, &many, &slots);
    let area = Duration::from_micros(bound::area(&ground, &batch, &slots));
    area.as_secs_f64() / many.len().max(1) as f64
}

fn tasks(
    ground: &Ground,
    entrants: &[Entrant],
    time: &dyn Fn(usize, ProfileName) -> Duration,
) -> Vec<Task> {
    let task = |(job, entrant): (usize, &Entrant)| {
        let fitting = entrant.slices.as_deref().unwrap_or_default();
        let time = |name: &ProfileName| {
            let fits = fitting.contains(name);
            fits.then(|| micros(time(job, *name)).max(1))
        };
        Task {
            times: ground.profiles().iter().map(time).collect(),
        }
    };
    entrants.iter().enumerate().map(task).collect()
}

/// Means over the jobs of one schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spans {
    /// Submission to start, in seconds.
    pub wait: f64,
    /// Submission to end, in seconds.
    pub turnaround: f64,
    /// The same, 95th percentile.
    pub turnaround_p95: f64,
    /// Turnaround over the time on the largest slice that holds the job.
    pub slowdown: f64,
    /// The same, 95th percentile.
    pub slowdown_p95: f64,
}

/// Measures the jobs of a schedule; `alone` is how long each would take on its largest slice.
#[must_use]
pub fn spans(schedule: &Schedule, alone: &dyn Fn(usize) -> Duration) -> Spans {
    let jobs = schedule.placings.iter();
    let wait = |p: &crate::simulate::schedule::Placing| p.start.saturating_sub(p.arrived);
    let waits: Vec<f64> = jobs.clone().map(|p| wait(p).as_secs_f64()).collect();
    let turnarounds: Vec<f64> = jobs
        .clone()
        .map(|p| p.end.saturating_sub(p.arrived).as_secs_f64())
        .collect();
    let slowdowns: Vec<f64> = jobs
        .zip(&turnarounds)
        .map(|(p, turnaround)| turnaround / alone(p.job).as_secs_f64().max(1e-6))
        .collect();
    Spans {
        wait: Sample::of(waits).mean,
        turnaround: Sample::of(turnarounds.clone()).mean,
        turnaround_p95: Sample::of(turnarounds).p95,
        slowdown: Sample::of(slowdowns.clone()).mean,
        slowdown_p95: Sample::of(slowdowns).p95,
    }
}

/// A sample in four numbers; all 0 where it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// 95th percentile (the nearest rank).
    pub p95: f64,
    /// The largest.
    pub worst: f64,
}

impl Sample {
    /// Sums a sample up.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Sample {
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        let Some(&worst) = values.last() else {
            return Sample::default();
        };
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let rank = (values.len() * 95).div_ceil(100).max(1) - 1;
        Sample {
            mean,
            sd: (squares / (count - 1.0).max(1.0)).sqrt(),
            p95: values.get(rank).copied().unwrap_or(worst),
            worst,
        }
    }
}
