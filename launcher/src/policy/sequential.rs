//! One job at a time on each GPU, alone on it: the baseline.

use crate::policy::somewhere::somewhere;
use crate::policy::{Policy, Situation, Start, Step};
use migfit_mig::{NoPlacement, ProfileName};

/// One job at a time on each GPU, alone on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl Policy for Sequential {
    fn choose(&self, _fitting: &[ProfileName], whole: ProfileName) -> Vec<ProfileName> {
        vec![whole]
    }

    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        if situation.running.len() >= situation.gpus.len() {
            return Ok(Step::Wait("one job at a time".to_owned()));
        }
        let head = situation.queue.first();
        let Some((head, &wanted)) = head.and_then(|job| Some((job, job.slices.first()?))) else {
            return Ok(Step::Wait("no job waits".to_owned()));
        };
        Ok(match somewhere(situation, wanted)? {
            Err(why) => Step::Wait(why),
            Ok((gpu, decision)) => match situation.host.lacks(head) {
                // Nobody shares the host with it on one GPU: it was cut to what the host has.
                Some(shortage) => Step::WaitForHost(shortage),
                None => Step::Start(Start {
                    position: 0,
                    gpu,
                    reason: format!("one job at a time on the whole GPU; {}", decision.reason),
                    decision,
                }),
            },
        })
    }
}
