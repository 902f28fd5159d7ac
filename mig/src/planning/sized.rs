//! Batches too large for annealing of places: only the MIG profile of each job is searched for, and jobs are listed by size,
//! longest first, each to its earliest end; then the last dozen jobs are solved anew as a small batch.

use crate::planning::anneal::{anneal, cooled};
use crate::planning::batch::Batch;
use crate::planning::ground::{Ground, Time};
use crate::planning::list::unordered;
use crate::planning::sequence::{Cost, Sequence, cost, decode, replay};
use crate::planning::slots::Slots;

/// Jobs at the end that are solved anew.
const TAIL: usize = 11;

/// Temperature at the begin and at the end, as a share of the makespan. A change of one job among many moves the
/// makespan little.
const TEMPERATURE: (f64, f64) = (0.02, 0.0002);

/// Stages of the temperature.
const STAGES: u64 = 60;

/// The ways of a job with one MIG profile.
#[derive(Clone, Debug)]
struct Size {
    /// Memory slices.
    slices: usize,
    /// How long it runs.
    time: Time,
    /// Positions in `Batch::ways`.
    ways: Vec<usize>,
}

/// A batch by sizes.
pub struct Sized<'s> {
    ground: &'s Ground,
    batch: &'s Batch,
    slots: &'s [Slots],
    sizes: Vec<Vec<Size>>,
    /// Jobs with a way.
    jobs: Vec<usize>,
}

/// Which jobs go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Those on large slices.
    Large,
    /// Those on small slices.
    Small,
}

