//! List scheduling: jobs in an order, each put where it ends first among the ways it may take.

use crate::planning::batch::{Batch, Way};
use crate::planning::ground::Ground;
use crate::planning::sequence::{Cost, Sequence, cost};
use crate::planning::slots::Slots;

/// Puts the jobs of `order` one by one where they end first among the ways that `may` lets them take; of equal ends the
/// first. `way` is filled for them; `state` is left as the GPUs are.
pub fn earliest_end(
    ground: &Ground,
    batch: &Batch,
    order: &[usize],
    may: &dyn Fn(usize, &Way) -> bool,
    way: &mut [usize],
    state: &mut [Slots],
) -> Cost {
    for &job in order {
        let mut best = None;
        for (position, candidate) in batch.ways[job].iter().enumerate() {
            if !may(job, candidate) {
                continue;
            }
            let gpu = ground.places()[candidate.place].gpu;
            let end = state[gpu].ends(ground, candidate.place, candidate.time);
            if best.is_none_or(|(_, least)| end < least) {
                best = Some((position, end));
            }
        }
        if let Some((position, _)) = best {
            let chosen = batch.ways[job][position];
            let gpu = ground.places()[chosen.place].gpu;
            state[gpu].put(ground, chosen.place, chosen.time);
            way[job] = position;
        }
    }
    cost(ground, state)
}

/// Jobs in their own order, none with a way chosen.
#[must_use]
pub fn unordered(batch: &Batch) -> Sequence {
    Sequence {
        order: (0..batch.len()).collect(),
        way: vec![0; batch.len()],
    }
}
