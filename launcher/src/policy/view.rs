//! A situation as planning sees it: places, jobs with their ways, and from when each memory slice is free.

use crate::policy::{Going, Queued, Situation};
use migfit_mig::planning::slots::NEVER;
use migfit_mig::planning::smooth::smooth;
use migfit_mig::planning::{Batch, Ground, Slots, Task, Time};
use migfit_mig::{Held, ProfileName};
use std::time::Duration;

/// Making one GPU instance with its compute instance. Source: our own modelling assumption, taken in our study of what
/// scheduling can attain on the measured jobs; nothing is charged for an idle one that is used as it is, and several
/// are made at once. Not measured on hardware yet.
pub const CREATION: Duration = Duration::from_millis(250);

/// What a job is taken to run where nobody knows, for want of others with known times.
const UNKNOWN: Time = 1_000_000;

/// A situation as planning sees it.
pub struct View {
    /// The places.
    pub ground: Ground,
    /// The state of each GPU; 0 is now.
    pub slots: Vec<Slots>,
    /// The jobs in the order of the queue.
    pub batch: Batch,
    tasks: Vec<Task>,
    /// Whether the times of all jobs are known.
    pub is_timed: bool,
}

impl View {
    /// None where the GPUs are too many or too large for planning. `smoothed` makes foretold times plausible first.
    #[must_use]
    pub fn of(situation: &Situation<'_>, smoothed: bool) -> Option<View> {
        let creation = micros(CREATION);
        let ground = Ground::new(situation.graph, situation.gpus.len(), creation)?;
        let gpus = situation.gpus.iter().enumerate();
        let slots: Vec<Slots> = gpus
            .map(|(gpu, held)| slots(&ground, gpu, held, situation.running))
            .collect();
        let sizes = sizes(&ground, situation);
        let typical = typical(ground.profiles(), situation.queue);
        let tasks: Vec<Task> = situation
            .queue
            .iter()
            .map(|job| {
                let mut task = task(job, ground.profiles(), &typical);
                if smoothed && job.foretold {
                    smooth(&sizes, &mut task.times);
                }
                task
            })
            .collect();
        Some(View {
            batch: Batch::new(&ground, &tasks, &slots),
            tasks,
            is_timed: situation.queue.iter().all(|job| !job.times.is_empty()),
            slots,
            ground,
        })
    }

    /// The jobs with every way of each: for layouts that somebody else chose.
    #[must_use]
    pub fn whole(&self) -> Batch {
        Batch::whole(&self.ground, &self.tasks, &self.slots)
    }
}

/// Whole microseconds.
#[must_use]
pub fn micros(time: Duration) -> Time {
    Time::try_from(time.as_micros()).map_or(NEVER / 2, |time| time.min(NEVER / 2))
}

fn slots(ground: &Ground, gpu: usize, held: &[Held], running: &[Going]) -> Slots {
    let mut slots = Slots::empty();
    for held in held {
        let mut ours = running.iter();
        let ours = ours.find(|going| going.gpu == gpu && going.placed == held.placed);
        let until = match (held.busy, ours) {
            (false, _) => 0,
            (true, Some(going)) => going.left().map_or(UNKNOWN, micros),
            // Somebody else's: nobody knows until when.
            (true, None) => NEVER,
        };
        match ground.place_of(gpu, held.placed) {
            Some(place) => {
                if let Some(at) = ground.places().get(place) {
                    slots.hold(at, ground.local(place), until);
                }
            }
            // A MIG profile that is not planned with; it holds its memory slices all the same.
            None => {
                let mask = held.placed.placement.mask();
                for (slice, free) in slots.free.iter_mut().enumerate() {
                    if mask & (1 << slice) != 0 {
                        *free = until;
                    }
                }
            }
        }
    }
    slots
}

/// Sizes of the MIG profiles for smoothing: SM slices or, where that is more, memory slices.
fn sizes(ground: &Ground, situation: &Situation<'_>) -> Vec<f64> {
    let model = situation.graph.model();
    let profiles = ground.profiles().iter();
    profiles
        .map(|name| {
            let memory = model.profile(*name).map_or(0, |p| p.memory_slices);
            let memory = f64::from(memory) / f64::from(model.memory_slices);
            let compute = f64::from(name.slices) / f64::from(model.compute_slices);
            memory.max(compute)
        })
        .collect()
}

/// What a job with unknown times is taken to run on each MIG profile: as the others do on average.
fn typical(profiles: &[ProfileName], queue: &[Queued]) -> Vec<Time> {
    let mean = |profile: &ProfileName| {
        let known: Vec<Time> = queue
            .iter()
            .filter_map(|job| job.time(*profile).map(micros))
            .collect();
        let count = known.len() as Time;
        let sum = known
            .iter()
            .fold(0, |sum: Time, &time| sum.saturating_add(time));
        sum.checked_div(count).unwrap_or(UNKNOWN).max(1)
    };
    profiles.iter().map(mean).collect()
}

fn task(job: &Queued, profiles: &[ProfileName], typical: &[Time]) -> Task {
    let time = |(profile, &typical): (&ProfileName, &Time)| {
        if !job.slices.contains(profile) {
            return None;
        }
        match job.times.is_empty() {
            true => Some(typical),
            false => job.time(*profile).map(|time| micros(time).max(1)),
        }
    };
    Task {
        times: profiles.iter().zip(typical).map(time).collect(),
    }
}
