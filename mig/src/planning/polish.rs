//! Of schedules with the same makespan the one whose jobs end earlier: places and order are changed by chance while the
//! makespan stays and the sum of all ends falls.

use crate::planning::batch::Batch;
use crate::planning::ground::{Ground, Time};
use crate::planning::sequence::{Cost, Sequence, cost, decode, replay};
use crate::planning::slots::Slots;

/// Lowers the sum of ends without raising the makespan.
#[must_use]
pub fn polish(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    from: (Cost, Sequence),
    evaluations: u64,
) -> (Cost, Sequence) {
    let (reached, mut sequence) = from;
    let count = sequence.order.len();
    if count < 2 {
        return (reached, sequence);
    }
    let mut random = fastrand::Rng::with_seed(evaluations);
    let mut state = slots.to_vec();
    let mut least = ends(ground, batch, &sequence, slots, &mut state);
    for _ in 0..evaluations {
        let (a, b) = (random.usize(..count), random.usize(..count));
        let before = (sequence.order[a], sequence.way[sequence.order[a]]);
        let moved = random.bool();
        match moved {
            // An earlier one goes behind a later one, or the reverse.
            true => sequence.order.swap(a, b),
            false => sequence.way[before.0] = random.usize(..batch.ways[before.0].len()),
        }
        let tried = ends(ground, batch, &sequence, slots, &mut state);
        if tried.0 <= reached.makespan && tried.1 < least.1 {
            least = tried;
        } else if moved {
            sequence.order.swap(a, b);
        } else {
            sequence.way[before.0] = before.1;
        }
    }
    state.copy_from_slice(slots);
    (decode(ground, batch, &sequence, &mut state), sequence)
}

/// Makespan, and sum of all ends.
fn ends(
    ground: &Ground,
    batch: &Batch,
    sequence: &Sequence,
    slots: &[Slots],
    state: &mut [Slots],
) -> (Time, Time) {
    state.copy_from_slice(slots);
    let mut sum: Time = 0;
    replay(ground, batch, sequence, state, |_, _, _, end| {
        sum = sum.saturating_add(end);
    });
    (cost(ground, state).makespan, sum)
}
