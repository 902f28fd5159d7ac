//! Ours. While jobs are all there: a plan by price greedy, annealing and, where small, exact search, made anew at each
//! end with smoothed times. While jobs arrive, or where nobody knows how long they run: the free slices are shared among
//! those that wait, short ones first; later ones may pass, until the first has waited long enough.

use crate::policy::planned::{Planned, Planner};
use crate::policy::planners::Static;
use crate::policy::share::Sharing;
use crate::policy::view::View;
use crate::policy::{Policy, Situation, Step};
use migfit_mig::planning::sequence::Sequence;
use migfit_mig::planning::{Effort, Plan, plan};
use migfit_mig::{Layout, LayoutGraph, NoPlacement};
use std::cell::RefCell;

/// Ours.
pub struct Migfit {
    planned: Planned<Planning>,
    sharing: Sharing,
    /// For a host that holds only so many jobs at once.
    few: RefCell<Option<(usize, Planned<Static>)>>,
}

impl Default for Migfit {
    fn default() -> Migfit {
        Migfit {
            planned: Planned::new(Planning),
            sharing: Sharing { shares: true },
            few: RefCell::new(None),
        }
    }
}

impl Policy for Migfit {
    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let timed = situation.queue.iter().all(|job| !job.times.is_empty());
        let host_holds = situation.host_holds();
        let host_binds = host_holds < situation.queue.len().min(situation.free_slices());
        match (timed && !situation.more, host_binds) {
            (true, false) => self.planned.next(situation),
            (true, true) => self.with_few(situation, host_holds + situation.running.len()),
            (false, _) => self.sharing.next(situation),
        }
    }
}

impl Migfit {
    /// The plan above knows no host: where that holds only so many jobs at once, they go on the best layout of so many.
    fn with_few(&self, situation: &Situation<'_>, jobs: usize) -> Result<Step, NoPlacement> {
        let kept = self.few.take();
        let kept = kept.filter(|(most, _)| *most == jobs);
        let (_, planned) = kept.unwrap_or_else(|| (jobs, few(situation.graph, jobs)));
        let step = planned.next(situation);
        *self.few.borrow_mut() = Some((jobs, planned));
        step
    }
}

/// All layouts of at most so many GPU instances, at least one.
fn few(graph: &LayoutGraph, most: usize) -> Planned<Static> {
    let states = graph.petgraph().node_weights();
    let layouts = states.map(|state| graph.layout(state));
    let fits = |layout: &Layout| (1..=most.max(1)).contains(&layout.placed().len());
    Planned::new(Static::of(layouts.filter(fits).collect()))
}

/// The plan of a batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Planning;

impl Planner for Planning {
    fn plan(&self, view: &View, before: Option<Sequence>) -> Plan {
        let effort = match before {
            Some(_) => Effort::again(),
            None => Effort::default(),
        };
        plan(&view.ground, &view.batch, &view.slots, effort, before)
    }

    fn replans(&self) -> bool {
        true
    }

    fn reason(&self) -> String {
        "planned with the whole batch".to_owned()
    }
}
