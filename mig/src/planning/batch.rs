//! Jobs as planning sees them: the ways in which each can be run, a place and a time.

use crate::planning::ground::{Ground, Time};
use crate::planning::slots::{NEVER, Slots};

/// A job to plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// How long it runs on a slice of each of `Ground::profiles`; none where that does not hold it.
    pub times: Vec<Option<Time>>,
}

/// One way to run a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Position in `Ground::places`.
    pub place: usize,
    /// How long it runs there.
    pub time: Time,
}

/// A batch on a ground.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The ways of each job; empty where no slice that can ever be free holds it.
    pub ways: Vec<Vec<Way>>,
}

impl Batch {
    /// The ways of each task on GPUs in this state. A way is left out where another is never worse: no slower on a part of
    /// the same memory slices (3g at 0 where 4g is as fast); unless its GPU instance is there already.
    #[must_use]
    pub fn new(ground: &Ground, tasks: &[Task], slots: &[Slots]) -> Batch {
        let ways = tasks.iter().map(|task| ways(ground, task, slots));
        Batch {
            ways: ways.collect(),
        }
    }

    /// All ways, those that are beaten too: for layouts that somebody else chose.
    #[must_use]
    pub fn whole(ground: &Ground, tasks: &[Task], slots: &[Slots]) -> Batch {
        let ways = tasks.iter().map(|task| reachable(ground, task, slots));
        Batch {
            ways: ways.collect(),
        }
    }

    /// Number of jobs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ways.len()
    }

    /// Whether there is no job.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }
}

fn reachable(ground: &Ground, task: &Task, slots: &[Slots]) -> Vec<Way> {
    let mut all = Vec::new();
    for (number, place) in ground.places().iter().enumerate() {
        let reachable = slots
            .get(place.gpu)
            .is_some_and(|slots| slots.begins(place) < NEVER);
        if let (true, Some(Some(time))) = (reachable, task.times.get(place.profile)) {
            all.push(Way {
                place: number,
                time: *time,
            });
        }
    }
    all
}

fn ways(ground: &Ground, task: &Task, slots: &[Slots]) -> Vec<Way> {
    let all = reachable(ground, task, slots);
    let kept = all.iter().enumerate().filter(|&(index, way)| {
        let there = &ground.places()[way.place];
        let made = slots
            .get(there.gpu)
            .is_some_and(|slots| slots.exists(there, ground.local(way.place)));
        made || !beaten(ground, &all, index)
    });
    kept.map(|(_, way)| *way).collect()
}

fn beaten(ground: &Ground, all: &[Way], index: usize) -> bool {
    let way = all[index];
    let own = &ground.places()[way.place];
    all.iter().enumerate().any(|(other, rival)| {
        let place = &ground.places()[rival.place];
        let inside = place.gpu == own.gpu && own.start <= place.start && place.end <= own.end;
        let smaller = place.end - place.start < own.end - own.start;
        let better = rival.time < way.time || smaller || other < index;
        other != index && inside && rival.time <= way.time && better
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LayoutGraph, find};

    #[test]
    fn a_way_that_another_beats_is_left_out() {
        let model = find("a100-40gb").unwrap();
        let graph = LayoutGraph::new(model, &model.basic_profiles()).unwrap();
        let ground = Ground::new(&graph, 1, 0).unwrap();
        let task = Task {
            times: vec![None, None, Some(30), Some(20), Some(20)],
        };
        let named = |batch: &Batch| -> Vec<String> {
            let ways = batch.ways[0].iter();
            ways.map(|way| ground.places()[way.place].placed.to_string())
                .collect()
        };
        let empty = Batch::new(&ground, std::slice::from_ref(&task), &[Slots::empty()]);
        assert_eq!(named(&empty), ["3g.20gb@4", "4g.20gb@0"]);
        let mut slots = Slots::empty();
        let at = ground.places().iter();
        let at = at
            .clone()
            .position(|p| p.placed.to_string() == "3g.20gb@0")
            .unwrap();
        slots.hold(&ground.places()[at], ground.local(at), 0);
        let held = Batch::new(&ground, std::slice::from_ref(&task), &[slots]);
        assert_eq!(named(&held), ["3g.20gb@4", "3g.20gb@0", "4g.20gb@0"]);
        for slice in 4..8 {
            slots.free[slice] = NEVER;
        }
        let foreign = Batch::new(&ground, &[task], &[slots]);
        assert_eq!(named(&foreign), ["3g.20gb@0", "4g.20gb@0"]);
    }
}
