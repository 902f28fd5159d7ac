//! Static layouts: GPU instances are made once, jobs are taken longest first, each to where it ends first. `best` tries all
//! full layouts: the baseline to fear.

use crate::layout::Layout;
use crate::planning::batch::{Batch, Way};
use crate::planning::ground::Ground;
use crate::planning::list::{earliest_end, unordered};
use crate::planning::sequence::{Cost, Sequence};
use crate::planning::slots::Slots;
use std::cmp::Reverse;

/// The schedule on one layout, the same on every GPU; none where a job fits none of its slices.
#[must_use]
pub fn on(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    layout: &Layout,
) -> Option<(Cost, Sequence)> {
    let within = |way: &Way| {
        let place = &ground.places()[way.place];
        layout.placed().contains(&place.placed)
    };
    let shortest = |job: usize| {
        let ways = batch.ways[job].iter().filter(|way| within(way));
        ways.map(|way| way.time).min()
    };
    let mut sequence = unordered(batch);
    if sequence.order.iter().any(|&job| shortest(job).is_none()) {
        return None;
    }
    sequence.order.sort_by_key(|&job| Reverse(shortest(job)));
    let mut state = slots.to_vec();
    let may = |_: usize, way: &Way| within(way);
    let cost = earliest_end(
        ground,
        batch,
        &sequence.order,
        &may,
        &mut sequence.way,
        &mut state,
    );
    Some((cost, sequence))
}

/// The best of all these layouts, and which it is.
#[must_use]
pub fn best<'l>(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    layouts: &'l [Layout],
) -> Option<(Cost, Sequence, &'l Layout)> {
    let all = layouts.iter().filter_map(|layout| {
        let (cost, sequence) = on(ground, batch, slots, layout)?;
        Some((cost, sequence, layout))
    });
    all.min_by_key(|(cost, ..)| cost.makespan)
}