impl<'s> Sized<'s> {
    /// Sorts the ways of each job by MIG profile.
    #[must_use]
    pub fn new(ground: &'s Ground, batch: &'s Batch, slots: &'s [Slots]) -> Sized<'s> {
        let sizes: Vec<Vec<Size>> = (0..batch.len())
            .map(|job| sizes(ground, batch, job))
            .collect();
        Sized {
            ground,
            batch,
            slots,
            jobs: (0..batch.len())
                .filter(|&job| !sizes[job].is_empty())
                .collect(),
            sizes,
        }
    }

    /// Number of sizes of a job.
    #[must_use]
    pub fn count(&self, job: usize) -> usize {
        self.sizes[job].len()
    }

    /// Memory slices, and the time of a job in its size of this number.
    #[must_use]
    pub fn size(&self, job: usize, number: usize) -> (usize, Time) {
        let size = &self.sizes[job][number];
        (size.slices, size.time)
    }

    /// Jobs with a way.
    #[must_use]
    pub fn jobs(&self) -> &[usize] {
        &self.jobs
    }

    /// The schedule with these sizes; the order that it lists jobs in is left in `order`.
    pub fn evaluate(
        &self,
        chosen: &[usize],
        first: First,
        order: &mut [usize],
        way: &mut [usize],
        state: &mut [Slots],
    ) -> Cost {
        let key = |&job: &usize| {
            let (slices, time) = self.size(job, chosen[job]);
            match first {
                First::Large => (usize::MAX - slices, Time::MAX - time, job),
                First::Small => (slices, Time::MAX - time, job),
            }
        };
        order.sort_unstable_by_key(key);
        state.copy_from_slice(self.slots);
        for &job in order.iter() {
            let ways = &self.batch.ways[job];
            let mut best = (Time::MAX, 0);
            for &position in &self.sizes[job][chosen[job]].ways {
                let place = ways[position].place;
                let gpu = self.ground.places()[place].gpu;
                let end = state[gpu].ends(self.ground, place, ways[position].time);
                if end < best.0 {
                    best = (end, position);
                }
            }
            let place = ways[best.1].place;
            let gpu = self.ground.places()[place].gpu;
            state[gpu].put(self.ground, place, ways[best.1].time);
            way[job] = best.1;
        }
        cost(self.ground, state)
    }

    /// The sizes that a sequence chose.
    #[must_use]
    pub fn chosen(&self, sequence: &Sequence) -> Vec<usize> {
        let number = |job: usize| {
            let way = sequence.way[job];
            let mut sizes = self.sizes[job].iter();
            sizes.position(|size| size.ways.contains(&way)).unwrap_or(0)
        };
        (0..self.batch.len()).map(number).collect()
    }

    /// Anneals the sizes from those of a sequence.
    #[must_use]
    pub fn anneal(
        &self,
        from: (Cost, Sequence),
        evaluations: u64,
        enough: Time,
    ) -> (Cost, Sequence) {
        let mut best = from;
        if self.jobs.is_empty() {
            return best;
        }
        for (round, first) in [First::Large, First::Small].into_iter().enumerate() {
            let mut random = fastrand::Rng::with_seed(evaluations ^ round as u64);
            let start = self.chosen(&best.1);
            self.round(
                first,
                start,
                evaluations / 2,
                enough,
                &mut random,
                &mut best,
            );
        }
        best
    }

    fn round(
        &self,
        first: First,
        mut chosen: Vec<usize>,
        evaluations: u64,
        enough: Time,
        random: &mut fastrand::Rng,
        best: &mut (Cost, Sequence),
    ) {
        let mut order = self.jobs.clone();
        let mut way = unordered(self.batch).way;
        let mut state = self.slots.to_vec();
        let mut cost = self.evaluate(&chosen, first, &mut order, &mut way, &mut state);
        self.keep(cost, &order, &way, best);
        let scale = cost.makespan as f64;
        for stage in 0..STAGES {
            let temperature = scale * cooled(TEMPERATURE, stage, STAGES);
            for _ in 0..(evaluations / STAGES).max(1) {
                if best.0.makespan <= enough {
                    return;
                }
                let changed = self.change(&mut chosen, random);
                let tried = self.evaluate(&chosen, first, &mut order, &mut way, &mut state);
                let worse = tried.smooth - cost.smooth;
                if worse <= 0.0 || random.f64() < (-worse / temperature).exp() {
                    cost = tried;
                    self.keep(cost, &order, &way, best);
                } else {
                    // Backwards, so that a job changed twice gets what it had first.
                    for (job, was) in changed.into_iter().rev().flatten() {
                        chosen[job] = was;
                    }
                }
            }
        }
    }

    fn keep(&self, cost: Cost, order: &[usize], way: &[usize], best: &mut (Cost, Sequence)) {
        if cost.smooth < best.0.smooth {
            best.0 = cost;
            best.1.order = order.to_vec();
            best.1.way = way.to_vec();
        }
    }

    /// One job gets another size, or two; what they had.
    fn change(
        &self,
        chosen: &mut [usize],
        random: &mut fastrand::Rng,
    ) -> [Option<(usize, usize)>; 2] {
        let mut changed = [None; 2];
        let count = 1 + usize::from(random.bool());
        for changed in changed.iter_mut().take(count) {
            let job = self.jobs[random.usize(..self.jobs.len())];
            *changed = Some((job, chosen[job]));
            chosen[job] = random.usize(..self.sizes[job].len());
        }
        changed
    }

    /// Solves the jobs that end last anew, those before them where they are.
    #[must_use]
    pub fn end_anew(
        &self,
        from: (Cost, Sequence),
        evaluations: u64,
        enough: Time,
    ) -> (Cost, Sequence) {
        let (_, mut sequence) = from;
        let mut ends = vec![0; self.batch.len()];
        let mut state = self.slots.to_vec();
        replay(
            self.ground,
            self.batch,
            &sequence,
            &mut state,
            |job, _, _, end| ends[job] = end,
        );
        let mut by_end = sequence.order.clone();
        by_end.sort_by_key(|&job| ends[job]);
        let last = by_end.split_off(by_end.len().saturating_sub(TAIL));
        let (head, tail): (Vec<usize>, Vec<usize>) =
            sequence.order.iter().partition(|job| !last.contains(job));
        let mut left = self.slots.to_vec();
        sequence.order.clone_from(&head);
        decode(self.ground, self.batch, &sequence, &mut left);
        sequence.order = tail;
        state.copy_from_slice(&left);
        let cost = decode(self.ground, self.batch, &sequence, &mut state);
        let (cost, mut anew) = anneal(
            self.ground,
            self.batch,
            &left,
            (cost, sequence),
            evaluations,
            enough,
        );
        anew.order.splice(0..0, head);
        (cost, anew)
    }
}

fn sizes(ground: &Ground, batch: &Batch, job: usize) -> Vec<Size> {
    let mut sizes: Vec<(usize, Size)> = Vec::new();
    for (position, way) in batch.ways[job].iter().enumerate() {
        let place = &ground.places()[way.place];
        match sizes.iter_mut().find(|(of, _)| *of == place.profile) {
            Some((_, size)) => size.ways.push(position),
            None => sizes.push((
                place.profile,
                Size {
                    slices: place.end - place.start,
                    time: way.time,
                    ways: vec![position],
                },
            )),
        }
    }
    sizes.into_iter().map(|(_, size)| size).collect()
}
