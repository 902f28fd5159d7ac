//! What a policy is told: the queue, the slices there are, and how much runs. Knows neither time nor processes.

use crate::policy::HostRoom;
use migfit_mig::{Held, LayoutGraph, ProfileName};
use migfit_schema::units::Bytes;

/// A job that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its number in the batch.
    pub job: usize,
    /// MIG profiles that hold it, the one to prefer first; never empty.
    pub slices: Vec<ProfileName>,
    /// Cores that it keeps busy, at most as many as the host has.
    pub cpus: u32,
    /// Host memory that it takes, at most what the host has; 0 where nothing is stated.
    pub host_memory: Bytes,
}

/// Everything that a decision may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The layout graph of the GPU.
    pub graph: &'a LayoutGraph,
    /// GPU instances there are; those of others count as busy.
    pub held: &'a [Held],
    /// Jobs that wait, in the order of the job file.
    pub queue: &'a [Queued],
    /// Jobs that run.
    pub running: usize,
    /// What the host has free.
    pub host: HostRoom,
}
