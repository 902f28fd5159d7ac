//! One job at a time, each on the whole GPU: the baseline.

use crate::policy::{Policy, Situation, Start, Step};
use migfit_mig::{NoPlacement, ProfileName, place};

/// One job at a time, each on the whole GPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Policy for Sequential {
    fn choose(&self, _fitting: &[ProfileName], whole: ProfileName) -> Vec<ProfileName> {
        vec![whole]
    }

    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        if situation.running > 0 {
            return Ok(Step::Wait("one job at a time".to_owned()));
        }
        let wanted = situation.queue.first().and_then(|job| job.slices.first());
        let Some(&wanted) = wanted else {
            return Ok(Step::Wait("no job waits".to_owned()));
        };
        match place(situation.graph, situation.held, wanted) {
            Ok(decision) => Ok(Step::Start(Start {
                position: 0,
                reason: format!("one job at a time on the whole GPU; {}", decision.reason),
                decision,
            })),
            Err(occupied @ NoPlacement::Occupied { .. }) => Ok(Step::Wait(occupied.to_string())),
            Err(error) => Err(error),
        }
    }
}
