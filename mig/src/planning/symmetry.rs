//! Swaps of neighbouring pieces of memory slices that map the places of a GPU onto themselves: 0 and 1, 2 and 3, {0,1} and
//! {2,3} on an A100. Schedules that such a swap turns into each other are one schedule.

use crate::planning::ground::{Ground, MOST_SLICES};
use crate::planning::slots::{NOTHING, Slots};

/// One such swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// Where each memory slice goes.
    pub slice: [usize; MOST_SLICES],
    /// Where each place (by its number on the GPU) goes.
    pub place: Vec<u8>,
}

impl Swap {
    /// The GPU as it looks after the swap.
    #[must_use]
    pub fn turn(&self, slots: &Slots) -> Slots {
        let mut turned = Slots::empty();
        for (from, &to) in self.slice.iter().enumerate() {
            turned.free[to] = slots.free[from];
            turned.made[to] = match slots.made[from] {
                NOTHING => NOTHING,
                place => self
                    .place
                    .get(usize::from(place))
                    .copied()
                    .unwrap_or(NOTHING),
            };
        }
        turned
    }
}

/// All swaps of neighbouring pieces of 1, 2 or 4 memory slices that keep the places; smaller pieces first.
#[must_use]
pub fn swaps(ground: &Ground) -> Vec<Swap> {
    let mut found = Vec::new();
    for size in [1, 2, 4] {
        for start in 0..=ground.slices().saturating_sub(2 * size) {
            found.extend(swap(ground, start, size));
        }
    }
    found
}

fn swap(ground: &Ground, start: usize, size: usize) -> Option<Swap> {
    if start + 2 * size > ground.slices() {
        return None;
    }
    let mut slice = [0; MOST_SLICES];
    for (from, to) in slice.iter_mut().enumerate() {
        *to = match from.checked_sub(start).map(|inside| inside / size) {
            Some(0) => from + size,
            Some(1) => from - size,
            _ => from,
        };
    }
    let places = ground.of_gpu(0);
    let place = places.iter().map(|place| {
        let mut turned: Vec<usize> = (place.start..place.end).map(|s| slice[s]).collect();
        turned.sort_unstable();
        let first = *turned.first()?;
        let whole = turned.iter().enumerate().all(|(i, &s)| s == first + i);
        let there = places
            .iter()
            .position(|other| other.profile == place.profile && other.start == first && whole)?;
        u8::try_from(there).ok()
    });
    let place: Option<Vec<u8>> = place.collect();
    place.map(|place| Swap { slice, place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LayoutGraph, find};

    #[test]
    fn an_a100_has_four_swaps_and_an_a30_three() {
        let moved = |gpu: &str| -> Vec<Vec<usize>> {
            let model = find(gpu).unwrap();
            let graph = LayoutGraph::new(model, &model.basic_profiles()).unwrap();
            let ground = Ground::new(&graph, 1, 0).unwrap();
            let moved = |swap: &Swap| {
                let all = swap.slice.iter().enumerate();
                all.filter(|(from, to)| from != *to)
                    .map(|(from, _)| from)
                    .collect()
            };
            swaps(&ground).iter().map(moved).collect()
        };
        assert_eq!(
            moved("a100-40gb"),
            [vec![0, 1], vec![2, 3], vec![4, 5], vec![0, 1, 2, 3]]
        );
        assert_eq!(moved("a30"), [vec![0, 1], vec![2, 3], vec![0, 1, 2, 3]]);
    }
}
