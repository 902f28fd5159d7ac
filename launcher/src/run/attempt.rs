//! One start of a job: where, how it ended, what was seen, and what migfit made of it.

use crate::run::ending::{Ending, Stopped};
use crate::run::folder::JobFolder;
use crate::run::record::{Lack, Seen};
use migfit_mig::Placed;
use migfit_schema::units::Mib;
use signal_hook::consts::SIGKILL;
use std::fmt;
use std::time::Duration;

/// One start of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// How it ended.
    pub ending: Ending,
    /// Its slice.
    pub placed: Placed,
    /// Why that slice.
    pub placing: String,
    /// Start of the batch to start.
    pub wait: Duration,
    /// Start to end.
    pub run: Duration,
    /// What the runtime saw.
    pub seen: Seen,
    /// What the program's own check said.
    pub own_check: Option<bool>,
    /// Whether its launches were seen to be executed, so that its own check means something.
    pub executed: bool,
    /// Why migfit stopped it, where it did.
    pub stopped: Option<Stopped>,
    /// What followed from a lack of device memory: why it was started again, or why not.
    pub then: Option<String>,
    /// What the next attempt is to need, its CUDA context included, where there is one.
    pub next_needs: Option<Mib>,
    /// What it left: output and run records.
    pub files: JobFolder,
}

/// Launches of a job that did not come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The driver refused so many.
    Refused(u64),
    /// So many were foretold, and none was seen.
    Unseen(u64),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64| if count == 1 { "" } else { "es" };
        match *self {
            Missing::Refused(count) => write!(
                f,
                "{count} launch{} {} refused by the driver (CUDA said so to the program)",
                plural(count),
                if count == 1 { "was" } else { "were" }
            ),
            Missing::Unseen(count) => {
                write!(f, "{count} launch{} foretold, none seen", plural(count))
            }
        }
    }
}

impl Attempt {
    /// Its first failed allocation.
    pub fn lack(&self) -> Option<&Lack> {
        self.seen.lacks.first()
    }

    /// The program's own check, where it means something.
    pub fn verified(&self) -> Option<bool> {
        self.own_check.filter(|_| self.executed)
    }

    /// Why it failed; none where it did not.
    pub fn failure(&self) -> Option<String> {
        if self.ending.is_success() {
            return None;
        }
        let how = &self.ending;
        Some(match (self.stopped, self.lack(), self.own_check) {
            (Some(stopped), ..) if *how == Ending::Signal(SIGKILL) => {
                format!("{stopped}; it did not end on SIGTERM and was killed")
            }
            (Some(stopped), ..) => stopped.to_string(),
            (None, Some(lack), _) => {
                format!("out of device memory: {lack}: proved by the run record ({how})")
            }
            (None, None, Some(false)) if self.seen.not_executed > 0 => {
                format!("{how}: its own check failed, as it must where kernels are not executed")
            }
            (None, None, Some(false)) => format!("{how}: its own check failed"),
            (None, None, _) => how.to_string(),
        })
    }

    /// A failed allocation that the program made nothing of: its exit code does not tell.
    pub fn hidden_lack(&self) -> Option<String> {
        let lack = self.lack().filter(|_| self.ending.is_success())?;
        Some(format!(
            "an allocation failed ({lack}) and the program went on to exit code 0: not started again"
        ))
    }

