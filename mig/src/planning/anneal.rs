//! Annealing of order and ways for a dozen jobs: a new place for a job, two jobs swapped, one moved, places exchanged.
//! From the best of the lists; the temperature falls from 15 % to 0.15 % of the makespan, in three rounds.

use crate::planning::batch::Batch;
use crate::planning::ground::{Ground, Time};
use crate::planning::sequence::{Cost, Sequence, decode};
use crate::planning::slots::Slots;

/// Rounds, each from the best so far.
const ROUNDS: u64 = 3;

/// Temperature at the begin and at the end of a round, as a share of the makespan.
const TEMPERATURE: (f64, f64) = (0.15, 0.0015);

/// How often the temperature is set anew in a round.
const STAGES: u64 = 100;

/// Improves a sequence with `evaluations` tries; stops early at `enough`, which nothing can beat. Only the jobs in
/// `sequence.order` take part.
#[must_use]
pub fn anneal(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    from: (Cost, Sequence),
    evaluations: u64,
    enough: Time,
) -> (Cost, Sequence) {
    let mut random = fastrand::Rng::with_seed(evaluations ^ 0x6d69_6766_6974);
    let mut best = from;
    if best.1.order.is_empty() {
        return best;
    }
    let mut state = slots.to_vec();
    let each = evaluations / ROUNDS / STAGES;
    for _ in 0..ROUNDS {
        let (mut cost, mut sequence) = best.clone();
        let scale = cost.makespan as f64;
        for stage in 0..STAGES {
            if best.0.makespan <= enough {
                return best;
            }
            let temperature = scale * cooled(TEMPERATURE, stage, STAGES);
            for _ in 0..each {
                let undo = change(batch, &mut sequence, &mut random);
                state.copy_from_slice(slots);
                let tried = decode(ground, batch, &sequence, &mut state);
                let worse = tried.smooth - cost.smooth;
                if worse <= 0.0 || random.f64() < (-worse / temperature).exp() {
                    cost = tried;
                    if cost.smooth < best.0.smooth {
                        best = (cost, sequence.clone());
                    }
                } else {
                    undo.back(&mut sequence);
                }
            }
        }
    }
    best
}

/// The temperature of a stage, which falls by the same factor from each stage to the next.
pub(super) fn cooled((hot, cold): (f64, f64), stage: u64, stages: u64) -> f64 {
    hot * (cold / hot).powf(stage as f64 / (stages - 1) as f64)
}

/// How a change is taken back.
enum Undo {
    Nothing,
    Way(usize, usize),
    Ways([(usize, usize); 2]),
    Swapped(usize, usize),
    Moved(usize, usize),
}

impl Undo {
    fn back(self, sequence: &mut Sequence) {
        match self {
            Undo::Nothing => {}
            Undo::Way(job, way) => sequence.way[job] = way,
            Undo::Ways(ways) => ways.iter().for_each(|&(job, way)| sequence.way[job] = way),
            Undo::Swapped(a, b) => sequence.order.swap(a, b),
            Undo::Moved(from, to) => shift(&mut sequence.order, to, from),
        }
    }
}

fn change(batch: &Batch, sequence: &mut Sequence, random: &mut fastrand::Rng) -> Undo {
    let count = sequence.order.len();
    let (a, b) = (random.usize(..count), random.usize(..count));
    match random.u8(..8) {
        0..=3 => {
            let job = sequence.order[a];
            let was = sequence.way[job];
            sequence.way[job] = random.usize(..batch.ways[job].len());
            Undo::Way(job, was)
        }
        4..=5 => {
            sequence.order.swap(a, b);
            Undo::Swapped(a, b)
        }
        6 => {
            shift(&mut sequence.order, a, b);
            Undo::Moved(a, b)
        }
        _ => exchange(batch, sequence, sequence.order[a], sequence.order[b]),
    }
}

/// Two jobs take each other's places, where both have a way there.
fn exchange(batch: &Batch, sequence: &mut Sequence, a: usize, b: usize) -> Undo {
    let place = |job: usize| batch.ways[job][sequence.way[job]].place;
    let way = |job: usize, place: usize| batch.ways[job].iter().position(|w| w.place == place);
    let (Some(new_a), Some(new_b)) = (way(a, place(b)), way(b, place(a))) else {
        return Undo::Nothing;
    };
    let was = [(a, sequence.way[a]), (b, sequence.way[b])];
    sequence.way[a] = new_a;
    sequence.way[b] = new_b;
    Undo::Ways(was)
}

fn shift(order: &mut [usize], from: usize, to: usize) {
    match from <= to {
        true => order[from..=to].rotate_left(1),
        false => order[to..=from].rotate_right(1),
    }
}
