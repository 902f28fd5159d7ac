//! Scheme A: jobs by memory, those of one MIG profile together on a layout of equal slices; the GPU is drained between
//! groups. Kept as the paper's baseline.

use crate::policy::fifo::tightest;
use crate::policy::{Policy, Queued, Situation, Step};
use migfit_mig::NoPlacement;

/// Jobs by memory, in groups of equal slices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sorted;

impl Policy for Sorted {
    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let size = |job: &Queued| {
            let profiles = situation.graph.profiles();
            let slice = job.slices.first();
            slice.and_then(|slice| profiles.iter().position(|known| known == slice))
        };
        let jobs = situation.queue.iter().enumerate();
        // min_by_key keeps the first of equals: within a group the order of the job file.
        let Some((position, job)) = jobs.min_by_key(|(_, job)| size(job)) else {
            return Ok(Step::Wait("no job waits".to_owned()));
        };
        let other = situation
            .running
            .iter()
            .find(|going| Some(&going.placed.profile) != job.slices.first());
        match other {
            Some(going) => Ok(Step::Wait(format!(
                "the group on {} runs out first",
                going.placed.profile
            ))),
            None => tightest(situation, position),
        }
    }
}
