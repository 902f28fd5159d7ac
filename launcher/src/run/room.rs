//! Jobs as policies see them: what each takes of the host, how long it is expected to run, and what running ones leave.

use crate::policy::{Going, HostRoom, Queued, Share};
use crate::run::batch::Batch;
use crate::run::running::RunningJob;
use crate::simulate::costs::expected;
use migfit_mig::ProfileName;
use std::time::{Duration, Instant};

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

    /// Jobs as they run.
    pub fn going<'r>(&self, running: impl Iterator<Item = &'r RunningJob>) -> Vec<Going> {
        let now = Instant::now();
        let going = |running: &RunningJob| {
            let placed = running.device.spec.0;
            let mut times = expected(&self.jobs[running.job].job).into_iter();
            Going {
                gpu: 0,
                placed,
                ran: now.saturating_duration_since(running.started),
                expected: times
                    .find(|(slice, _)| *slice == placed.profile)
                    .map(|(_, time)| time),
            }
        };
        running.map(going).collect()
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
