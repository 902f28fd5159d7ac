//! FAR: moldable tasks over a repartition tree (Villarrubia and others, "Fast multi-task scheduling on MIG GPUs"): each task
//! first on the slice of least area, the longest one then enlarged step by step; of this family of allocations the best
//! list (large slices first, longest first); then moves and swaps while they help.

use crate::planning::batch::Batch;
use crate::planning::ground::{Ground, Time};
use crate::planning::list::unordered;
use crate::planning::sequence::{Cost, Sequence};
use crate::planning::sized::{First, Sized};
use crate::planning::slots::Slots;

/// The schedule that FAR comes to.
#[must_use]
pub fn far(ground: &Ground, batch: &Batch, slots: &[Slots]) -> (Cost, Sequence) {
    let mut search = Far {
        sized: &Sized::new(ground, batch, slots),
        order: Vec::new(),
        way: unordered(batch).way,
        state: slots.to_vec(),
    };
    search.order = search.sized.jobs().to_vec();
    let mut chosen = vec![0; batch.len()];
    for &job in search.sized.jobs() {
        chosen[job] = (0..search.sized.count(job))
            .min_by_key(|&number| search.area(job, number))
            .unwrap_or(0);
    }
    let mut best = (search.evaluate(&chosen), chosen.clone());
    while search.enlarge(&mut chosen) {
        let cost = search.evaluate(&chosen);
        if cost.makespan < best.0.makespan {
            best = (cost, chosen.clone());
        }
    }
    search.improve(&mut best);
    let cost = search.evaluate(&best.1);
    let sequence = Sequence {
        order: search.order,
        way: search.way,
    };
    (cost, sequence)
}

struct Far<'s> {
    sized: &'s Sized<'s>,
    order: Vec<usize>,
    way: Vec<usize>,
    state: Vec<Slots>,
}

impl Far<'_> {
    fn area(&self, job: usize, number: usize) -> Time {
        let (slices, time) = self.sized.size(job, number);
        slices as Time * time
    }

    fn evaluate(&mut self, chosen: &[usize]) -> Cost {
        let Far {
            sized,
            order,
            way,
            state,
        } = self;
        sized.evaluate(chosen, First::Large, order, way, state)
    }

    /// The longest task gets its next faster size; false where it has none.
    fn enlarge(&self, chosen: &mut [usize]) -> bool {
        let time = |job: usize| self.sized.size(job, chosen[job]).1;
        let Some(&longest) = self.sized.jobs().iter().max_by_key(|&&job| time(job)) else {
            return false;
        };
        let now = time(longest);
        let faster = (0..self.sized.count(longest))
            .filter(|&number| self.sized.size(longest, number).1 < now);
        match faster.max_by_key(|&number| self.sized.size(longest, number).1) {
            Some(number) => {
                chosen[longest] = number;
                true
            }
            None => false,
        }
    }

    /// Moves of one task and swaps of two sizes, until none helps.
    fn improve(&mut self, best: &mut (Cost, Vec<usize>)) {
        let jobs = self.sized.jobs().to_vec();
        // Quadratic: on large batches one pass of moves is what FAR can afford.
        let swaps = jobs.len() <= 64;
        loop {
            let mut better = false;
            for &job in &jobs {
                for number in 0..self.sized.count(job) {
                    let mut tried = best.1.clone();
                    tried[job] = number;
                    better |= self.take(tried, best);
                }
            }
            for (at, &a) in jobs.iter().enumerate().filter(|_| swaps) {
                for &b in &jobs[at + 1..] {
                    let mut tried = best.1.clone();
                    (tried[a], tried[b]) = (tried[b], tried[a]);
                    if tried[a] < self.sized.count(a) && tried[b] < self.sized.count(b) {
                        better |= self.take(tried, best);
                    }
                }
            }
            if !better || !swaps {
                return;
            }
        }
    }

    fn take(&mut self, tried: Vec<usize>, best: &mut (Cost, Vec<usize>)) -> bool {
        let cost = self.evaluate(&tried);
        let better = cost.makespan < best.0.makespan;
        if better {
            *best = (cost, tried);
        }
        better
    }
}
