//! The user named the slice: there is no other, and nothing to choose.

use crate::policy::fifo::Fifo;
use crate::policy::{Policy, Situation, Step};
use migfit_mig::NoPlacement;

/// One job on the slice that the user named.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named;

impl Policy for Named {
    fn next(&self, situation: &Situation<'_>) -> Result<Step, NoPlacement> {
        let mut step = Fifo.next(situation)?;
        if let Step::Start(start) = &mut step {
            "on the slice that --slice names".clone_into(&mut start.reason);
        }
        Ok(step)
    }
}
