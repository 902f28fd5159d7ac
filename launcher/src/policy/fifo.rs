//! Scheme B: jobs in order, each on its tightest slice, idle GPU instances fused or split on demand. The head of
//! the queue blocks those behind it.

use crate::policy::somewhere::somewhere;
use crate::policy::{Policy, Situation, Start, Step};
use migfit_mig::place::Change;
use migfit_mig::{Decision, NoPlacement};

/// Jobs in order, each on its tightest slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Policy for Fifo {
    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        match situation.queue.is_empty() {
            true => Ok(Step::Wait("no job waits".to_owned())),
            false => tightest(situation, 0),
        }
    }
}

/// The job at this position on its tightest slice, on whichever GPU has a place.
///
/// # Errors
/// When the situation contradicts itself.
pub fn tightest(situation: &Situation<'_>, position: usize) -> Result<Step, NoPlacement> {
    let job = situation.queue.get(position);
    let Some((job, &wanted)) = job.and_then(|job| Some((job, job.slices.first()?))) else {
        return Ok(Step::Wait("no slice holds the job".to_owned()));
    };
    Ok(match somewhere(situation, wanted)? {
        Err(why) => Step::Wait(why),
        Ok((gpu, decision)) => match situation.host.lacks(job) {
            Some(shortage) => Step::WaitForHost(shortage),
            None => Step::Start(Start {
                position,
                gpu,
                reason: format!("{}{}", named(&decision), decision.reason),
                decision,
            }),
        },
    })
}

/// The field's word for what happens to the layout, where it has one.
pub fn named(decision: &Decision) -> &'static str {
    match decision.change() {
        Change::Fuse => "instance fusion: ",
        Change::Split => "instance fission: ",
        Change::None | Change::Create | Change::Replace => "",
    }
}
