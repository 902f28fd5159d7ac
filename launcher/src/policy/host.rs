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

/// What a job takes of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Cores that it keeps busy.
    pub cpus: u32,
    /// Memory; 0 where nothing is stated.
    pub memory: Bytes,
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
    /// What a job takes, cut to what there is, so that the largest runs alone instead of never.
    #[must_use]
    pub fn cut(self, share: Share) -> Share {
        Share {
            cpus: share.cpus.min(self.cpus),
            memory: self
                .memory
                .map_or(share.memory, |all| share.memory.min(all)),
        }
    }

    /// What running jobs leave of it.
    #[must_use]
    pub fn beside(self, running: impl Iterator<Item = Share>) -> HostRoom {
        running.fold(self, |room, share| HostRoom {
            cpus: room.cpus.saturating_sub(share.cpus),
            memory: room
                .memory
                .map(|free| Bytes(free.0.saturating_sub(share.memory.0))),
        })
    }

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
    fn a_share_is_cut_to_the_host_and_what_runs_leaves_the_rest() {
        let host = HostRoom {
            cpus: 4,
            memory: Some(Bytes(100)),
        };
        let share = |cpus, memory| Share {
            cpus,
            memory: Bytes(memory),
        };
        assert_eq!(host.cut(share(8, 300)), share(4, 100));
        assert_eq!(host.cut(share(1, 0)), share(1, 0));
        let left = host.beside([share(1, 30), share(8, 30)].into_iter());
        let expected = HostRoom {
            cpus: 0,
            memory: Some(Bytes(40)),
        };
        assert_eq!(left, expected);
    }

    #[test]
    fn what_is_short_is_named() {
        let job = |cpus, memory| Queued {
            job: 0,
            slices: Vec::new(),
            times: Vec::new(),
            foretold: false,
            waited: std::time::Duration::ZERO,
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
