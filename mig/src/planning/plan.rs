//! The plan of a batch: the best of the price greedy, annealing and, where it is small, exact search, with a lower bound
//! that says how far from the optimum it can be.

use crate::planning::anneal::anneal;
use crate::planning::batch::Batch;
use crate::planning::bound;
use crate::planning::exact;
use crate::planning::greedy::greedy;
use crate::planning::ground::{Ground, Time};
use crate::planning::polish::polish;
use crate::planning::sequence::{Cost, Sequence, cost, decode, replay};
use crate::planning::sized::Sized;
use crate::planning::slots::Slots;

/// Jobs up to which order and places are annealed together.
const SMALL: usize = 12;

/// Jobs from which the deadline bound gains nothing over the area.
const MANY: usize = 24;

/// How much is searched: counted, not timed, so that a plan repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Schedules of a small batch that are tried; of larger ones fewer in proportion.
    pub evaluations: u64,
    /// Nodes of the exact search; 0: none is made.
    pub nodes: u64,
}

impl Effort {
    /// For a plan that another is there to start from.
    #[must_use]
    pub fn again() -> Effort {
        Effort {
            evaluations: 30_000,
            nodes: 30_000,
        }
    }
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            evaluations: 100_000,
            nodes: 1_000_000,
        }
    }
}

/// A job's place and time in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Number of the job.
    pub job: usize,
    /// Position in `Ground::places`.
    pub place: usize,
    /// When its slice is taken; a missing GPU instance is made then.
    pub begin: Time,
    /// When it ends.
    pub end: Time,
}

/// Who goes where and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// By begin.
    pub steps: Vec<Planned>,
    /// The last end.
    pub makespan: Time,
    /// No schedule ends before this.
    pub bound: Time,
    /// Whether nothing can be better.
    pub proved: bool,
}

/// Plans a batch on GPUs in this state. Jobs without a way are left out. `before`, where there is one, is what the plan has to
/// be better than.
#[must_use]
pub fn plan(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    effort: Effort,
    before: Option<Sequence>,
) -> Plan {
    let mut best = greedy(ground, batch, slots);
    if let Some(sequence) = before {
        let cost = decode(ground, batch, &sequence, &mut slots.to_vec());
        if cost.smooth <= best.0.smooth {
            best = (cost, sequence);
        }
    }
    let jobs = best.1.order.len();
    if jobs == 0 {
        return told(ground, batch, slots, &best.1, 0, true);
    }
    let area = bound::area(ground, batch, slots);
    if jobs <= SMALL {
        let lower = bound::deadline(ground, batch, slots, best.0.makespan);
        best = anneal(ground, batch, slots, best, effort.evaluations, lower);
        let mut proved = best.0.makespan <= lower;
        if !proved && effort.nodes > 0 {
            let found = exact::search(ground, batch, slots, best, effort.nodes);
            (best, proved) = (found.best, found.proved);
        }
        best = polish(ground, batch, slots, best, effort.evaluations / 10);
        return told(ground, batch, slots, &best.1, lower, proved);
    }
    best = large(ground, batch, slots, best, effort, area);
    let lower = match jobs <= MANY {
        true => bound::deadline(ground, batch, slots, best.0.makespan),
        false => area,
    };
    let jobs = jobs as u64;
    best = polish(ground, batch, slots, best, effort.evaluations / jobs * 4);
    let proved = best.0.makespan <= lower;
    told(ground, batch, slots, &best.1, lower, proved)
}

fn large(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    best: (Cost, Sequence),
    effort: Effort,
    enough: Time,
) -> (Cost, Sequence) {
    let sized = Sized::new(ground, batch, slots);
    let jobs = best.1.order.len() as u64;
    let evaluations = effort.evaluations * SMALL as u64 / jobs;
    let best = sized.anneal(best, evaluations * 4, enough);
    let best = sized.end_anew(best, effort.evaluations, enough);
    let best = anneal(ground, batch, slots, best, evaluations, enough);
    sized.end_anew(best, effort.evaluations, enough)
}

/// A sequence as a plan.
#[must_use]
pub fn told(
    ground: &Ground,
    batch: &Batch,
    slots: &[Slots],
    sequence: &Sequence,
    bound: Time,
    proved: bool,
) -> Plan {
    let mut state = slots.to_vec();
    let mut steps = Vec::with_capacity(sequence.order.len());
    replay(
        ground,
        batch,
        sequence,
        &mut state,
        |job, way, begin, end| {
            steps.push(Planned {
                job,
                place: way.place,
                begin,
                end,
            });
        },
    );
    steps.sort_by_key(|step| step.begin);
    let makespan = cost(ground, &state).makespan;
    Plan {
        steps,
        makespan,
        bound: if proved { makespan } else { bound },
        proved,
    }
}
