//! The planners of planned policies, but ours: FAR, the exact yardstick, and static layouts.

use crate::policy::planned::Planner;
use crate::policy::view::View;
use migfit_mig::planning::plan::told;
use migfit_mig::planning::sequence::Sequence;
use migfit_mig::planning::{Batch, Effort, Plan, bound, far, fixed, plan};
use migfit_mig::{Layout, ProfileName};
use std::cell::RefCell;

/// FAR, planned once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Far;

impl Planner for Far {
    fn plan(&self, view: &View, _before: Option<Sequence>) -> Plan {
        let (_, sequence) = far::far(&view.ground, &view.batch, &view.slots);
        bounded(view, &view.batch, &sequence)
    }

    fn replans(&self) -> bool {
        false
    }

    fn reason(&self) -> String {
        "allocation by area, longest first".to_owned()
    }
}

/// Exact search with much effort, planned once: a yardstick for small batches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Optimal;

/// Nodes that are looked at for 8 jobs to be proved in 99 % of batches, within some seconds.
const NODES: u64 = 20_000_000;

impl Planner for Optimal {
    fn plan(&self, view: &View, _before: Option<Sequence>) -> Plan {
        let effort = Effort {
            evaluations: 300_000,
            nodes: NODES,
        };
        plan(&view.ground, &view.batch, &view.slots, effort, None)
    }

    fn replans(&self) -> bool {
        false
    }

    fn reason(&self) -> String {
        "exact search".to_owned()
    }
}

/// Static layouts: one that the user names, or the best of all full ones, chosen with the first plan.
#[derive(Debug)]
pub struct Static {
    layouts: Vec<Layout>,
    chosen: RefCell<Option<Layout>>,
}

impl Static {
    /// The layouts to choose from.
    #[must_use]
    pub fn of(layouts: Vec<Layout>) -> Static {
        Static {
            layouts,
            chosen: RefCell::new(None),
        }
    }
}

impl Planner for Static {
    fn plan(&self, view: &View, _before: Option<Sequence>) -> Plan {
        let chosen = self.chosen.take();
        let layouts = match &chosen {
            Some(layout) => std::slice::from_ref(layout),
            None => &self.layouts,
        };
        let whole = view.whole();
        let best = fixed::best(&view.ground, &whole, &view.slots, layouts);
        *self.chosen.borrow_mut() = best.as_ref().map(|(.., layout)| (*layout).clone());
        match best {
            Some((_, sequence, _)) => bounded(view, &whole, &sequence),
            // No layout holds them all: nothing is placed.
            None => Plan {
                steps: Vec::new(),
                makespan: 0,
                bound: 0,
                proved: false,
            },
        }
    }

    fn replans(&self) -> bool {
        false
    }

    fn reason(&self) -> String {
        match self.layouts.as_slice() {
            [one] => {
                let placed: Vec<String> = one.placed().iter().map(ToString::to_string).collect();
                format!("static layout {}", placed.join(" "))
            }
            all => format!("best of {} static layouts", all.len()),
        }
    }

    fn choose(&self, fitting: &[ProfileName], _whole: ProfileName) -> Vec<ProfileName> {
        let has = |name: &ProfileName| {
            let mut placed = self.layouts.iter().flat_map(Layout::placed);
            placed.any(|placed| placed.profile == *name)
        };
        let within: Vec<ProfileName> = fitting.iter().copied().filter(has).collect();
        match within.is_empty() {
            true => fitting.to_vec(),
            false => within,
        }
    }
}

fn bounded(view: &View, batch: &Batch, sequence: &Sequence) -> Plan {
    let lower = bound::area(&view.ground, batch, &view.slots);
    told(&view.ground, batch, &view.slots, sequence, lower, false)
}
