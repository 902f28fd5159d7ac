//! Who waits for whom: the `after` of all jobs in; which jobs may enter the queue after an end, and which never will.
//! Knows no process and no slice.

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    /// So many of the jobs that it comes after have not ended yet.
    Waits(usize),
    /// It was let into the queue, or will never be.
    Told,
}

/// Who waits for whom.
#[derive(Clone, Debug)]
pub struct Dependents {
    stands: Vec<Stand>,
    /// For each job, those that come after it.
    followers: Vec<Vec<usize>>,
}

/// A job that never starts, because one that it comes after did not end well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Which.
    pub job: usize,
    /// The job that it comes after.
    pub behind: usize,
}

impl Dependents {
    /// Of jobs that come after these others, by their numbers. A number that names no job is waited for in vain.
    #[must_use]
    pub fn new<'a>(after: impl Iterator<Item = &'a [usize]>) -> Dependents {
        let after: Vec<&[usize]> = after.collect();
        let mut followers = vec![Vec::new(); after.len()];
        for (job, others) in after.iter().enumerate() {
            for &other in *others {
                if let Some(followers) = followers.get_mut(other) {
                    followers.push(job);
                }
            }
        }
        let stands = after.iter().map(|others| Stand::Waits(others.len()));
        Dependents {
            stands: stands.collect(),
            followers,
        }
    }

    /// Jobs that wait for nobody and were not told before.
    pub fn ready(&mut self) -> Vec<usize> {
        let mut ready = Vec::new();
        for (job, stand) in self.stands.iter_mut().enumerate() {
            if *stand == Stand::Waits(0) {
                *stand = Stand::Told;
                ready.push(job);
            }
        }
        ready
    }

    /// A job ended well: those that waited for it alone are `ready`.
    pub fn ended_well(&mut self, job: usize) {
        for follower in self.followers.get(job).into_iter().flatten() {
            if let Some(Stand::Waits(others)) = self.stands.get_mut(*follower) {
                *others = others.saturating_sub(1);
            }
        }
    }

    /// A job failed, or never started: those that come after it, and after those, never start.
    pub fn failed(&mut self, job: usize) -> Vec<Dropped> {
        let mut dropped = Vec::new();
        let mut fallen = vec![job];
        while let Some(behind) = fallen.pop() {
            for &job in self.followers.get(behind).into_iter().flatten() {
                if let Some(stand @ Stand::Waits(_)) = self.stands.get_mut(job) {
                    *stand = Stand::Told;
                    dropped.push(Dropped { job, behind });
                    fallen.push(job);
                }
            }
        }
        dropped
    }

    /// Nothing will start any more: jobs that still wait, told now.
    pub fn drop_waiting(&mut self) -> Vec<usize> {
        let mut waiting = Vec::new();
        for (job, stand) in self.stands.iter_mut().enumerate() {
            if matches!(stand, Stand::Waits(_)) {
                *stand = Stand::Told;
                waiting.push(job);
            }
        }
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(after: &[&[usize]]) -> Dependents {
        Dependents::new(after.iter().copied())
    }

    #[test]
    fn a_job_is_ready_when_all_that_it_comes_after_ended_well() {
        let mut jobs = of(&[&[], &[], &[0, 1], &[2]]);
        assert_eq!(jobs.ready(), [0, 1]);
        jobs.ended_well(0);
        assert_eq!(jobs.ready(), [] as [usize; 0]);
        jobs.ended_well(1);
        assert_eq!((jobs.ready(), jobs.drop_waiting()), (vec![2], vec![3]));
        assert_eq!(jobs.drop_waiting(), [] as [usize; 0]);
    }

    #[test]
    fn a_failure_takes_all_that_come_after_it_along() {
        let mut jobs = of(&[&[], &[0], &[1], &[], &[3, 1]]);
        assert_eq!(jobs.ready(), [0, 3]);
        let told: Vec<(usize, usize)> = jobs
            .failed(0)
            .iter()
            .map(|dropped| (dropped.job, dropped.behind))
            .collect();
        assert_eq!(told, [(1, 0), (2, 1), (4, 1)]);
        jobs.ended_well(3);
        assert_eq!(jobs.ready(), [] as [usize; 0]);
        assert_eq!(jobs.drop_waiting(), [] as [usize; 0]);
    }

    #[test]
    fn a_circle_waits_for_ever_and_can_be_told() {
        let mut jobs = of(&[&[1], &[0], &[9]]);
        assert_eq!(jobs.ready(), [] as [usize; 0]);
        assert_eq!(jobs.drop_waiting(), [0, 1, 2]);
    }

    proptest! {
        /// Whatever the order of ends: each job is told once, and none before all that it comes after ended well.
        #[test]
        fn every_job_is_told_once(
            edges in proptest::collection::vec((1usize..12, any::<proptest::sample::Index>()), 0..30),
            fails in proptest::collection::vec(any::<bool>(), 12),
        ) {
            let mut after = vec![Vec::new(); 12];
            for (job, other) in edges {
                after[job].push(other.index(job));
            }
            let mut jobs = Dependents::new(after.iter().map(Vec::as_slice));
            let (mut well, mut told) = (Vec::new(), Vec::new());
            let mut queue = jobs.ready();
            while let Some(job) = queue.pop() {
                prop_assert!(after[job].iter().all(|other| well.contains(other)));
                told.push(job);
                match fails[job] {
                    true => told.extend(jobs.failed(job).iter().map(|dropped| dropped.job)),
                    false => {
                        well.push(job);
                        jobs.ended_well(job);
                    }
                }
                queue.extend(jobs.ready());
            }
            told.sort_unstable();
            prop_assert_eq!(told, (0..12).collect::<Vec<_>>());
        }
    }
}
