//! Many trials of the same kind: each policy's makespan against the yardstick, and how jobs fare, as means and spreads.

use crate::cli::request::{PolicyName, Trials};
use crate::jobs::Job;
use crate::policy::{HostRoom, Share};
use crate::simulate::chance::Chance;
use crate::simulate::costs::{CREATION, run_time};
use crate::simulate::error::{SimulateError, all_began};
use crate::simulate::measure::{Sample, Spans, Yardstick, mean_area, spans, yardstick};
use crate::simulate::schedule::{self, Entrant, Ground, Schedule};
use migfit_mig::{LayoutGraph, ProfileName};
use std::time::Duration;

/// What trials are made of.
pub struct Lab<'l> {
    /// The jobs of the file.
    pub jobs: &'l [Job],
    /// MIG profiles that hold each, tightest first.
    pub fitting: &'l [Vec<ProfileName>],
    /// The layout graph.
    pub graph: &'l LayoutGraph,
    /// Number of GPUs.
    pub gpus: usize,
    /// What the host has.
    pub host: HostRoom,
    /// What is drawn.
    pub trials: Trials,
}

/// What one policy came to over all trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The policy.
    pub policy: PolicyName,
    /// Makespan against the yardstick of the trial; empty for arrivals, which have none.
    pub against: Sample,
    /// Trials whose yardstick is a proved optimum.
    pub proved: usize,
    /// Trials in which it was at the optimum, of those.
    pub optimal: usize,
    /// Makespan in seconds.
    pub makespan: Sample,
    /// Mean turnaround in seconds.
    pub turnaround: Sample,
    /// Mean slowdown.
    pub slowdown: Sample,
    /// Mean wait in seconds.
    pub wait: Sample,
    /// The longest wait of any job, in seconds.
    pub longest_wait: f64,
}

/// Plays all trials under all policies.
///
/// # Errors
/// When a policy cannot be had, or leaves a job waiting.
pub fn tried(lab: &Lab<'_>, policies: &[PolicyName]) -> Result<Vec<Tried>, SimulateError> {
    let mut seen: Vec<Vec<Seen>> = vec![Vec::new(); policies.len()];
    for trial in 0..lab.trials.count {
        let drawn = Drawn::of(lab, trial);
        let yardstick = match lab.trials.load {
            Some(_) => None,
            None => drawn.yardstick(lab),
        };
        for (policy, seen) in policies.iter().zip(&mut seen) {
            let schedule = drawn.play(lab, policy)?;
            let alone = |job: usize| drawn.alone(job);
            let makespan = schedule.makespan();
            let waits = schedule.placings.iter();
            let waits = waits.map(|p| p.start.saturating_sub(p.arrived).as_secs_f64());
            seen.push(Seen {
                makespan: makespan.as_secs_f64(),
                against: yardstick.map(|y| makespan.as_secs_f64() / y.makespan.as_secs_f64()),
                proved: yardstick.is_some_and(|y| y.proved),
                spans: spans(&schedule, &alone),
                longest_wait: waits.fold(0.0, f64::max),
            });
        }
    }
    let summed = policies
        .iter()
        .zip(seen)
        .map(|(policy, seen)| sum_up(policy, &seen));
    Ok(summed.collect())
}

#[derive(Clone)]
struct Seen {
    makespan: f64,
    against: Option<f64>,
    proved: bool,
    spans: Spans,
    longest_wait: f64,
}

fn sum_up(policy: &PolicyName, seen: &[Seen]) -> Tried {
    let of = |value: &dyn Fn(&Seen) -> f64| Sample::of(seen.iter().map(value).collect());
    let proved = seen.iter().filter(|seen| seen.proved);
    let at_best = |seen: &&Seen| seen.against.is_some_and(|ratio| ratio <= 1.0 + 1e-6);
    Tried {
        policy: policy.clone(),
        against: Sample::of(seen.iter().filter_map(|seen| seen.against).collect()),
        proved: proved.clone().count(),
        optimal: proved.filter(at_best).count(),
        makespan: of(&|seen| seen.makespan),
        turnaround: of(&|seen| seen.spans.turnaround),
        slowdown: of(&|seen| seen.spans.slowdown),
        wait: of(&|seen| seen.spans.wait),
        longest_wait: seen
            .iter()
            .map(|seen| seen.longest_wait)
            .fold(0.0, f64::max),
    }
}

