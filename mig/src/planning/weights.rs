//! Prices of memory slices, which make lower bounds: whatever the layout, the pieces of GPU instances that exist at once do
//! not overlap, so prices that sum to one per GPU never sum to more over what runs at once.

use crate::planning::ground::{Ground, MOST_SLICES, Place};

/// A price for each memory slice of a GPU; they sum to one.
pub type Weights = [f64; MOST_SLICES];

/// Steps of `raise`; more gain nothing that a bound could tell.
const STEPS: usize = 120;

/// All memory slices cost the same: what is shared is memory.
#[must_use]
pub fn memory(ground: &Ground) -> Weights {
    let mut weights = [0.0; MOST_SLICES];
    for weight in weights.iter_mut().take(ground.slices()) {
        *weight = 1.0 / ground.slices() as f64;
    }
    weights
}

/// What is shared is SMs: memory slices at which a GPU instance of one SM slice may lie cost the same, others nothing.
#[must_use]
pub fn compute(ground: &Ground) -> Weights {
    let mut weights = [0.0; MOST_SLICES];
    for place in ground.of_gpu(0) {
        if ground.compute_of(place.profile) == 1 && place.end - place.start == 1 {
            weights[place.start] = 1.0;
        }
    }
    match normalize(&mut weights) {
        true => weights,
        false => memory(ground),
    }
}

/// `count` mixtures from memory alone to SMs alone.
#[must_use]
pub fn mixtures(ground: &Ground, count: usize) -> Vec<Weights> {
    let (memory, compute) = (memory(ground), compute(ground));
    let share = |step: usize| step as f64 / count.saturating_sub(1).max(1) as f64;
    let mix = |step| {
        let mut mixed = [0.0; MOST_SLICES];
        for slice in 0..MOST_SLICES {
            mixed[slice] = (1.0 - share(step)) * memory[slice] + share(step) * compute[slice];
        }
        mixed
    };
    (0..count.max(1)).map(mix).collect()
}

/// The price of a place.
#[inline]
#[must_use]
pub fn price(weights: &Weights, place: &Place) -> f64 {
    weights[place.start..place.end].iter().sum()
}

/// For prices: each job's cheapest place with its value, and the sum over all jobs of price x value.
pub type Cheapest<'c> = dyn Fn(&Weights, &mut Vec<(Place, f64)>) -> f64 + 'c;

/// Raises `sum over jobs of the cheapest way's price x value` by multiplying prices (exponentiated gradient); the best
/// prices met come back.
pub fn raise(from: Weights, cheapest: &Cheapest<'_>) -> (f64, Weights) {
    let mut weights = from;
    let (mut best, mut best_weights) = (f64::MIN, from);
    let mut used = Vec::new();
    for step in 0..STEPS {
        used.clear();
        let sum = cheapest(&weights, &mut used);
        if sum > best {
            (best, best_weights) = (sum, weights);
        }
        let mut load = [0.0; MOST_SLICES];
        for (place, value) in &used {
            load[place.start..place.end]
                .iter_mut()
                .for_each(|load| *load += value);
        }
        let most = load.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            break;
        }
        let rate = 0.8 / (1.0 + step as f64 / 8.0);
        for (weight, load) in weights.iter_mut().zip(load) {
            // A price of nothing could never rise.
            *weight = weight.max(1e-6) * (rate * load / most).exp();
        }
        normalize(&mut weights);
    }
    (best, best_weights)
}

fn normalize(weights: &mut Weights) -> bool {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    sum > 0.0
}
