//! Why nothing could be simulated.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::jobs::JobFileError;
use crate::policy::names::{PolicyError, PolicyName};
use crate::run::need::TooLarge;
use crate::simulate::schedule::Schedule;
use crate::sizing::measured::ForeignTimes;
use migfit_mig::ProfileName;

/// Jobs that are listed; more are counted.
const LISTED: usize = 10;

/// Why nothing could be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The job file.
    #[error(transparent)]
    JobFile(#[from] JobFileError),
    /// The times in it.
    #[error(transparent)]
    Times(#[from] Box<ForeignTimes>),
    /// Jobs without a time where one is needed.
    #[error(
        "{} of {} no measured time to simulate policy {policy} with",
        jobs.len(),
        if *of == 1 { "1 job has".to_owned() } else { format!("{of} jobs have") }
    )]
    Untimed {
        /// The policy.
        policy: String,
        /// Which jobs, and on which slice.
        jobs: Vec<Untimed>,
        /// Number of jobs.
        of: usize,
    },
    /// A job's stated memory is more than the largest slice has.
    #[error("{0}")]
    TooLarge(TooLarge),
    /// The layout graph cannot be made.
    #[error(transparent)]
    Graph(#[from] migfit_mig::graph::GraphError),
    /// A policy that was asked for.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A policy contradicts the layout graph.
    #[error(transparent)]
    Placement(#[from] migfit_mig::NoPlacement),
    /// A policy left a job waiting for ever.
    #[error("policy {policy} never starts job '{job}': {why}")]
    Stuck {
        /// The policy.
        policy: String,
        /// The job.
        job: String,
        /// Why.
        why: String,
    },
    /// The answer has no JSON form.
    #[error("cannot print the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The schedule, if every job began; `named` is what a job is called.
///
/// # Errors
/// When a job never began.
pub fn all_began(
    schedule: Schedule,
    policy: &PolicyName,
    named: impl Fn(usize) -> String,
) -> Result<Schedule, SimulateError> {
    match schedule.never.first() {
        None => Ok(schedule),
        Some((job, why)) => Err(SimulateError::Stuck {
            policy: policy.name(),
            job: named(*job),
            why: why.clone(),
        }),
    }
}

/// A job without a time where one is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untimed {
    /// The job.
    pub job: String,
    /// The slice that the policy would give it; none where it has no times at all.
    pub slice: Option<ProfileName>,
    /// Where the job file states it.
    pub stated_at: Option<String>,
}

impl Untimed {
    fn line(&self) -> String {
        let place = self.stated_at.as_deref().map(|place| format!(" ({place})"));
        let slice = self.slice.map(|slice| format!("no time for {slice}"));
        let lacks = slice.unwrap_or_else(|| "no times".to_owned());
        format!("{}: {lacks}{}", self.job, place.unwrap_or_default())
    }
}

impl Explain for SimulateError {
    fn place(&self) -> Option<String> {
        match self {
            SimulateError::JobFile(error) => error.place(),
            SimulateError::Times(error) => error.place(),
            SimulateError::Untimed { jobs, .. } => {
                let mut lines: Vec<String> = jobs.iter().take(LISTED).map(Untimed::line).collect();
                if jobs.len() > LISTED {
                    lines.push(format!("and {} more", jobs.len() - LISTED));
                }
                Some(lines.join("\n"))
            }
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            SimulateError::JobFile(error) => return error.hint(),
            SimulateError::Times(error) => return error.hint(),
            SimulateError::Policy(error) => return error.hint(),
            SimulateError::Untimed { jobs, .. } => {
                let slice = jobs.first().and_then(|job| job.slice);
                let slice = slice.unwrap_or(ProfileName::plain(1, 5));
                format!(
                    "add the seconds that a run takes on each slice that holds it: times = {{ \"{slice}\" = 12.5 }}; \
                     migfit run --plan does without"
                )
            }
            SimulateError::TooLarge(_) => "take a larger GPU: --gpu MODEL".to_owned(),
            SimulateError::Graph(_)
            | SimulateError::Placement(_)
            | SimulateError::Stuck { .. }
            | SimulateError::Json(_) => "please report this, with the job file".to_owned(),
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            SimulateError::JobFile(error) => error.exit_code(),
            SimulateError::Times(error) => error.exit_code(),
            SimulateError::Policy(error) => error.exit_code(),
            SimulateError::Untimed { .. } => ExitCode::BadJobFile,
            SimulateError::TooLarge(_) => ExitCode::TooLarge,
            SimulateError::Graph(_) | SimulateError::Placement(_) | SimulateError::Stuck { .. } => {
                ExitCode::GpuFailed
            }
            SimulateError::Json(_) => ExitCode::CannotWrite,
        }
    }
}
