//! Policies that plan: a plan of all jobs that wait, kept while it holds; a job starts as soon as its place is free and no
//! job that the plan puts there before it still waits. The planners know no situation, only a view.

use crate::policy::view::View;
use crate::policy::{Going, Policy, Situation, Start, Step};
use migfit_mig::place::place_at;
use migfit_mig::planning::Plan;
use migfit_mig::planning::sequence::Sequence;
use migfit_mig::{NoPlacement, Placed, ProfileName};
use std::cell::RefCell;
use std::time::Duration;

/// Makes plans.
pub trait Planner {
    /// A plan of the jobs in view; what it cannot place is left out. `before` is what is left of the last plan, where that
    /// still places all of them.
    fn plan(&self, view: &View, before: Option<Sequence>) -> Plan;

    /// Whether it plans anew, with smoothed times, when a job ends at another time than expected.
    fn replans(&self) -> bool;

    /// What it says of a job's place.
    fn reason(&self) -> String;

    /// MIG profiles that it would give to a job, of those that hold it.
    fn choose(&self, fitting: &[ProfileName], _whole: ProfileName) -> Vec<ProfileName> {
        fitting.to_vec()
    }
}

/// A policy that plans.
pub struct Planned<P> {
    planner: P,
    kept: RefCell<Option<Kept>>,
}

/// A plan that goes on.
#[derive(Clone, Debug)]
struct Kept {
    /// What is still to be started, in the plan's order.
    steps: Vec<Stage>,
    /// What was running when the policy was last asked.
    running: Vec<Ending>,
    /// What is said of the plan.
    about: String,
}

/// A step of a plan, by the names of the batch.
#[derive(Clone, Copy, Debug)]
struct Stage {
    job: usize,
    gpu: usize,
    placed: Placed,
}

/// A running job and when it should end.
#[derive(Clone, Copy, Debug)]
struct Ending {
    gpu: usize,
    placed: Placed,
    /// None where nobody knows.
    at: Option<Duration>,
    /// How much earlier or later changes nothing.
    tolerance: Duration,
}

/// An end that is off by no more than this part of the job's time is as expected.
const TOLERANCE: u32 = 200;

impl<P: Planner> Planned<P> {
    /// A policy without a plan yet.
    #[must_use]
    pub fn new(planner: P) -> Planned<P> {
        Planned {
            planner,
            kept: RefCell::new(None),
        }
    }

    fn plan(&self, situation: &Situation<'_>, before: Option<&Kept>) -> Option<Kept> {
        let view = View::of(situation, self.planner.replans())?;
        let before = before.and_then(|kept| sequence(kept, &view, situation));
        let plan = self.planner.plan(&view, before);
        let steps = plan.steps.iter().filter_map(|step| {
            let place = view.ground.places().get(step.place)?;
            Some(Stage {
                job: situation.queue.get(step.job)?.job,
                gpu: place.gpu,
                placed: place.placed,
            })
        });
        let gap = match (plan.proved, plan.bound) {
            (true, _) => "proved best".to_owned(),
            (false, 0) => "no bound".to_owned(),
            (false, bound) => format!(
                "at most {:.1} % above the bound",
                100.0 * (plan.makespan as f64 / bound as f64 - 1.0)
            ),
        };
        let unknown = match view.is_timed {
            true => "",
            false => "; jobs with unknown times are taken as average",
        };
        Some(Kept {
            steps: steps.collect(),
            running: endings(situation),
            about: format!("{} ({gap}{unknown})", self.planner.reason()),
        })
    }

    /// Whether a plan still tells what is to be done.
    fn holds(&self, kept: &Kept, situation: &Situation<'_>) -> bool {
        places_all(kept, situation) && (!self.planner.replans() || as_expected(kept, situation))
    }
}

fn places_all(kept: &Kept, situation: &Situation<'_>) -> bool {
    let planned = |job: usize| kept.steps.iter().any(|stage| stage.job == job);
    situation.queue.iter().all(|queued| planned(queued.job))
}

