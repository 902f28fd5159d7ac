//! What jobs take of the host, and what running ones leave of it.

use crate::policy::{HostRoom, Queued, Share};
use crate::run::batch::Batch;
use crate::simulate::costs::expected;
use migfit_mig::ProfileName;
use std::time::Duration;

impl Batch<'_> {
    /// A job as it waits.
    pub fn queued(&self, job: usize, slices: Vec<ProfileName>) -> Queued {
        let share = self.host.cut(self.share(job));
        Queued {
            job,
            times: expected(&self.jobs[job].job),
            foretold: false,
            waited: Duration::ZERO,
            slices,
            cpus: share.cpus,
            host_memory: share.memory,
        }
    }

    /// What running jobs leave of the host.
    pub fn room_beside(&self, running: impl Iterator<Item = usize>) -> HostRoom {
        self.host.beside(running.map(|job| self.share(job)))
    }

    fn share(&self, job: usize) -> Share {
        let stated = &self.jobs[job].job;
        Share {
            cpus: stated.cpus,
            memory: stated.host_memory.unwrap_or_default(),
        }
    }
}
