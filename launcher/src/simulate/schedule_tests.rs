//! Hand-worked schedules, and what must hold of any schedule.

use super::*;
use crate::policy::fifo::Fifo;
use crate::policy::sequential::Sequential;
use migfit_mig::Layout;
use migfit_schema::units::Bytes;
use proptest::prelude::*;
use std::sync::OnceLock;

const MODELS: [&str; 3] = ["a100-40gb", "a30-24gb", "h100-80gb-sxm"];

const ANY_HOST: HostRoom = HostRoom {
    cpus: u32::MAX,
    memory: None,
};

fn share(cpus: u32, memory: u64) -> Share {
    Share {
        cpus,
        memory: Bytes(memory),
    }
}

/// A job that these MIG profiles hold, after those others.
fn job(slices: &str, after: &[usize]) -> Entrant {
    Entrant {
        slices: Ok(slices
            .split(' ')
            .map(|name| name.parse().unwrap())
            .collect()),
        after: after.to_vec(),
        share: share(1, 0),
        arrives: Duration::ZERO,
        times: Vec::new(),
        foretold: false,
    }
}

/// The graphs of the models in play, made once.
fn graph(model: &str) -> &'static LayoutGraph {
    static GRAPHS: OnceLock<Vec<LayoutGraph>> = OnceLock::new();
    let make = |name: &&str| {
        let model = migfit_mig::find(name).unwrap();
        LayoutGraph::new(model, &model.plain_profiles()).unwrap()
    };
    let graphs = GRAPHS.get_or_init(|| MODELS.iter().map(make).collect());
    graphs
        .iter()
        .find(|graph| graph.model().name == model)
        .unwrap()
}

/// The schedule of jobs that run so many seconds, 0.25 s for each new GPU instance.
fn played(policy: &dyn Policy, host: HostRoom, jobs: &[(Entrant, u64)]) -> Schedule {
    let entrants: Vec<Entrant> = jobs.iter().map(|(entrant, _)| entrant.clone()).collect();
    let graph = graph("a100-40gb");
    let ground = Ground {
        graph,
        gpus: 1,
        policy,
        host,
        creation: Duration::from_millis(250),
    };
    play(&ground, &entrants, &|job, _| {
        Duration::from_secs(jobs[job].1)
    })
    .unwrap()
}

/// Each job as `number slice start-end`, in the order in which they begin.
fn told(schedule: &Schedule) -> Vec<String> {
    let told = schedule.placings.iter().map(|placing| {
        let (start, end) = (placing.start.as_secs_f64(), placing.end.as_secs_f64());
        format!("{} {} {start}-{end}", placing.job, placing.decision.placed)
    });
    told.collect()
}

#[test]
fn fifo_packs_reuses_and_waits_as_worked_out_by_hand() {
    let schedule = played(
        &Fifo,
        ANY_HOST,
        &[
            (job("3g.20gb", &[]), 10),
            (job("4g.20gb", &[]), 20),
            (job("3g.20gb", &[]), 5),
            (job("7g.40gb", &[]), 8),
        ],
    );
    assert_eq!(
        told(&schedule),
        [
            "0 3g.20gb@4 0.25-10.25",
            "1 4g.20gb@0 0.25-20.25",
            // The first job's slice, idle now: nothing to make.
            "2 3g.20gb@4 10.25-15.25",
            "3 7g.40gb@0 20.5-28.5",
        ]
    );
    assert_eq!(schedule.created(), 3);
    assert_eq!(schedule.makespan(), Duration::from_millis(28_500));
    let waited = |number: usize| schedule.placings[number].waited.clone();
    assert_eq!(waited(1), None);
    assert_eq!(waited(2).unwrap().until, 0);
    let last = waited(3).unwrap();
    assert_eq!(last.until, 1);
    assert!(last.because.starts_with("no place for 7g.40gb"), "{last:?}");
}

#[test]
fn sequential_takes_the_sum_of_all_and_one_gpu_instance() {
    let jobs: Vec<(Entrant, u64)> = (1..6).map(|n| (job("7g.40gb", &[]), n)).collect();
    let schedule = played(&Sequential, ANY_HOST, &jobs);
    assert_eq!(schedule.makespan(), Duration::from_millis(15_250));
    assert_eq!(schedule.created(), 1);
    let order: Vec<usize> = schedule
        .placings
        .iter()
        .map(|placing| placing.job)
        .collect();
    assert_eq!(order, [0, 1, 2, 3, 4]);
}

