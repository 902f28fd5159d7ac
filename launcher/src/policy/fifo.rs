//! Scheme B: jobs in order, each on its tightest slice, idle GPU instances fused or split on demand. The head of
//! the queue blocks those behind it.

use crate::policy::{Policy, Situation, Start, Step};
use migfit_mig::place::Change;
use migfit_mig::{Decision, NoPlacement, ProfileName, place};

/// Jobs in order, each on its tightest slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Policy for Fifo {
    fn choose(&self, fitting: &[ProfileName], _whole: ProfileName) -> Vec<ProfileName> {
        fitting.to_vec()
    }

    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let Some(head) = situation.queue.first() else {
            return Ok(Step::Wait("no job waits".to_owned()));
        };
        let Some(&wanted) = head.slices.first() else {
            return Ok(Step::Wait("no slice holds the job".to_owned()));
        };
        match place(situation.graph, situation.held, wanted) {
            Ok(decision) => Ok(match situation.host.lacks(head) {
                Some(shortage) => Step::WaitForHost(shortage),
                None => Step::Start(Start {
                    position: 0,
                    reason: format!("{}{}", named(&decision), decision.reason),
                    decision,
                }),
            }),
            Err(occupied @ NoPlacement::Occupied { .. }) => Ok(Step::Wait(occupied.to_string())),
            Err(error) => Err(error),
        }
    }
}

/// The field's word for what happens to the layout, where it has one.
fn named(decision: &Decision) -> &'static str {
    match decision.change() {
        Change::Fuse => "instance fusion: ",
        Change::Split => "instance fission: ",
        Change::None | Change::Create | Change::Replace => "",
    }
}
