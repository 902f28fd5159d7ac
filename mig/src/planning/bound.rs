//! Lower bounds of a batch's makespan: the joint area of memory slices and SMs, the longest job, and, for small batches, the
//! largest deadline that prices of memory slices refute (linear and in the dual-feasible forms f_1 to f_4: Fekete and
//! Schepers, "New classes of fast lower bounds for bin packing problems", 2001).

use crate::planning::batch::{Batch, Way};
use crate::planning::ground::{Ground, Place, Time};
use crate::planning::slots::{NEVER, NOTHING, Slots};
use crate::planning::weights::{Weights, mixtures, price, raise};

/// Dual-feasible forms, f_0 being the plain one.
pub const FORMS: u64 = 5;

/// Mixtures of memory and SMs that a bound tries.
const MIXTURES: usize = 9;

/// Steps of the search for the largest refuted deadline.
const BISECTIONS: usize = 14;

/// Slack against rounding of sums of floats.
const ROUNDING: f64 = 1e-9;

/// f_k(t / c): whatever fits into a span of length one keeps a sum of at most one.
#[inline]
#[must_use]
pub fn form(k: u64, t: Time, c: Time) -> f64 {
    let whole = t as f64 / c as f64;
    if k == 0 || ((k + 1) * t).is_multiple_of(c) {
        return whole;
    }
    ((k + 1) * t / c) as f64 / k as f64
}

/// At most f_k(part), without a division: where (k + 1) x part is whole (or nearly so) the floor below is less than f_k.
#[inline]
#[must_use]
pub fn form_below(k: u64, part: f64) -> f64 {
    match k {
        0 => part * (1.0 - 1e-12),
        // Parts are at most 1: a whole number below six, which a cast cuts off as floor does.
        _ => f64::from(((k + 1) as f64 * part - 1e-9) as i32) / k as f64,
    }
}

/// From when each memory slice can work: from when it is free, and after a GPU instance was made where there is none.
pub fn ready(ground: &Ground, slots: &[Slots]) -> Vec<Time> {
    let mut ready = Vec::with_capacity(slots.len() * ground.slices());
    for gpu in slots {
        for slice in 0..ground.slices() {
            let made = match gpu.made[slice] {
                NOTHING => ground.creation(),
                _ => 0,
            };
            ready.push(gpu.free[slice].saturating_add(made));
        }
    }
    ready
}

/// The larger of the joint area bound and the longest job on its best slice; good from some 24 jobs on.
#[must_use]
pub fn area(ground: &Ground, batch: &Batch, slots: &[Slots]) -> Time {
    let mixtures = mixtures(ground, 4 * MIXTURES);
    let joint = mixtures
        .iter()
        .map(|weights| area_by(ground, batch, slots, weights));
    let joint = joint.fold(0.0, f64::max);
    // Rounded down: what a bound says must hold.
    longest(ground, batch, slots).max((joint * (1.0 - ROUNDING)) as Time)
}

fn area_by(ground: &Ground, batch: &Batch, slots: &[Slots], weights: &Weights) -> f64 {
    let (mut capacity, mut lost) = (0.0, 0.0);
    let slices = ground.slices();
    for (position, &ready) in ready(ground, slots).iter().enumerate() {
        if ready < NEVER {
            capacity += weights[position % slices];
            lost += weights[position % slices] * ready as f64;
        }
    }
    let cost = |way: &Way| price(weights, &ground.places()[way.place]) * way.time as f64;
    let jobs = batch.ways.iter();
    let work: f64 = jobs
        .map(|ways| ways.iter().map(cost).fold(f64::MAX, f64::min))
        .filter(|cost| *cost < f64::MAX)
        .sum();
    match capacity > 0.0 && work > 0.0 {
        true => (work + lost) / capacity,
        false => 0.0,
    }
}