    /// Launches that did not come about; `foretold` were to come.
    pub fn missing(&self, foretold: u64) -> Option<Missing> {
        let ended = matches!(self.ending, Ending::Exit(_)) && self.seen.peak.is_some();
        match (self.seen.refused, self.seen.accepted) {
            (0, 0) if ended && foretold > 0 => Some(Missing::Unseen(foretold)),
            (0, _) => None,
            (refused, _) => Some(Missing::Refused(refused)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use migfit_mig::Placement;
    use migfit_schema::units::Bytes;

    /// An attempt on 1g.5gb that ended so, of which nothing was seen.
    pub(crate) fn ended(ending: Ending) -> Attempt {
        Attempt {
            ending,
            placed: Placed {
                placement: Placement { start: 6, size: 1 },
                profile: "1g.5gb".parse().unwrap(),
            },
            placing: String::new(),
            wait: Duration::ZERO,
            run: Duration::ZERO,
            seen: Seen::default(),
            own_check: None,
            executed: false,
            stopped: None,
            then: None,
            next_needs: None,
            files: JobFolder::below(std::path::Path::new("/run/jobs/a")),
        }
    }

    /// Asked for so many MiB with so many in use.
    pub(crate) fn lack(requested: u64, in_use: u64) -> Lack {
        Lack {
            requested: Bytes(requested << 20),
            in_use: Bytes(in_use << 20),
            would_have: Bytes((requested + in_use) << 20),
        }
    }

    #[test]
    fn a_failed_allocation_proves_out_of_memory() {
        let mut attempt = ended(Ending::Signal(6));
        attempt.seen.lacks = vec![lack(1 << 10, 4 << 10)];
        assert_eq!(
            attempt.failure().unwrap(),
            "out of device memory: asked for 1.00 GiB with 4.00 GiB in use: proved by the run record (killed by SIGABRT)"
        );
    }

    #[test]
    fn a_check_of_kernels_that_did_not_run_means_nothing_and_says_so() {
        let mut attempt = ended(Ending::Exit(3));
        attempt.own_check = Some(false);
        attempt.seen.not_executed = 5;
        assert_eq!(
            attempt.failure().unwrap(),
            "exit code 3: its own check failed, as it must where kernels are not executed"
        );
        assert_eq!(attempt.verified(), None);
        attempt.seen.not_executed = 0;
        attempt.executed = true;
        assert_eq!(
            attempt.failure().unwrap(),
            "exit code 3: its own check failed"
        );
        assert_eq!(attempt.verified(), Some(false));
    }

    #[test]
    fn a_job_that_got_less_and_went_on_did_not_fail_and_it_is_told() {
        let mut attempt = ended(Ending::Exit(0));
        assert_eq!(attempt.hidden_lack(), None);
        attempt.seen.lacks = vec![lack(5, 1)];
        assert_eq!(attempt.failure(), None);
        assert_eq!(
            attempt.hidden_lack().unwrap(),
            "an allocation failed (asked for 5.00 MiB with 1.00 MiB in use) and the program went on to exit code 0: \
             not started again"
        );
        attempt.ending = Ending::Exit(1);
        assert_eq!(attempt.hidden_lack(), None, "that is a failure");
    }

    #[test]
    fn what_migfit_stopped_did_not_run_out_by_itself() {
        let mut attempt = ended(Ending::Signal(15));
        attempt.seen.lacks = vec![lack(5, 1)];
        attempt.stopped = Some(Stopped::TimeLimit(Duration::from_secs(90)));
        assert_eq!(attempt.failure().unwrap(), "time limit of 90 s reached");
        attempt.stopped = Some(Stopped::Told("SIGINT"));
        assert_eq!(attempt.failure().unwrap(), "stopped: migfit got SIGINT");
        attempt.ending = Ending::Signal(9);
        assert_eq!(
            attempt.failure().unwrap(),
            "stopped: migfit got SIGINT; it did not end on SIGTERM and was killed"
        );
    }

    #[test]
    fn launches_that_did_not_come_about_are_told() {
        let mut attempt = ended(Ending::Exit(0));
        assert_eq!(attempt.missing(3), None, "nobody looked");
        attempt.seen.peak = Some(1);
        let told = |attempt: &Attempt| attempt.missing(3).map(|missing| missing.to_string());
        assert_eq!(told(&attempt).unwrap(), "3 launches foretold, none seen");
        assert_eq!(attempt.missing(0), None);
        attempt.seen.refused = 1;
        assert_eq!(
            told(&attempt).unwrap(),
            "1 launch was refused by the driver (CUDA said so to the program)"
        );
        attempt.seen.refused = 0;
        attempt.seen.accepted = 3;
        assert_eq!(told(&attempt), None);
    }
}
