//! Steps and processor time that an evaluation may take. The clock is looked at now and then only.

use super::host::End;
use crate::input::Limits;
use cpu_time::ThreadTime;
use std::time::Duration;

/// Steps between two looks at the clock: well under a millisecond, and a thousand times what a look costs.
const BETWEEN: u64 = 16_384;

/// What is left of an evaluation's limits.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    steps: u64,
    time: Duration,
    begun: ThreadTime,
}

impl Patience {
    /// All of it, from now on.
    pub fn new(limits: &Limits) -> Patience {
        Patience {
            steps: limits.steps,
            time: limits.time,
            begun: ThreadTime::now(),
        }
    }

    /// The step at which to ask again, or the end where either is used up.
    #[cold]
    pub fn ask(&self, steps: u64) -> Result<u64, End> {
        let reason = if steps > self.steps {
            format!("it took more than {} steps (--step-limit)", self.steps)
        } else if self.begun.elapsed() > self.time {
            let seconds = self.time.as_secs_f64();
            format!("it took more than {seconds} s of processor time (--time-limit)")
        } else {
            return Ok(steps.saturating_add(BETWEEN).min(self.steps));
        };
        Err(End::Stopped {
            what: "evaluation".to_owned(),
            reason,
        })
    }
}