fn longest(ground: &Ground, batch: &Batch, slots: &[Slots]) -> Time {
    let end = |way: &Way| {
        let place = &ground.places()[way.place];
        slots[place.gpu].ends(ground, way.place, way.time)
    };
    let jobs = batch.ways.iter();
    let jobs = jobs.filter_map(|ways| ways.iter().map(end).min()).max();
    let held = slots.iter().map(|slots| slots.last(ground.slices())).max();
    jobs.unwrap_or(0).max(held.unwrap_or(0))
}

/// A makespan that nothing stays below: the largest deadline below `reached` that is refuted, plus one.
#[must_use]
pub fn deadline(ground: &Ground, batch: &Batch, slots: &[Slots], reached: Time) -> Time {
    let mut below = area(ground, batch, slots);
    let mut above = reached;
    for _ in 0..BISECTIONS {
        let middle = below.midpoint(above);
        if middle <= below {
            break;
        }
        match refutation(ground, batch, slots, middle).is_some() {
            true => below = middle + 1,
            false => above = middle,
        }
    }
    below.min(reached)
}

/// Prices (and their form) that prove that no schedule ends by `deadline`.
#[must_use]
pub fn refutation(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    deadline: Time,
) -> Option<(u64, Weights)> {
    let ready = ready(ground, slots);
    (0..FORMS).find_map(|k| {
        let tried = mixtures(ground, MIXTURES);
        let cheapest = |weights: &Weights, used: &mut Vec<(Place, f64)>| {
            load(ground, batch, &ready, deadline, k, weights, used)
        };
        let limit = ground.gpus() as f64 * (1.0 + ROUNDING);
        let mut used = Vec::new();
        let mut best = (f64::MIN, tried[0]);
        for weights in tried {
            used.clear();
            let sum = cheapest(&weights, &mut used);
            if sum > best.0 {
                best = (sum, weights);
            }
        }
        if best.0 <= limit {
            best = raise(best.1, &cheapest);
        }
        (best.0 > limit).then_some((k, best.1))
    })
}

/// What must pass by the deadline in prices: more than one a GPU is impossible.
fn load(
    ground: &Ground,
    batch: &Batch,
    ready: &[Time],
    deadline: Time,
    k: u64,
    weights: &Weights,
    used: &mut Vec<(Place, f64)>,
) -> f64 {
    let slices = ground.slices();
    let mut sum = 0.0;
    for (position, &ready) in ready.iter().enumerate() {
        let lost = form(k, ready.min(deadline), deadline);
        sum += weights[position % slices] * lost;
    }
    for ways in &batch.ways {
        let mut best: Option<(f64, f64, Place)> = None;
        for way in ways {
            let place = ground.places()[way.place];
            let begin = ready[place.gpu * slices + place.start..place.gpu * slices + place.end]
                .iter()
                .copied()
                .max()
                .unwrap_or(0);
            // A GPU instance that is there already saves its making at most.
            if begin.saturating_sub(ground.creation()) + way.time > deadline {
                continue;
            }
            let value = form(k, way.time, deadline);
            let cost = price(weights, &place) * value;
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, value, place));
            }
        }
        match best {
            Some((cost, value, place)) => {
                sum += cost;
                used.push((place, value));
            }
            None if ways.is_empty() => {}
            None => return f64::MAX,
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What makes the forms valid: parts that fit into a whole keep a sum of at most one.
        #[test]
        fn parts_of_a_whole_sum_to_at_most_one_in_every_form(
            parts in prop::collection::vec(1u64..100, 1..12),
            slack in 0u64..40,
        ) {
            let whole = parts.iter().sum::<u64>() + slack;
            for k in 0..FORMS {
                let sum: f64 = parts.iter().map(|&t| form(k, t, whole)).sum();
                for &t in &parts {
                    let below = form_below(k, t as f64 * (1.0 / whole as f64));
                    prop_assert!(below <= form(k, t, whole), "f_{k}({t}/{whole}): {below}");
                }
                prop_assert!(sum <= 1.0 + 1e-12, "f_{k}: {sum}");
            }
        }
    }
}
