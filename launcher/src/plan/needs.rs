//! Jobs and a board -> what each is foretold to need and the slices that the policy would give it, as `migfit run` finds
//! them; but a program that is not there is told instead of refused, since nothing is started.

use crate::jobs::Job;
use crate::policy::{Policy, Share};
use crate::program;
use crate::run::RunError;
use crate::run::need::{Foretold, foretell};
use crate::run::ready::can_be_virtual;
use crate::run::word::check_word;
use crate::simulate::costs::expected;
use crate::simulate::schedule::Entrant;
use crate::sizing::{Board, measured};
use migfit_mig::ProfileName;
use std::path::PathBuf;
use std::time::Duration;

/// A job of a plan.
#[derive(Debug)]
pub struct PlannedJob {
    /// As the user states it.
    pub job: Job,
    /// Why `migfit run` would not start its program; none where it would.
    pub hindrance: Option<Hindrance>,
    /// What is foretold.
    pub foretold: Foretold,
    /// MIG profiles that the policy would give it, the one to prefer first.
    pub slices: Vec<ProfileName>,
}

/// Why `migfit run` would not start a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// It has no command, only times.
    NoCommand,
    /// Its program is not there, or is none: the run would not begin.
    NoProgram(String),
    /// It does not run on the virtual GPU: the run would pass it over.
    NotHere(String),
}

/// Foretells all jobs.
///
/// # Errors
/// When a job is too large for every slice, or has times of MIG profiles that the GPU lacks.
pub fn needs(
    jobs: Vec<Job>,
    board: Board<'_>,
    policy: &dyn Policy,
) -> Result<Vec<PlannedJob>, RunError> {
    measured::check(board.model, &jobs)?;
    let of = jobs.len();
    let mut planned = Vec::new();
    let mut too_large = Vec::new();
    for job in jobs {
        let program = find(&job);
        let hindrance = hindrance(&job, &program, board);
        if let Ok(file) = &program {
            check_word(&job, file)?;
        }
        let file = program.as_deref().map_err(String::as_str);
        match foretell(board, &job, file, policy) {
            Ok(foretold) => planned.push(PlannedJob {
                hindrance,
                slices: chosen(&foretold.fitting, board, policy),
                foretold,
                job,
            }),
            Err(larger) => too_large.push(larger),
        }
    }
    match too_large.is_empty() {
        true => Ok(planned),
        false => Err(RunError::TooLarge {
            too_large,
            of,
            slice_is_named: false,
        }),
    }
}

/// The file of a job's program, or why there is none.
fn find(job: &Job) -> Result<PathBuf, String> {
    if job.command.is_empty() {
        return Err("it has no command".to_owned());
    }
    let search = job.variable("PATH");
    let found = program::find(&job.program(), &job.cwd, search.as_deref());
    let found = found.and_then(program::startable);
    let file = found.map_err(|error| error.to_string())?;
    Ok(std::path::absolute(&file).unwrap_or(file))
}

fn hindrance(job: &Job, program: &Result<PathBuf, String>, board: Board<'_>) -> Option<Hindrance> {
    match program {
        Err(_) if job.command.is_empty() => Some(Hindrance::NoCommand),
        Err(why) => Some(Hindrance::NoProgram(why.clone())),
        Ok(file) if board.is_virtual => {
            let able = can_be_virtual(file, job);
            able.err().map(|why| Hindrance::NotHere(why.to_string()))
        }
        Ok(_) => None,
    }
}

fn chosen(fitting: &[ProfileName], board: Board<'_>, policy: &dyn Policy) -> Vec<ProfileName> {
    let whole = board.model.whole().map(|whole| whole.name);
    whole.map_or_else(Vec::new, |whole| policy.choose(fitting, whole))
}

impl PlannedJob {
    /// The job as it takes part in a schedule.
    #[must_use]
    pub fn entrant(&self) -> Entrant {
        let slices = match &self.hindrance {
            Some(Hindrance::NotHere(why)) => Err(why.clone()),
            Some(Hindrance::NoCommand | Hindrance::NoProgram(_)) | None => Ok(self.slices.clone()),
        };
        Entrant {
            slices,
            after: self.job.after.clone(),
            share: Share {
                cpus: self.job.cpus,
                memory: self.job.host_memory.unwrap_or_default(),
            },
            arrives: Duration::ZERO,
            times: expected(&self.job),
            foretold: false,
        }
    }

    /// Whether its run time is known on every slice that it may be given, where it is given one.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        let timed = |slice: &ProfileName| self.job.times.contains_key(slice);
        matches!(self.hindrance, Some(Hindrance::NotHere(_))) || self.slices.iter().all(timed)
    }
}
