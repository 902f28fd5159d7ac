//! Foretold times made plausible: on a larger slice a job is no slower, and no faster than by the ratio of the sizes. A
//! search picks what was underestimated by chance; this takes most of that away.

use crate::planning::ground::Time;

/// Passes of the alternating projection; it moves no further long before.
const PASSES: usize = 60;

/// Changes foretold times as little as possible (in logarithms) so that they fall with the size and size x time rises.
/// `sizes` are the sizes of the slices in any unit, in rising order; times that are none stay so.
pub fn smooth(sizes: &[f64], times: &mut [Option<Time>]) {
    let known: Vec<usize> = (0..times.len().min(sizes.len()))
        .filter(|&at| times[at].is_some_and(|time| time > 0))
        .collect();
    let mut logs: Vec<f64> = known
        .iter()
        .map(|&at| times[at].map_or(0.0, |time| (time as f64).ln()))
        .collect();
    let steps: Vec<f64> = known
        .windows(2)
        .map(|pair| (sizes[pair[1]] / sizes[pair[0]]).ln().max(0.0))
        .collect();
    // Dykstra's projection onto the set of all pairs' bounds.
    let mut owed = vec![(0.0, 0.0); steps.len()];
    for _ in 0..PASSES {
        for (at, &most) in steps.iter().enumerate() {
            let (a, b) = (logs[at] + owed[at].0, logs[at + 1] + owed[at].1);
            let excess = (a - b) - (a - b).clamp(0.0, most);
            (logs[at], logs[at + 1]) = (a - excess / 2.0, b + excess / 2.0);
            owed[at] = (a - logs[at], b - logs[at + 1]);
        }
    }
    for (log, &at) in logs.iter().zip(&known) {
        times[at] = Some(log.exp().round() as Time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn smoothed_times_fall_and_size_times_time_rises(
            raw in prop::collection::vec(1_000u64..1_000_000_000, 5),
        ) {
            let sizes = [1.0, 2.0, 3.0, 4.0, 7.0];
            let mut times: Vec<Option<Time>> = raw.into_iter().map(Some).collect();
            smooth(&sizes, &mut times);
            let times: Vec<f64> = times.into_iter().map(|t| t.unwrap() as f64).collect();
            for at in 0..4 {
                prop_assert!(times[at + 1] <= times[at] * 1.01, "{times:?}");
                let areas = (sizes[at] * times[at], sizes[at + 1] * times[at + 1]);
                prop_assert!(areas.1 >= areas.0 * 0.99, "{times:?}");
            }
        }

        #[test]
        fn plausible_times_stay(first in 1_000u64..1_000_000, falls in prop::collection::vec(0.0f64..1.0, 4)) {
            let sizes = [1.0, 2.0, 3.0, 4.0, 7.0];
            let mut times = vec![Some(first * 1000)];
            for (at, fall) in falls.iter().enumerate() {
                let ratio: f64 = sizes[at + 1] / sizes[at];
                let last = times[at].unwrap() as f64;
                times.push(Some((last / ratio.powf(*fall)) as Time));
            }
            let before = times.clone();
            smooth(&sizes, &mut times);
            for (a, b) in before.iter().zip(&times) {
                prop_assert!(a.unwrap().abs_diff(b.unwrap()) <= 2, "{before:?} {times:?}");
            }
        }
    }

    #[test]
    fn a_time_that_is_missing_stays_missing() {
        let mut times = [None, Some(200), Some(300)];
        smooth(&[1.0, 2.0, 4.0], &mut times);
        assert_eq!(times, [None, Some(245), Some(245)]);
    }
}
