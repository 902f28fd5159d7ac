//! What a policy is told: the queue, the slices there are, and what runs. Times are spans; it knows no clock and no process.

use crate::policy::HostRoom;
use migfit_mig::{Held, LayoutGraph, Placed, ProfileName};
use migfit_schema::units::Bytes;
use std::time::Duration;

/// A job that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its number in the batch.
    pub job: usize,
    /// MIG profiles that hold it, the one to prefer first; never empty.
    pub slices: Vec<ProfileName>,
    /// How long it is expected to run on a slice of these MIG profiles; empty where nobody knows.
    pub times: Vec<(ProfileName, Duration)>,
    /// Whether these are foretold rather than measured.
    pub foretold: bool,
    /// How long it has been waiting.
    pub waited: Duration,
    /// Cores that it keeps busy, at most as many as the host has.
    pub cpus: u32,
    /// Host memory that it takes, at most what the host has; 0 where nothing is stated.
    pub host_memory: Bytes,
}

impl Queued {
    /// How long it is expected to run there; none where nobody knows.
    #[must_use]
    pub fn time(&self, slice: ProfileName) -> Option<Duration> {
        let known = self.times.iter().find(|(known, _)| *known == slice);
        known.map(|(_, time)| *time)
    }
}

/// A job that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Going {
    /// Which GPU.
    pub gpu: usize,
    /// Its slice.
    pub placed: Placed,
    /// How long it has been running.
    pub ran: Duration,
    /// How long it is expected to run in all; none where nobody knows.
    pub expected: Option<Duration>,
}

impl Going {
    /// How long it still goes on: what is left of its expected time; once that is over, a tenth of what it ran.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let expected = self.expected?;
        Some(match expected.checked_sub(self.ran) {
            Some(left) if !left.is_zero() => left,
            _ => self.ran / 10,
        })
    }
}

/// Everything that a decision may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Time since the begin of the batch.
    pub now: Duration,
    /// The layout graph of the GPUs, which are of one model.
    pub graph: &'a LayoutGraph,
    /// GPU instances that there are on each GPU; those of others count as busy.
    pub gpus: &'a [Vec<Held>],
    /// Jobs that wait, in the order of the job file.
    pub queue: &'a [Queued],
    /// Jobs that run.
    pub running: &'a [Going],
    /// What the host has free.
    pub host: HostRoom,
    /// Whether jobs may still arrive.
    pub more: bool,
}

impl Situation<'_> {
    /// How many of the jobs that wait the host could hold at once beside those that run, counted from the smallest.
    #[must_use]
    pub fn host_holds(&self) -> usize {
        let count = |each: &dyn Fn(&Queued) -> u64, room: u64| {
            let mut needs: Vec<u64> = self.queue.iter().map(each).collect();
            needs.sort_unstable();
            let mut sum = 0u64;
            let fits = needs.into_iter().take_while(|need| {
                sum = sum.saturating_add(*need);
                sum <= room
            });
            fits.count()
        };
        let cores = count(&|job| u64::from(job.cpus), u64::from(self.host.cpus));
        let memory = self
            .host
            .memory
            .map(|room| count(&|job| job.host_memory.0, room.0));
        memory.map_or(cores, |memory| memory.min(cores))
    }

    /// Memory slices that nothing busy holds, over all GPUs.
    #[must_use]
    pub fn free_slices(&self) -> usize {
        let all = self.graph.model().memory_slices;
        let free = self.gpus.iter().map(|held| {
            let busy = held.iter().filter(|held| held.busy);
            let busy: u32 = busy.map(|held| held.placed.placement.size).sum();
            all.saturating_sub(busy) as usize
        });
        free.sum()
    }
    /// GPUs in the order in which they are to be filled: those with a busy GPU instance first.
    #[must_use]
    pub fn filling_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.gpus.len()).collect();
        let is_open = |gpu: usize| {
            let held = self.gpus.get(gpu);
            held.is_some_and(|held| held.iter().any(|held| held.busy))
        };
        order.sort_by_key(|&gpu| !is_open(gpu));
        order
    }
}
