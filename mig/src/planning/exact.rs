//! Exact search for small batches on one GPU: depth first over (job, place) by non-decreasing start. A start is the largest
//! free time of the place's memory slices; at equal starts places go from left to right. A node ends where prices refute the
//! makespan to beat, where a state seen before is no worse, or where a swap of equal pieces gives the same.

use crate::planning::batch::{Batch, Way};
use crate::planning::bound::{FORMS, form, form_below, refutation};
use crate::planning::ground::{Ground, MOST_SLICES, Time};
use crate::planning::sequence::{Cost, Sequence, decode};
use crate::planning::slots::{NOTHING, Slots};
use crate::planning::symmetry::{Swap, swaps};
use crate::planning::weights::{Weights, mixtures, price};
use std::collections::{HashMap, VecDeque};

/// Jobs that a search takes at most.
pub const MOST_JOBS: usize = 10;

/// States kept for each set of jobs that are left; the oldest go first.
const KEPT: usize = 64;

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best schedule.
    pub best: (Cost, Sequence),
    /// Whether nothing can be better.
    pub proved: bool,
    /// Nodes that were looked at.
    pub nodes: u64,
}

/// Searches for a schedule that ends before `from` does; gives up after `nodes`. More than `MOST_JOBS` jobs or several GPUs
/// are handed back as they came.
#[must_use]
pub fn search(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    from: (Cost, Sequence),
    nodes: u64,
) -> Found {
    let jobs = batch.ways.iter().filter(|ways| !ways.is_empty()).count();
    let ([slots], true) = (slots, jobs <= MOST_JOBS && batch.len() <= 32) else {
        return Found {
            best: from,
            proved: false,
            nodes: 0,
        };
    };
    let mut search = Search {
        ground,
        batch,
        swaps: swaps(ground),
        equals: equals(batch),
        target: from.0.makespan,
        tables: Vec::new(),
        known: HashMap::new(),
        path: Vec::new(),
        best: None,
        nodes: 0,
        limit: nodes,
    };
    let all = batch.ways.iter().enumerate();
    let left = all.filter(|(_, ways)| !ways.is_empty());
    let left = left.fold(0u32, |left, (job, _)| left | 1 << job);
    search.prepare(slots);
    search.expand(&Node {
        slots: *slots,
        left,
        last: 0,
        tie: None,
        sum: 0,
    });
    let proved = search.nodes <= search.limit;
    let nodes = search.nodes;
    let best = match search.best {
        None => from,
        Some(steps) => told(ground, batch, slots, &steps),
    };
    Found {
        best,
        proved,
        nodes,
    }
}

fn told(
    ground: &Ground,
    batch: &Batch,
    slots: &Slots,
    steps: &[(usize, usize)],
) -> (Cost, Sequence) {
    let mut sequence = Sequence {
        order: steps.iter().map(|&(job, _)| job).collect(),
        way: vec![0; batch.len()],
    };
    for &(job, way) in steps {
        sequence.way[job] = way;
    }
    let cost = decode(ground, batch, &sequence, &mut [*slots]);
    (cost, sequence)
}

/// Of each job the first that has the same ways.
fn equals(batch: &Batch) -> Vec<usize> {
    let first = |ways: &Vec<Way>| batch.ways.iter().position(|other| other == ways);
    let jobs = batch.ways.iter().enumerate();
    jobs.map(|(job, ways)| first(ways).unwrap_or(job)).collect()
}

#[derive(Clone, Copy)]
struct Node {
    slots: Slots,
    /// Jobs that are left, one bit each.
    left: u32,
    /// The latest start.
    last: Time,
    /// First memory slice of the last job that starts then.
    tie: Option<usize>,
    /// Sum of all starts.
    sum: Time,
}

/// Prices and a form, with what each set of jobs needs at least by them.
struct Table {
    weights: Weights,
    form: u64,
    least: Vec<f64>,
}

/// A state that was expanded.
struct Known {
    slots: Slots,
    last: Time,
    tie: Option<usize>,
    sum: Time,
    /// Number of the turns that made it canonical.
    turns: u32,
}

