//! What became of one job: how it ended, what was seen, and the sentence that the report gives as its reason.

use crate::run::record::Seen;
use migfit_mig::Placed;
use migfit_schema::units::Bytes;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// NVML's and CUDA's code of "out of memory" in a run record.
const OUT_OF_MEMORY: u64 = 2;

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It never started; why.
    NotStarted(String),
}

impl Ending {
    /// How a process ended.
    pub fn of(status: &std::io::Result<ExitStatus>) -> Ending {
        match status {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => Ending::Exit(code),
                (None, signal) => Ending::Signal(signal.unwrap_or(0)),
            },
            Err(error) => Ending::NotStarted(format!("its end was not seen: {error}")),
        }
    }

    /// As a shell tells it; none when it never ran.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Ending::Exit(code) => Some(*code),
            Ending::Signal(signal) => Some(128 + signal),
            Ending::NotStarted(_) => None,
        }
    }

    /// Whether the job did what it should.
    pub fn is_success(&self) -> bool {
        *self == Ending::Exit(0)
    }
}

/// What became of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Its slice, where it had one.
    pub placed: Option<Placed>,
    /// Why that slice.
    pub placing: String,
    /// Submit to start.
    pub wait: Option<Duration>,
    /// Start to end.
    pub run: Option<Duration>,
    /// What the runtime saw.
    pub seen: Seen,
    /// What the program's own check said.
    pub own_check: Option<bool>,
    /// Whether its launches were seen to be executed, so that its own check means something.
    pub executed: bool,
    /// Name of the signal on which migfit stopped it.
    pub stopped_by: Option<&'static str>,
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

impl Outcome {
    /// A job that never started.
    pub fn not_started(why: impl Into<String>) -> Outcome {
        Outcome {
            ending: Ending::NotStarted(why.into()),
            placed: None,
            placing: String::new(),
            wait: None,
            run: None,
            seen: Seen::default(),
            own_check: None,
            executed: false,
            stopped_by: None,
        }
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
        let how = match &self.ending {
            Ending::NotStarted(why) => return Some(format!("not started: {why}")),
            Ending::Exit(code) => format!("exit code {code}"),
            Ending::Signal(signal) => {
                let name =
                    signal_hook::low_level::signal_name(*signal).unwrap_or("an unnamed signal");
                format!("killed by {name}")
            }
        };
        if let Some(signal) = self.stopped_by {
            return Some(format!("stopped: migfit got {signal}"));
        }
        Some(match (self.out_of_memory(), self.own_check) {
            (Some(proof), _) => format!("{proof} ({how})"),
            (None, Some(false)) if self.seen.not_executed > 0 => {
                format!("{how}: its own check failed, as it must where kernels are not executed")
            }
            (None, Some(false)) => format!("{how}: its own check failed"),
            (None, _) => how,
        })
    }

    fn out_of_memory(&self) -> Option<String> {
        let failed = self
            .seen
            .out_of_memory
            .as_ref()
            .filter(|failed| failed.code == OUT_OF_MEMORY)?;
        let (asked, used) = (Bytes(failed.requested), Bytes(failed.current));
        Some(format!(
            "out of device memory: asked for {asked} with {used} in use: proved by the run record"
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

    /// The reason in the report: why it failed, which launches are missing, then why it was placed so, then what the
    /// record lacks.
    pub fn reason(&self, foretold: &str, launches: u64) -> String {
        let mut parts: Vec<String> = self.failure().into_iter().collect();
        parts.extend(self.missing(launches).map(|missing| missing.to_string()));
        parts.extend(Some(foretold.to_owned()).filter(|text| !text.is_empty()));
        parts.extend(Some(self.placing.clone()).filter(|text| !text.is_empty()));
        if self.seen.processes > 1 {
            parts.push(format!(
                "seen peak: the largest of {} processes",
                self.seen.processes
            ));
        }
        parts.extend(self.seen.troubles.iter().cloned());
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::record::Failure;

    fn ended(ending: Ending) -> Outcome {
        Outcome {
            ending,
            ..Outcome::not_started("")
        }
    }

    #[test]
    fn a_failed_allocation_proves_out_of_memory() {
        let mut outcome = ended(Ending::Signal(6));
        outcome.seen.out_of_memory = Some(Failure {
            requested: 1 << 30,
            current: 4 << 30,
            code: 2,
        });
        assert_eq!(
            outcome.failure().unwrap(),
            "out of device memory: asked for 1.00 GiB with 4.00 GiB in use: proved by the run record (killed by SIGABRT)"
        );
        assert_eq!(outcome.ending.exit_code(), Some(134));
    }

    #[test]
    fn a_check_of_kernels_that_did_not_run_means_nothing_and_says_so() {
        let mut outcome = ended(Ending::Exit(3));
        outcome.own_check = Some(false);
        outcome.seen.not_executed = 5;
        assert_eq!(
            outcome.failure().unwrap(),
            "exit code 3: its own check failed, as it must where kernels are not executed"
        );
        assert_eq!(outcome.verified(), None);
        outcome.seen.not_executed = 0;
        outcome.executed = true;
        assert_eq!(
            outcome.failure().unwrap(),
            "exit code 3: its own check failed"
        );
        assert_eq!(outcome.verified(), Some(false));
    }

    #[test]
    fn a_job_that_got_less_and_went_on_did_not_fail() {
        let mut outcome = ended(Ending::Exit(0));
        outcome.seen.out_of_memory = Some(Failure {
            requested: 1,
            current: 0,
            code: 2,
        });
        assert_eq!(outcome.failure(), None);
    }

    #[test]
    fn reasons_stand_in_order_of_weight() {
        let mut outcome = ended(Ending::Exit(3));
        outcome.placing = "created on free slices".to_owned();
        outcome.seen.processes = 2;
        assert_eq!(
            outcome.reason("3 MiB foretold", 0),
            "exit code 3; 3 MiB foretold; created on free slices; seen peak: the largest of 2 processes"
        );
        let absent = Outcome::not_started("no such file");
        assert_eq!(absent.reason("", 5), "not started: no such file");
        assert_eq!(absent.ending.exit_code(), None);
    }

    #[test]
    fn launches_that_did_not_come_about_are_told() {
        let mut outcome = ended(Ending::Exit(0));
        assert_eq!(outcome.missing(3), None, "nobody looked");
        outcome.seen.peak = Some(1);
        assert_eq!(outcome.reason("", 3), "3 launches foretold, none seen");
        assert_eq!(outcome.missing(0), None);
        outcome.seen.refused = 1;
        assert_eq!(
            outcome.reason("", 3),
            "1 launch was refused by the driver (CUDA said so to the program)"
        );
        outcome.seen.refused = 0;
        outcome.seen.accepted = 3;
        assert_eq!(outcome.missing(3), None);
    }
}
