//! Placement tests that read as sentences: a GPU model, GPU instances, waiting jobs, and what is expected of a policy.

use crate::policy::fifo::Fifo;
use crate::policy::sequential::Sequential;
use crate::policy::{Going, HostRoom, Policy, Queued, Shortage, Situation, Step};
use migfit_mig::{Action, Held, Layout, LayoutGraph, ProfileName};
use migfit_schema::units::Bytes;
use std::time::Duration;

/// A GPU with its queue. `expect...` says what must come next; a scene that is dropped unchecked fails its test.
struct Scene {
    graph: LayoutGraph,
    held: Vec<Held>,
    queue: Vec<Queued>,
    running: Vec<Going>,
    cores: u32,
    checked: bool,
}

impl Scene {
    fn on(model: &str) -> Scene {
        let model = migfit_mig::find(model).unwrap();
        Scene {
            graph: LayoutGraph::new(model, &model.plain_profiles()).unwrap(),
            held: Vec::new(),
            queue: Vec::new(),
            running: Vec::new(),
            cores: 8,
            checked: false,
        }
    }

    fn busy(self, layout: &str) -> Scene {
        let mut scene = self.with(layout, true);
        let layout = Layout::parse(scene.graph.model(), layout).unwrap();
        scene
            .running
            .extend(layout.placed().iter().map(|&placed| going(placed)));
        scene
    }

    fn foreign(self, layout: &str) -> Scene {
        self.with(layout, true)
    }

    fn idle(self, layout: &str) -> Scene {
        self.with(layout, false)
    }

    fn with(mut self, layout: &str, busy: bool) -> Scene {
        let layout = Layout::parse(self.graph.model(), layout).unwrap();
        let held = layout.placed().iter().map(|&placed| Held { placed, busy });
        self.held.extend(held);
        self
    }

    /// A job that `fitting` hold, as the policy wants it.
    fn job(mut self, policy: &dyn Policy, fitting: &[&str]) -> Scene {
        let fitting: Vec<ProfileName> = fitting.iter().map(|name| name.parse().unwrap()).collect();
        let whole = self.graph.model().whole().unwrap().name;
        let job = self.queue.len();
        let slices = policy.choose(&fitting, whole);
        self.queue.push(Queued {
            job,
            slices,
            times: Vec::new(),
            foretold: false,
            waited: Duration::ZERO,
            cpus: 1,
            host_memory: Bytes(0),
        });
        self
    }

    fn cores(mut self, cores: u32) -> Scene {
        self.cores = cores;
        self
    }

    fn next(&mut self, policy: &dyn Policy) -> Step {
        self.checked = true;
        let situation = Situation {
            now: Duration::ZERO,
            graph: &self.graph,
            gpus: std::slice::from_ref(&self.held),
            queue: &self.queue,
            running: &self.running,
            host: HostRoom {
                cpus: self.cores - u32::try_from(self.running.len()).unwrap(),
                memory: None,
            },
            more: false,
        };
        policy.next(&situation).unwrap()
    }

    /// The head of the queue starts there; what goes first is destroyed.
    fn expect_start(&mut self, policy: &dyn Policy, placed: &str, destroyed: &str) -> String {
        let Step::Start(start) = self.next(policy) else {
            panic!("nothing starts: {:?}", self.next(policy));
        };
        assert_eq!(start.position, 0);
        assert_eq!(start.decision.placed.to_string(), placed);
        let gone = match &start.decision.action {
            Action::Reuse => "reused".to_owned(),
            Action::Create { destroy } => {
                let gone: Vec<String> = destroy.iter().map(ToString::to_string).collect();
                gone.join(" ")
            }
        };
        assert_eq!(gone, destroyed);
        self.begin(&start.decision.action, start.decision.placed);
        start.reason
    }

    fn begin(&mut self, action: &Action, placed: migfit_mig::Placed) {
        if let Action::Create { destroy } = action {
            self.held.retain(|held| !destroy.contains(&held.placed));
        }
        self.held.retain(|held| held.placed != placed);
        self.held.push(Held { placed, busy: true });
        self.queue.remove(0);
        self.running.push(going(placed));
    }

    fn expect_wait(&mut self, policy: &dyn Policy, because: &str) {
        match self.next(policy) {
            Step::Wait(reason) => assert!(reason.contains(because), "{reason}"),
            Step::WaitForHost(shortage) => panic!("the host is waited for: {shortage:?}"),
            Step::Start(start) => panic!("{} starts", start.decision.placed),
        }
    }
}

