//! The free slices shared among the jobs that wait: each may take its part, short ones first, at least the tightest slice
//! that holds it. Later jobs pass one that finds no place, until it has waited `patience`: then the place that is free first
//! is kept for it, and its wait ends at the latest with the longest job that runs there.

use crate::policy::fifo::named;
use crate::policy::{Policy, Queued, Situation, Start, Step};
use migfit_mig::place::{Outcome, place_at};
use migfit_mig::{Decision, Held, NoPlacement, Placed, ProfileName, place};
use std::time::Duration;

/// How much more area (memory slices x time) than its least a job may take for the sake of speed.
const DEAREST: f64 = 2.0;

/// A job is passed for at most this long, or this many times its own shortest time where that is longer.
const PATIENCE: (Duration, u32) = (Duration::from_secs(600), 10);

/// The sharing policy.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// Whether a job may take more than its tightest slice; short ones then go first.
    pub shares: bool,
}

impl Policy for Sharing {
    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let share = match self.shares {
            true => share(situation),
            false => 0,
        };
        let mut order: Vec<usize> = (0..situation.queue.len()).collect();
        order.sort_by_key(|&at| {
            let job = &situation.queue[at];
            match self.shares {
                true => (!is_overdue(job), shortest(job)),
                false => (!is_overdue(job), Duration::ZERO),
            }
        });
        let mut kept: Vec<(usize, u32)> = Vec::new();
        let (mut waits, mut short) = (None, None);
        for at in order {
            let job = &situation.queue[at];
            let found = somewhere(situation, job, share, &kept)?;
            let lacks = situation.host.lacks(job);
            match (found, lacks) {
                (Some((gpu, decision)), None) => {
                    return Ok(Step::Start(Start {
                        position: at,
                        gpu,
                        reason: reason(situation, job, share, &decision),
                        decision,
                    }));
                }
                (Some(_), Some(shortage)) => {
                    short.get_or_insert(shortage);
                }
                (None, _) => {
                    waits.get_or_insert_with(|| {
                        let wanted = job.slices.first().map(ToString::to_string);
                        format!("no place for {}", wanted.unwrap_or_default())
                    });
                    if is_overdue(job) {
                        kept.extend(first_free(situation, job));
                    }
                }
            }
        }
        Ok(match short {
            Some(shortage) => Step::WaitForHost(shortage),
            None => Step::Wait(waits.unwrap_or_else(|| "no job waits".to_owned())),
        })
    }
}

fn reason(situation: &Situation<'_>, job: &Queued, share: u32, decision: &Decision) -> String {
    let why = match job.slices.first() == Some(&decision.placed.profile) {
        true => "the tightest slice".to_owned(),
        false => format!(
            "{share} free memory slices for each of {} jobs that wait",
            situation.queue.len()
        ),
    };
    format!("{}{why}; {}", named(decision), decision.reason)
}

/// Memory slices that are free for each job that waits and that the host can hold, and for one that may be about to come;
/// rounded down.
fn share(situation: &Situation<'_>) -> u32 {
    let free = u32::try_from(situation.free_slices()).unwrap_or(u32::MAX);
    let waiting = situation.host_holds().min(situation.queue.len());
    let waiting = u32::try_from(waiting.max(1)).unwrap_or(u32::MAX);
    free / waiting.saturating_add(u32::from(situation.more))
}

/// Its shortest time; the longest there is where nobody knows.
fn shortest(job: &Queued) -> Duration {
    let times = job.times.iter().map(|(_, time)| *time);
    times.min().unwrap_or(Duration::MAX)
}

fn is_overdue(job: &Queued) -> bool {
    let own = match job.times.is_empty() {
        true => Duration::ZERO,
        false => shortest(job).saturating_mul(PATIENCE.1),
    };
    job.waited >= PATIENCE.0.max(own)
}

/// MIG profiles that a job may take: within its share and not much dearer than the cheapest, the fastest first; then
/// the tightest.
fn wanted(situation: &Situation<'_>, job: &Queued, share: u32) -> Vec<ProfileName> {
    let model = situation.graph.model();
    let size = |name: &ProfileName| model.profile(*name).map_or(0, |p| p.memory_slices);
    let area = |name: &ProfileName| {
        let time = job.time(*name)?;
        Some(f64::from(size(name)) * time.as_secs_f64())
    };
    let least = job.slices.iter().filter_map(area).fold(f64::MAX, f64::min);
    let mut wanted: Vec<ProfileName> = job
        .slices
        .iter()
        .copied()
        .filter(|name| size(name) <= share)
        .filter(|name| area(name).is_some_and(|area| area <= DEAREST * least))
        .collect();
    wanted.sort_by_key(|name| job.time(*name));
    let tightest = job.slices.first().filter(|first| !wanted.contains(first));
    wanted.extend(tightest);
    wanted
}

/// A place for the job that nobody else is promised.
fn somewhere(
    situation: &Situation<'_>,
    job: &Queued,
    share: u32,
    kept: &[(usize, u32)],
) -> Result<Option<(usize, Decision)>, NoPlacement> {
    for name in wanted(situation, job, share) {
        for gpu in situation.filling_order() {
            let held = situation.gpus.get(gpu).map_or(&[][..], Vec::as_slice);
            let own: Vec<u32> = kept
                .iter()
                .filter(|(other, _)| *other == gpu)
                .map(|(_, mask)| *mask)
                .collect();
            if let Some(decision) = beside(situation, held, name, &own)? {
                return Ok(Some((gpu, decision)));
            }
        }
    }
    Ok(None)
}

fn beside(
    situation: &Situation<'_>,
    held: &[Held],
    wanted: ProfileName,
    kept: &[u32],
) -> Result<Option<Decision>, NoPlacement> {
    let free = |placed: &Placed| kept.iter().all(|mask| mask & placed.placement.mask() == 0);
    let decision = match place(situation.graph, held, wanted) {
        Ok(decision) => decision,
        Err(NoPlacement::Occupied { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    if free(&decision.placed) {
        return Ok(Some(decision));
    }
    let others = decision.considered.iter().filter_map(|considered| {
        let placed = Placed {
            placement: considered.placement,
            profile: wanted,
        };
        let possible = matches!(considered.outcome, Outcome::Possible { .. });
        (possible && free(&placed)).then_some(placed)
    });
    match others.into_iter().next() {
        Some(placed) => place_at(situation.graph, held, placed).map(Some),
        None => Ok(None),
    }
}

/// The place on its tightest slice that is free first, by what is known.
fn first_free(situation: &Situation<'_>, job: &Queued) -> Option<(usize, u32)> {
    let profile = situation.graph.model().profile(*job.slices.first()?)?;
    let mut best: Option<(Duration, usize, u32)> = None;
    for (gpu, held) in situation.gpus.iter().enumerate() {
        for placement in profile.placements() {
            let over = held
                .iter()
                .filter(|held| held.busy && held.placed.placement.overlaps(placement));
            let ends = over.map(|held| {
                let mut ours = situation.running.iter();
                let ours = ours.find(|going| going.gpu == gpu && going.placed == held.placed);
                // Somebody else's may never go; one of ours goes, if nobody knows when.
                ours.map_or(Duration::MAX, |going| {
                    going.left().unwrap_or(Duration::MAX / 2)
                })
            });
            let free = ends.max().unwrap_or(Duration::ZERO);
            if free < Duration::MAX && best.is_none_or(|(least, ..)| free < least) {
                best = Some((free, gpu, placement.mask()));
            }
        }
    }
    best.map(|(_, gpu, mask)| (gpu, mask))
}