#[test]
fn a_job_comes_after_others_and_does_not_hold_up_those_behind_it() {
    let schedule = played(
        &Fifo,
        ANY_HOST,
        &[
            (job("1g.5gb", &[2, 3]), 1),
            (job("1g.5gb", &[]), 1),
            (job("1g.5gb", &[]), 3),
            (job("1g.5gb", &[]), 5),
        ],
    );
    let first = schedule.placings.last().unwrap();
    assert_eq!((first.job, first.start), (0, Duration::from_millis(5_250)));
    let waited = first.waited.clone().unwrap();
    assert_eq!(
        (waited.until, waited.because.as_str()),
        (3, "it comes after that job")
    );
}

#[test]
fn the_host_bounds_what_runs_at_once() {
    let two = HostRoom {
        cpus: 2,
        memory: None,
    };
    let jobs: Vec<(Entrant, u64)> = (0..4).map(|_| (job("1g.5gb", &[]), 10)).collect();
    let schedule = played(&Fifo, two, &jobs);
    // The third job has a better place than the idle first slice, and waits until that is made.
    assert_eq!(schedule.makespan(), Duration::from_millis(20_500));
    assert_eq!(schedule.short_of, [Shortage::Cores]);
    let greedy = Entrant {
        share: share(64, 1 << 40),
        ..job("1g.5gb", &[])
    };
    let small = HostRoom {
        memory: Some(Bytes(1 << 30)),
        ..two
    };
    let alone = played(&Fifo, small, &[(greedy.clone(), 1), (greedy, 1)]);
    assert_eq!(
        alone.makespan(),
        Duration::from_millis(2_250),
        "one at a time instead of never"
    );
}

#[test]
fn what_cannot_start_takes_its_followers_with_it() {
    let never = Entrant {
        slices: Err("no such runtime".to_owned()),
        ..job("1g.5gb", &[])
    };
    let schedule = played(
        &Fifo,
        ANY_HOST,
        &[
            (never, 1),
            (job("1g.5gb", &[0]), 1),
            (job("1g.5gb", &[]), 1),
        ],
    );
    assert_eq!(told(&schedule), ["2 1g.5gb@6 0.25-1.25"]);
    assert_eq!(
        schedule.never,
        [
            (0, "no such runtime".to_owned()),
            (1, "comes after job 1, which does not start".to_owned())
        ]
    );
}

/// A batch on a model: MIG profile, seconds, cores, and what each job comes after.
fn batch() -> impl Strategy<Value = (&'static str, Vec<(usize, u64, u32, usize)>)> {
    let job = (0..16usize, 0..8u64, 1..4u32, 0..24usize);
    let model = prop::sample::select(MODELS.to_vec());
    (model, prop::collection::vec(job, 1..14))
}

proptest! {
    #[test]
    fn any_schedule_is_legal_at_every_moment((model, jobs) in batch()) {
        let graph = graph(model);
        let profiles = graph.profiles();
        let entrants: Vec<Entrant> = jobs.iter().enumerate().map(|(number, (slice, _, cpus, after))| Entrant {
            slices: Ok(vec![profiles[slice % profiles.len()]]),
            after: (*after < number).then_some(*after).into_iter().collect(),
            share: share(*cpus, 0),
            arrives: Duration::ZERO,
            times: Vec::new(),
        foretold: false,
        }).collect();
        let creation = Duration::from_millis(250);
        let host = HostRoom { cpus: 4, memory: None };
        let ground = Ground { graph, gpus: 1, policy: &Fifo, host, creation };
        let time = |job: usize, _| Duration::from_secs(jobs[job].1);
        let schedule = play(&ground, &entrants, &time).unwrap();
        prop_assert_eq!(&schedule, &play(&ground, &entrants, &time).unwrap());
        let mut started: Vec<usize> = schedule.placings.iter().map(|placing| placing.job).collect();
        started.sort_unstable();
        prop_assert_eq!(started, (0..jobs.len()).collect::<Vec<_>>(), "each job once");
        for placing in &schedule.placings {
            prop_assert_eq!(placing.end - placing.start, Duration::from_secs(jobs[placing.job].1));
            for other in &entrants[placing.job].after {
                let before = schedule.placings.iter().find(|p| p.job == *other).unwrap();
                prop_assert!(before.end <= placing.start);
            }
            // Everything that runs at this start fits the GPU and the host.
            let now = placing.start;
            let running: Vec<&Placing> = schedule.placings.iter().filter(|p| p.start <= now && now < p.end).collect();
            let layout = Layout::of(graph.model(), running.iter().map(|p| p.decision.placed));
            prop_assert!(layout.is_ok(), "{:?}", layout);
            let cpus: u32 = running.iter().map(|p| entrants[p.job].share.cpus).sum();
            prop_assert!(cpus <= 4);
        }
    }
}
