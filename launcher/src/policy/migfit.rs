//! Ours. While jobs are all there: a plan by price greedy, annealing and, where small, exact search, made anew at each
//! end with smoothed times. While jobs arrive, or where nobody knows how long they run: the free slices are shared among
//! those that wait, short ones first; later ones may pass, until the first has waited long enough.

use crate::policy::planned::{Planned, Planner};
use crate::policy::share::Sharing;
use crate::policy::view::View;
use crate::policy::{Policy, Situation, Step};
use migfit_mig::planning::sequence::Sequence;
use migfit_mig::planning::{Effort, Plan, plan};
use migfit_mig::{NoPlacement, ProfileName};

/// Ours.
pub struct Migfit {
    planned: Planned<Planning>,
    sharing: Sharing,
}

impl Default for Migfit {
    fn default() -> Migfit {
        Migfit {
            planned: Planned::new(Planning),
            sharing: Sharing { shares: true },
        }
    }
}

impl Policy for Migfit {
    fn choose(&self, fitting: &[ProfileName], _whole: ProfileName) -> Vec<ProfileName> {
        fitting.to_vec()
    }

    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let timed = situation.queue.iter().all(|job| !job.times.is_empty());
        match timed && !situation.more {
            true => self.planned.next(situation),
            false => self.sharing.next(situation),
        }
    }
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
