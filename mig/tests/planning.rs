//! Plans against full enumeration, and what must hold of any plan.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use migfit_mig::planning::sequence::{Sequence, decode};
use migfit_mig::planning::{
    Batch, Effort, Ground, Plan, Slots, Task, bound, exact, far, fixed, greedy, plan,
};
use migfit_mig::{Layout, LayoutGraph, find};
use proptest::prelude::*;
use std::sync::OnceLock;

const MODELS: [&str; 3] = ["a100-40gb", "a30-24gb", "h100-80gb-sxm"];
const CREATION: u64 = 250;

fn graph(model: usize) -> &'static LayoutGraph {
    static GRAPHS: OnceLock<Vec<LayoutGraph>> = OnceLock::new();
    let make = |name: &&str| {
        let model = find(name).unwrap();
        LayoutGraph::new(model, &model.plain_profiles()).unwrap()
    };
    &GRAPHS.get_or_init(|| MODELS.iter().map(make).collect())[model]
}

/// Times that fall with the size by chance; 0 where a slice does not hold the job.
fn task() -> impl Strategy<Value = Vec<u64>> {
    let falls = prop::collection::vec(0u64..100, 8);
    (100u64..4000, falls, 0usize..3).prop_map(|(longest, falls, lacks)| {
        let mut time = longest;
        let mut times = Vec::new();
        for (at, fall) in falls.into_iter().enumerate() {
            times.push(if at < lacks { 0 } else { time });
            time = (time * (200 - fall) / 200).max(1);
        }
        times
    })
}

fn tasks(ground: &Ground, raw: &[Vec<u64>]) -> Vec<Task> {
    let profiles = ground.profiles().len();
    let task = |times: &Vec<u64>| {
        // The largest slice holds every job.
        let time = |at: usize| match (times[at.min(7)], at + 1 == profiles) {
            (0, false) => None,
            (0, true) => Some(times[7]),
            (time, _) => Some(time),
        };
        Task {
            times: (0..profiles).map(time).collect(),
        }
    };
    raw.iter().map(task).collect()
}

fn orders(left: &mut Vec<usize>, order: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if left.is_empty() {
        return all.push(order.clone());
    }
    for at in 0..left.len() {
        let job = left.remove(at);
        order.push(job);
        orders(left, order, all);
        order.pop();
        left.insert(at, job);
    }
}

/// The least makespan of all orders and ways.
fn enumerated(ground: &Ground, batch: &Batch, slots: &[Slots]) -> u64 {
    let mut all = Vec::new();
    orders(&mut (0..batch.len()).collect(), &mut Vec::new(), &mut all);
    let mut best = u64::MAX;
    let combinations: usize = batch.ways.iter().map(Vec::len).product();
    for order in all {
        for mut number in 0..combinations {
            let mut way = Vec::new();
            for ways in &batch.ways {
                way.push(number % ways.len());
                number /= ways.len();
            }
            let sequence = Sequence {
                order: order.clone(),
                way,
            };
            let cost = decode(ground, batch, &sequence, &mut slots.to_vec());
            best = best.min(cost.makespan);
        }
    }
    best
}

/// Everything that runs at once is legal, and every job is there once.
fn check(graph: &LayoutGraph, ground: &Ground, batch: &Batch, plan: &Plan) {
    let mut jobs: Vec<usize> = plan.steps.iter().map(|step| step.job).collect();
    jobs.sort_unstable();
    assert_eq!(jobs, (0..batch.len()).collect::<Vec<_>>());
    for step in &plan.steps {
        for gpu in 0..ground.gpus() {
            let now = plan
                .steps
                .iter()
                .filter(|other| other.begin <= step.begin && step.begin < other.end)
                .map(|other| ground.places()[other.place])
                .filter(|place| place.gpu == gpu);
            Layout::of(graph.model(), now.map(|place| place.placed)).unwrap();
        }
    }
    let last = plan.steps.iter().map(|step| step.end).max();
    assert_eq!(last, Some(plan.makespan));
    assert!(plan.bound <= plan.makespan);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn three_jobs_are_planned_as_well_as_enumeration_can(
        model in 0usize..3,
        raw in prop::collection::vec(task(), 3),
    ) {
        let ground = Ground::new(graph(model), 1, CREATION).unwrap();
        let slots = [Slots::empty()];
        let tasks = tasks(&ground, &raw);
        let best = enumerated(&ground, &Batch::whole(&ground, &tasks, &slots), &slots);
        let batch = Batch::new(&ground, &tasks, &slots);
        let from = greedy::greedy(&ground, &batch, &slots);
        let found = exact::search(&ground, &batch, &slots, from.clone(), 10_000_000);
        prop_assert!(found.proved);
        prop_assert_eq!(found.best.0.makespan, best);
        let lower = bound::deadline(&ground, &batch, &slots, from.0.makespan);
        prop_assert!(lower <= best, "bound {lower} above {best}");
        prop_assert!(bound::area(&ground, &batch, &slots) <= best);
    }

    #[test]
    fn a_gpu_in_use_is_planned_as_well_as_enumeration_can(
        model in 0usize..3,
        busy in prop::collection::vec((0usize..30, 0u64..3000), 0..4),
        raw in prop::collection::vec(task(), 2),
    ) {
        let ground = Ground::new(graph(model), 1, CREATION).unwrap();
        let mut slots = Slots::empty();
        for (place, until) in busy {
            let place = place % ground.places().len();
            slots.hold(&ground.places()[place], ground.local(place), until);
        }
        let slots = [slots];
        let tasks = tasks(&ground, &raw);
        let best = enumerated(&ground, &Batch::whole(&ground, &tasks, &slots), &slots);
        let batch = Batch::new(&ground, &tasks, &slots);
        let planned = plan(&ground, &batch, &slots, Effort::default(), None);
        prop_assert!(planned.proved);
        prop_assert_eq!(planned.makespan, best);
    }

    #[test]
    fn every_plan_is_legal_and_repeats(
        model in 0usize..3,
        gpus in 1usize..4,
        raw in prop::collection::vec(task(), 1..30),
    ) {
        let graph = graph(model);
        let ground = Ground::new(graph, gpus, CREATION).unwrap();
        let slots = vec![Slots::empty(); gpus];
        let tasks = tasks(&ground, &raw);
        let batch = Batch::new(&ground, &tasks, &slots);
        let effort = Effort { evaluations: 3_000, nodes: 3_000 };
        let planned = plan(&ground, &batch, &slots, effort, None);
        check(graph, &ground, &batch, &planned);
        prop_assert_eq!(&planned, &plan(&ground, &batch, &slots, effort, None));
        let by_far = far::far(&ground, &batch, &slots).0.makespan;
        prop_assert!(planned.bound <= by_far);
        let whole = Batch::whole(&ground, &tasks, &slots);
        if let Some((cost, ..)) = fixed::best(&ground, &whole, &slots, &graph.full_layouts()) {
            prop_assert!(planned.bound <= cost.makespan);
        }
    }
}
