//! What jobs take of the host, and what running ones leave of it.

use crate::policy::{HostRoom, Queued};
use crate::run::batch::Batch;
use migfit_mig::ProfileName;
use migfit_schema::units::Bytes;

impl Batch<'_> {
    /// What a job takes, cut to what there is, so that the largest runs alone instead of never.
    pub fn queued(&self, job: usize, slices: Vec<ProfileName>) -> Queued {
        let stated = &self.jobs[job].job;
        let memory = stated.host_memory.unwrap_or_default();
        Queued {
            job,
            slices,
            cpus: stated.cpus.min(self.host.cpus),
            host_memory: self.host.memory.map_or(memory, |all| memory.min(all)),
        }
    }

    /// What running jobs leave of the host.
    pub fn room_beside(&self, running: impl Iterator<Item = usize>) -> HostRoom {
        let mut room = self.host;
        for job in running {
            let stated = &self.jobs[job].job;
            room.cpus = room.cpus.saturating_sub(stated.cpus);
            let memory = stated.host_memory.unwrap_or_default().0;
            room.memory = room.memory.map(|free| Bytes(free.0.saturating_sub(memory)));
        }
        room
    }
}