struct Search<'s> {
    ground: &'s Ground,
    batch: &'s Batch,
    swaps: Vec<Swap>,
    equals: Vec<usize>,
    /// The makespan to beat.
    target: Time,
    tables: Vec<Table>,
    known: HashMap<u32, VecDeque<Known>>,
    path: Vec<(usize, usize)>,
    best: Option<Vec<(usize, usize)>>,
    nodes: u64,
    limit: u64,
}

impl Search<'_> {
    /// Chooses the prices: mixtures, and those that refute shorter and shorter deadlines.
    fn prepare(&mut self, slots: &Slots) {
        let mut chosen: Vec<(u64, Weights)> = Vec::new();
        for weights in mixtures(self.ground, 4) {
            chosen.extend((0..FORMS).map(|form| (form, weights)));
        }
        for hundredths in [99, 97, 94, 90, 85] {
            let deadline = self.target * hundredths / 100;
            let found = refutation(self.ground, self.batch, &[*slots], deadline.max(1));
            if let Some((_, weights)) = found {
                chosen.extend((0..FORMS).map(|form| (form, weights)));
            }
        }
        self.tables = chosen
            .into_iter()
            .map(|(form, weights)| Table {
                weights,
                form,
                least: Vec::new(),
            })
            .collect();
        self.fill();
    }

    /// What each set of jobs needs at least, for the makespan to beat.
    fn fill(&mut self) {
        let deadline = self.target.saturating_sub(1).max(1);
        let jobs = self.batch.len();
        for table in &mut self.tables {
            let cheapest = |ways: &Vec<Way>| {
                let in_time = ways.iter().filter(|way| way.time <= deadline);
                let costs = in_time.map(|way| {
                    let place = &self.ground.places()[way.place];
                    price(&table.weights, place) * form(table.form, way.time, deadline)
                });
                costs.fold(f64::MAX, f64::min)
            };
            let each: Vec<f64> = self.batch.ways.iter().map(cheapest).collect();
            table.least = vec![0.0; 1 << jobs];
            for set in 1..1usize << jobs {
                let job = set.trailing_zeros() as usize;
                table.least[set] = table.least[set & (set - 1)] + each[job];
            }
        }
    }

    fn expand(&mut self, node: &Node) {
        self.nodes += 1;
        if self.nodes > self.limit {
            return;
        }
        if node.left == 0 {
            return self.reached(node);
        }
        if self.refuted(node) || self.seen(node) {
            return;
        }
        let mut children = self.children(node);
        children.sort_unstable_by_key(|child| (child.begin, child.end));
        for child in children {
            if child.end >= self.target {
                continue;
            }
            let mut next = *node;
            let way = self.batch.ways[child.job][child.way];
            next.slots.put(self.ground, way.place, way.time);
            next.left &= !(1 << child.job);
            next.last = child.begin;
            next.tie = Some(self.ground.places()[way.place].start);
            next.sum += child.begin;
            self.path.push((child.job, child.way));
            self.expand(&next);
            self.path.pop();
        }
    }

    fn reached(&mut self, node: &Node) {
        let makespan = node.slots.last(self.ground.slices());
        if makespan < self.target {
            self.target = makespan;
            self.best = Some(self.path.clone());
            self.fill();
        }
    }

    /// Whether prices show that nothing below the target comes of this node.
    fn refuted(&mut self, node: &Node) -> bool {
        let deadline = self.target.saturating_sub(1).max(1);
        let slices = self.ground.slices();
        let mut ready = [0; MOST_SLICES];
        for (slice, ready) in ready.iter_mut().enumerate().take(slices) {
            let made = match node.slots.made[slice] {
                NOTHING => self.ground.creation(),
                _ => 0,
            };
            *ready = (node.slots.free[slice].max(node.last) + made).min(deadline);
        }
        let per_deadline = 1.0 / deadline as f64;
        let mut lost = [[0.0; MOST_SLICES]; FORMS as usize];
        for (k, lost) in lost.iter_mut().enumerate() {
            for slice in 0..slices {
                let part = ready[slice] as f64 * per_deadline;
                lost[slice] = form_below(k as u64, part);
            }
        }
        let exceeds = |table: &Table| {
            let lost = lost.get(table.form as usize).unwrap_or(&lost[0]);
            let pairs = lost[..slices].iter().zip(&table.weights[..slices]);
            let lost: f64 = pairs.map(|(l, w)| l * w).sum();
            lost + table.least[node.left as usize] > 1.0 + 1e-9
        };
        let Some(found) = self.tables.iter().position(exceeds) else {
            return false;
        };
        // What refutes one node is likely to refute the next.
        self.tables.swap(found, found / 2);
        true
    }

    /// Whether a state that was expanded before is no worse; else this one is kept.
    fn seen(&mut self, node: &Node) -> bool {
        let (slots, turns) = self.canonical(&node.slots);
        let creation = self.ground.creation();
        let slices = self.ground.slices();
        let known = self.known.entry(node.left).or_default();
        let no_worse = |old: &Known| {
            let order = old.last < node.last
                || (old.last == node.last && old.turns == turns && old.tie <= node.tie);
            order
                && old.sum <= node.sum
                && (0..slices).all(|slice| {
                    let missing = slots.made[slice] != old.slots.made[slice];
                    let made = if missing { creation } else { 0 };
                    old.slots.free[slice] + made <= slots.free[slice].max(node.last)
                })
        };
        if known.iter().any(no_worse) {
            return true;
        }
        if known.len() >= KEPT {
            known.pop_back();
        }
        known.push_front(Known {
            slots,
            last: node.last,
            tie: node.tie,
            sum: node.sum,
            turns,
        });
        false
    }

    fn canonical(&self, slots: &Slots) -> (Slots, u32) {
        let (mut slots, mut turns) = (*slots, 0);
        for (number, swap) in self.swaps.iter().enumerate() {
            let turned = swap.turn(&slots);
            if (turned.free, turned.made) < (slots.free, slots.made) {
                slots = turned;
                turns |= 1 << number;
            }
        }
        (slots, turns)
    }

    fn children(&self, node: &Node) -> Vec<Child> {
        let same: Vec<&Swap> = self
            .swaps
            .iter()
            .filter(|swap| swap.turn(&node.slots) == node.slots)
            .collect();
        let mut children = Vec::new();
        let mut left = node.left;
        while left != 0 {
            let job = left.trailing_zeros() as usize;
            left &= left - 1;
            let first_of_equals = self.equals[job];
            let before = node.left & ((1 << job) - 1);
            let equal_before = (0..job)
                .any(|other| before & (1 << other) != 0 && self.equals[other] == first_of_equals);
            if equal_before {
                continue;
            }
            for (number, way) in self.batch.ways[job].iter().enumerate() {
                children.extend(self.child(node, &same, job, number, way));
            }
        }
        children
    }

    fn child(
        &self,
        node: &Node,
        same: &[&Swap],
        job: usize,
        number: usize,
        way: &Way,
    ) -> Option<Child> {
        let place = &self.ground.places()[way.place];
        let begin = node.slots.begins(place);
        let allowed = |start: usize| begin > node.last || node.tie.is_none_or(|tie| start > tie);
        if begin < node.last || !allowed(place.start) {
            return None;
        }
        let mirrored = same.iter().any(|swap| {
            let there = swap.place.get(way.place).copied();
            let there = there.and_then(|there| self.ground.places().get(usize::from(there)));
            there.is_some_and(|there| there.start < place.start && allowed(there.start))
        });
        if mirrored {
            return None;
        }
        let end = node.slots.ends(self.ground, way.place, way.time);
        (end < self.target).then_some(Child {
            job,
            way: number,
            begin,
            end,
        })
    }
}

struct Child {
    job: usize,
    way: usize,
    begin: Time,
    end: Time,
}