/// Whether all jobs that are gone ended when they should, and none is late.
fn as_expected(kept: &Kept, situation: &Situation<'_>) -> bool {
    kept.running.iter().all(|ending| {
        let mut running = situation.running.iter();
        let runs = running.any(|going| going.gpu == ending.gpu && going.placed == ending.placed);
        match ending.at {
            None => runs,
            Some(at) if runs => situation.now <= at + ending.tolerance,
            Some(at) => situation.now.abs_diff(at) <= ending.tolerance,
        }
    })
}

fn endings(situation: &Situation<'_>) -> Vec<Ending> {
    let running = situation.running.iter();
    let ending = |going: &Going| Ending {
        gpu: going.gpu,
        placed: going.placed,
        at: going
            .expected
            .map(|expected| (situation.now + expected).saturating_sub(going.ran)),
        tolerance: going.expected.unwrap_or_default() / TOLERANCE,
    };
    running.map(ending).collect()
}

/// What is left of a plan, where it places all jobs in view.
fn sequence(kept: &Kept, view: &View, situation: &Situation<'_>) -> Option<Sequence> {
    let mut sequence = Sequence {
        order: Vec::new(),
        way: vec![0; view.batch.len()],
    };
    for stage in &kept.steps {
        let Some(job) = situation.queue.iter().position(|job| job.job == stage.job) else {
            continue;
        };
        let place = view.ground.place_of(stage.gpu, stage.placed)?;
        let ways = view.batch.ways.get(job)?;
        *sequence.way.get_mut(job)? = ways.iter().position(|way| way.place == place)?;
        sequence.order.push(job);
    }
    (sequence.order.len() == view.batch.len()).then_some(sequence)
}

impl<P: Planner> Policy for Planned<P> {
    fn choose(&self, fitting: &[ProfileName], whole: ProfileName) -> Vec<ProfileName> {
        self.planner.choose(fitting, whole)
    }

    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let before = self.kept.take();
        let kept = match before {
            Some(kept) if self.holds(&kept, situation) => Some(kept),
            before => self.plan(situation, before.as_ref()),
        };
        let Some(mut kept) = kept else {
            return Ok(Step::Wait(
                "this many GPUs cannot be planned for".to_owned(),
            ));
        };
        kept.running = endings(situation);
        let step = follow(&mut kept, situation)?;
        *self.kept.borrow_mut() = Some(kept);
        Ok(step)
    }
}

/// The first step of the plan that can be taken.
fn follow(kept: &mut Kept, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
    let mut claimed: Vec<(usize, u32)> = Vec::new();
    let mut waits = None;
    let mut short = None;
    for at in 0..kept.steps.len() {
        let stage = kept.steps[at];
        let Some(position) = situation.queue.iter().position(|job| job.job == stage.job) else {
            continue;
        };
        let mask = stage.placed.placement.mask();
        let promised = claimed
            .iter()
            .any(|&(gpu, other)| gpu == stage.gpu && other & mask != 0);
        claimed.push((stage.gpu, mask));
        if promised {
            continue;
        }
        let held = situation.gpus.get(stage.gpu).map_or(&[][..], Vec::as_slice);
        match place_at(situation.graph, held, stage.placed) {
            Ok(decision) => {
                if let Some(shortage) = situation.host.lacks(&situation.queue[position]) {
                    short.get_or_insert(shortage);
                    continue;
                }
                kept.steps.remove(at);
                return Ok(Step::Start(Start {
                    position,
                    gpu: stage.gpu,
                    reason: format!("{}; {}", kept.about, decision.reason),
                    decision,
                }));
            }
            Err(occupied @ NoPlacement::Occupied { .. }) => {
                waits.get_or_insert_with(|| format!("planned next: {occupied}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(match short {
        Some(shortage) => Step::WaitForHost(shortage),
        None => Step::Wait(waits.unwrap_or_else(|| "the plan has no place for it".to_owned())),
    })
}