fn going(placed: migfit_mig::Placed) -> Going {
    Going {
        gpu: 0,
        placed,
        ran: Duration::ZERO,
        expected: None,
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        assert!(
            self.checked || std::thread::panicking(),
            "nothing was checked"
        );
    }
}

#[test]
fn fifo_fills_an_empty_a100_from_the_place_that_keeps_most_open() {
    let mut scene = Scene::on("a100-40gb")
        .job(&Fifo, &["1g.5gb", "7g.40gb"])
        .job(&Fifo, &["3g.20gb", "7g.40gb"])
        .job(&Fifo, &["2g.10gb"])
        .job(&Fifo, &["2g.10gb"]);
    scene.expect_start(&Fifo, "1g.5gb@6", "");
    // The 1g at 6 takes half of the upper four slices: 3g has only the lower ones.
    scene.expect_start(&Fifo, "3g.20gb@0", "");
    scene.expect_start(&Fifo, "2g.10gb@4", "");
    scene.expect_wait(&Fifo, "no place for 2g.10gb");
}

#[test]
fn fifo_does_not_let_a_small_job_pass_a_large_one() {
    let mut scene = Scene::on("a100-40gb")
        .busy("1g.5gb@6")
        .job(&Fifo, &["7g.40gb"])
        .job(&Fifo, &["1g.5gb"]);
    scene.expect_wait(&Fifo, "no place for 7g.40gb");
}

#[test]
fn fifo_fuses_idle_neighbours_and_leaves_busy_ones_alone() {
    let mut scene = Scene::on("a100-40gb")
        .idle("1g.5gb@0 1g.5gb@1 1g.5gb@2")
        .busy("3g.20gb@4")
        .job(&Fifo, &["4g.20gb"]);
    let reason = scene.expect_start(&Fifo, "4g.20gb@0", "1g.5gb@0 1g.5gb@1 1g.5gb@2");
    assert!(reason.starts_with("instance fusion: "), "{reason}");
}

#[test]
fn fifo_splits_an_idle_whole_gpu() {
    let mut scene = Scene::on("a30-24gb")
        .idle("4g.24gb@0")
        .job(&Fifo, &["1g.6gb"]);
    let reason = scene.expect_start(&Fifo, "1g.6gb@0", "4g.24gb@0");
    assert!(reason.starts_with("instance fission: "), "{reason}");
}

#[test]
fn fifo_uses_an_idle_slice_as_it_is() {
    let mut scene = Scene::on("a100-40gb")
        .idle("1g.5gb@6")
        .job(&Fifo, &["1g.5gb"]);
    scene.expect_start(&Fifo, "1g.5gb@6", "reused");
}

#[test]
fn fifo_starts_no_more_jobs_than_the_host_has_cores() {
    let mut scene = Scene::on("a100-40gb")
        .cores(2)
        .job(&Fifo, &["1g.5gb"])
        .job(&Fifo, &["1g.5gb"])
        .job(&Fifo, &["1g.5gb"]);
    scene.expect_start(&Fifo, "1g.5gb@6", "");
    let Step::Start(_) = scene.next(&Fifo) else {
        panic!("a second core is free");
    };
    scene.expect_start(&Fifo, "1g.5gb@4", "");
    assert_eq!(scene.next(&Fifo), Step::WaitForHost(Shortage::Cores));
    let mut full = Scene::on("a100-40gb")
        .cores(1)
        .busy("7g.40gb@0")
        .job(&Fifo, &["1g.5gb"]);
    full.expect_wait(&Fifo, "no place for 1g.5gb");
}

#[test]
fn nobody_touches_what_others_made() {
    let mut scene = Scene::on("a100-40gb")
        .foreign("1g.5gb@0")
        .job(&Sequential, &["1g.5gb"]);
    scene.expect_wait(&Sequential, "busy: 1g.5gb@0");
}

#[test]
fn sequential_gives_the_whole_gpu_to_one_job_after_the_other() {
    let mut scene = Scene::on("a100-40gb")
        .job(&Sequential, &["1g.5gb"])
        .job(&Sequential, &["1g.5gb"]);
    scene.expect_start(&Sequential, "7g.40gb@0", "");
    scene.expect_wait(&Sequential, "one job at a time");
}
