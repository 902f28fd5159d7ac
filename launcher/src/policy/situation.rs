//! What a policy is told: the queue, the slices there are, and how much runs. Knows neither time nor processes.

use migfit_mig::{Held, LayoutGraph, ProfileName};

/// A job that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Its number in the batch.
    pub job: usize,
    /// MIG profiles that hold it, the one to prefer first; never empty.
    pub slices: Vec<ProfileName>,
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
    /// Jobs that the host's cores can run at once, at least 1.
    pub cores: usize,
}
