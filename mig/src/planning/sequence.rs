//! A solution as search changes it: the order of the jobs and the way of each; decoded by "a job starts when all its
//! memory slices are free", the making of GPU instances included.

use crate::planning::batch::{Batch, Way};
use crate::planning::ground::{Ground, Time};
use crate::planning::slots::Slots;

/// Order and ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Numbers of the jobs.
    pub order: Vec<usize>,
    /// Of each job (by number) the position of its way.
    pub way: Vec<usize>,
}

/// What a schedule costs; less is better, in this order of weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The latest end.
    pub makespan: Time,
    /// The makespan, and a tenth of the mean end of memory slices: of equal makespans the one that leaves more free.
    pub smooth: f64,
}

/// Puts the jobs of a sequence one by one and tells of each its number, its way, when its slice is taken and when it ends.
/// `state` comes back as the GPUs are left. Jobs without a way are passed over.
#[inline]
pub fn replay(
    ground: &Ground,
    batch: &Batch,
    sequence: &Sequence,
    state: &mut [Slots],
    mut each: impl FnMut(usize, &Way, Time, Time),
) {
    for &job in &sequence.order {
        if let Some(way) = batch.ways[job].get(sequence.way[job]) {
            let place = &ground.places()[way.place];
            let slots = &mut state[place.gpu];
            let begin = slots.begins(place);
            let end = slots.put(ground, way.place, way.time);
            each(job, way, begin, end);
        }
    }
}

/// Decodes a sequence; `state` comes back as the GPUs are left.
#[inline]
pub fn decode(ground: &Ground, batch: &Batch, sequence: &Sequence, state: &mut [Slots]) -> Cost {
    replay(ground, batch, sequence, state, |_, _, _, _| {});
    cost(ground, state)
}

/// What GPUs that are left like this cost.
#[must_use]
pub fn cost(ground: &Ground, state: &[Slots]) -> Cost {
    let slices = ground.slices();
    let makespan = state.iter().map(|slots| slots.last(slices)).max();
    let makespan = makespan.unwrap_or(0);
    let ends = state.iter().flat_map(|slots| &slots.free[..slices]);
    let sum: f64 = ends.map(|&end| end.min(makespan) as f64).sum();
    let mean = sum / (slices * state.len()).max(1) as f64;
    Cost {
        makespan,
        smooth: makespan as f64 + 0.1 * mean,
    }
}
