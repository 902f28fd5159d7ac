//! What the host can still take on, beside the GPU: no policy starts more than that.

use crate::policy::Queued;
use migfit_schema::units::Bytes;

/// What the host has free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRoom {
    /// Cores that no running job keeps busy.
    pub cpus: u32,
    /// Memory that no running job was promised; none: nobody knows how much there is.
    pub memory: Option<Bytes>,
}

/// What of the host a job has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Cores.
    Cores,
    /// Memory.
    Memory,
}

impl HostRoom {
    /// What a job would have to wait for; none: it can start.
    #[must_use]
    pub fn lacks(&self, job: &Queued) -> Option<Shortage> {
        let memory = self.memory.unwrap_or(Bytes(u64::MAX));
        if job.cpus > self.cpus {
            return Some(Shortage::Cores);
        }
        (job.host_memory > memory).then_some(Shortage::Memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_is_named() {
        let job = |cpus, memory| Queued {
            job: 0,
            slices: Vec::new(),
            cpus,
            host_memory: Bytes(memory),
        };
        let room = HostRoom {
            cpus: 2,
            memory: Some(Bytes(100)),
        };
        assert_eq!(room.lacks(&job(2, 100)), None);
        assert_eq!(room.lacks(&job(3, 100)), Some(Shortage::Cores));
        assert_eq!(room.lacks(&job(1, 101)), Some(Shortage::Memory));
        let unknown = HostRoom {
            memory: None,
            ..room
        };
        assert_eq!(unknown.lacks(&job(1, 101)), None);
    }
}