/// The jobs of one trial.
struct Drawn {
    entrants: Vec<Entrant>,
    /// True times by MIG profile.
    times: Vec<Vec<(ProfileName, Duration)>>,
}

impl Drawn {
    fn of(lab: &Lab<'_>, trial: u32) -> Drawn {
        let mut chance = Chance::of(lab.trials, trial);
        let numbers = chance.jobs(lab.jobs.len());
        let mut drawn = Drawn {
            entrants: Vec::new(),
            times: Vec::new(),
        };
        for number in numbers {
            let (Some(job), Some(fitting)) = (lab.jobs.get(number), lab.fitting.get(number)) else {
                continue;
            };
            let mut job = job.clone();
            let iterations = chance.iterations().map(u64::from);
            if job.iterations.is_some() && iterations.is_some() {
                job.iterations = iterations;
            }
            let times: Vec<_> = fitting
                .iter()
                .map(|&slice| (slice, run_time(&job, slice)))
                .collect();
            drawn.entrants.push(Entrant {
                slices: Ok(fitting.clone()),
                after: match lab.trials.draw {
                    None => job.after.clone(),
                    // A drawn job's predecessors were not drawn with it.
                    Some(_) => Vec::new(),
                },
                share: Share {
                    cpus: job.cpus,
                    memory: job.host_memory.unwrap_or_default(),
                },
                arrives: job.arrives,
                times: chance.foretold(&times),
                foretold: lab.trials.error > 0.0,
            });
            drawn.times.push(times);
        }
        if lab.trials.load.is_some() {
            let mean = mean_area(lab.graph, &drawn.entrants, &|job, slice| {
                drawn.time(job, slice)
            });
            let arrivals = chance.arrivals(drawn.entrants.len(), mean, lab.gpus);
            for (entrant, arrives) in drawn.entrants.iter_mut().zip(arrivals) {
                entrant.arrives = arrives;
            }
        }
        drawn
    }

    fn time(&self, job: usize, slice: ProfileName) -> Duration {
        let mut times = self.times.get(job).into_iter().flatten();
        let time = times.find(|(name, _)| *name == slice);
        time.map(|(_, time)| *time).unwrap_or_default()
    }

    /// On its largest slice.
    fn alone(&self, job: usize) -> Duration {
        let times = self.times.get(job).into_iter().flatten();
        times.map(|(_, time)| *time).min().unwrap_or_default()
    }

    fn yardstick(&self, lab: &Lab<'_>) -> Option<Yardstick> {
        yardstick(lab.graph, lab.gpus, &self.entrants, &|job, slice| {
            self.time(job, slice)
        })
    }

    fn play(&self, lab: &Lab<'_>, name: &PolicyName) -> Result<Schedule, SimulateError> {
        let policy = name.policy(lab.graph)?;
        let whole = lab.graph.model().whole().map(|whole| whole.name);
        let mut entrants = self.entrants.clone();
        for entrant in &mut entrants {
            if let (Ok(slices), Some(whole)) = (&mut entrant.slices, whole) {
                *slices = policy.choose(slices, whole);
            }
        }
        let ground = Ground {
            graph: lab.graph,
            gpus: lab.gpus,
            policy: policy.as_ref(),
            host: lab.host,
            creation: CREATION,
        };
        let schedule = schedule::play(&ground, &entrants, &|job, slice| self.time(job, slice))?;
        all_began(schedule, name, |job| format!("number {}", job + 1))
    }
}
