//! The price greedy: for some prices of memory slices and some deadlines each job takes the MIG profile that is cheapest
//! without outlasting the deadline, and jobs are listed in a few orders; the best of all these schedules.

use crate::planning::batch::{Batch, Way};
use crate::planning::bound;
use crate::planning::ground::{Ground, Time};
use crate::planning::list::{earliest_end, unordered};
use crate::planning::sequence::{Cost, Sequence};
use crate::planning::slots::Slots;
use crate::planning::weights::{mixtures, price};
use std::cmp::Reverse;

/// Prices that are tried.
const PRICES: usize = 8;

/// Deadlines that are tried, in hundredths of the area bound.
const DEADLINES: [Time; 4] = [100, 108, 120, 145];

/// How much dearer than the cheapest a way may be where it ends earlier.
const TOLERANCE: f64 = 1.12;

/// The best schedule of all that are tried.
#[must_use]
pub fn greedy(ground: &Ground, batch: &Batch, slots: &[Slots]) -> (Cost, Sequence) {
    let bound = bound::area(ground, batch, slots).max(1);
    let mut best: Option<(Cost, Sequence)> = None;
    for weights in mixtures(ground, PRICES) {
        let cost = |way: &Way| price(&weights, &ground.places()[way.place]) * way.time as f64;
        for hundredths in DEADLINES {
            let deadline = bound.saturating_mul(hundredths) / 100;
            let cheapest: Vec<usize> = batch
                .ways
                .iter()
                .map(|ways| cheapest(ways, &cost, deadline))
                .collect();
            for order in orders(ground, batch, &cheapest) {
                for wide in [false, true] {
                    let may = |job: usize, way: &Way| {
                        let own = &batch.ways[job][cheapest[job]];
                        let profile = |way: &Way| ground.places()[way.place].profile;
                        let near = wide && cost(way) <= TOLERANCE * cost(own);
                        profile(way) == profile(own) || near
                    };
                    let mut sequence = unordered(batch);
                    sequence.order.clone_from(&order);
                    let mut state = slots.to_vec();
                    let way = &mut sequence.way;
                    let cost = earliest_end(ground, batch, &order, &may, way, &mut state);
                    if best
                        .as_ref()
                        .is_none_or(|(least, _)| cost.smooth < least.smooth)
                    {
                        best = Some((cost, sequence));
                    }
                }
            }
        }
    }
    best.unwrap_or_else(|| {
        (
            Cost {
                makespan: 0,
                smooth: 0.0,
            },
            unordered(batch),
        )
    })
}

/// The cheapest way that does not outlast the deadline; the fastest where all do.
fn cheapest(ways: &[Way], cost: &dyn Fn(&Way) -> f64, deadline: Time) -> usize {
    let in_time = ways.iter().enumerate().filter(|(_, w)| w.time <= deadline);
    let cheapest = in_time.min_by(|a, b| cost(a.1).total_cmp(&cost(b.1)));
    let fastest = || ways.iter().enumerate().min_by_key(|(_, way)| way.time);
    cheapest
        .or_else(fastest)
        .map_or(0, |(position, _)| position)
}

/// Longest first; largest piece first, then longest; largest area first; smallest piece first, then longest.
fn orders(ground: &Ground, batch: &Batch, ways: &[usize]) -> [Vec<usize>; 4] {
    let way = |job: usize| batch.ways[job].get(ways[job]).copied();
    let time = |job: usize| way(job).map_or(0, |way| way.time);
    let size = |job: usize| {
        way(job).map_or(0, |way| {
            let place = &ground.places()[way.place];
            (place.end - place.start) as Time
        })
    };
    let jobs: Vec<usize> = (0..batch.len())
        .filter(|&job| !batch.ways[job].is_empty())
        .collect();
    let sorted = |key: &dyn Fn(usize) -> (Time, Time)| {
        let mut jobs = jobs.clone();
        jobs.sort_by_key(|&job| Reverse(key(job)));
        jobs
    };
    [
        sorted(&|job| (time(job), size(job))),
        sorted(&|job| (size(job), time(job))),
        sorted(&|job| (size(job).saturating_mul(time(job)), 0)),
        sorted(&|job| (Time::MAX - size(job), time(job))),
    ]
}
