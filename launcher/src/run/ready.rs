//! All jobs of a run, made ready before anything starts: program found, need foretold, slices chosen.

use crate::jobs::Job;
use crate::policy::Policy;
use crate::program::{self, ProgramError};
use crate::run::RunError;
use crate::run::need::{Foretold, foretell};
use crate::run::virtual_gpu_only::{Hindrance, hindrance};
use crate::run::word::check_word;
use crate::sizing::Board;
use migfit_mig::{Held, LayoutGraph, ProfileName, place};
use std::path::{Path, PathBuf};

/// A job that is ready to be placed.
#[derive(Debug)]
pub struct ReadyJob {
    /// As the user stated it.
    pub job: Job,
    /// Its program's file, or why it cannot start.
    pub program: Result<Program, CannotStart>,
}

/// Why a program cannot start here.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// It holds the static CUDA runtime, and the GPU is virtual.
    #[error(
        "the static CUDA runtime works on a real GPU only: build it with migfit build --virtual -- make"
    )]
    StaticRuntime(PathBuf),
    /// It needs libraries of NVIDIA's, and the GPU is virtual.
    #[error(
        "the virtual GPU cannot run {}: migfit fit sizes it, and a real GPU runs it",
        libraries.join(", ")
    )]
    ClosedLibraries {
        /// The program.
        program: PathBuf,
        /// Which.
        libraries: Vec<String>,
    },
}

impl CannotStart {
    fn of(program: &Path, hindrance: Hindrance) -> CannotStart {
        match hindrance {
            Hindrance::StaticRuntime(holder) => CannotStart::StaticRuntime(holder),
            Hindrance::ClosedLibraries(libraries) => CannotStart::ClosedLibraries {
                program: program.to_owned(),
                libraries,
            },
        }
    }
}

impl From<CannotStart> for RunError {
    fn from(why: CannotStart) -> RunError {
        match why {
            CannotStart::StaticRuntime(holder) => RunError::StaticRuntime(holder),
            CannotStart::ClosedLibraries { program, libraries } => {
                RunError::ClosedLibraries { program, libraries }
            }
        }
    }
}

/// Whether a program can run on the virtual GPU.
///
/// # Errors
/// Why not.
pub fn can_be_virtual(program: &Path, job: &Job) -> Result<(), CannotStart> {
    match hindrance(program, job) {
        Some(hindrance) => Err(CannotStart::of(program, hindrance)),
        None => Ok(()),
    }
}

/// A program that was found.
#[derive(Debug)]
pub struct Program {
    /// Its file, absolute.
    pub file: PathBuf,
    /// What is foretold.
    pub foretold: Foretold,
    /// MIG profiles that the policy would give it, the one to prefer first.
    pub slices: Vec<ProfileName>,
}

/// Where jobs are to be placed.
#[derive(Clone, Copy)]
pub struct Ground<'g> {
    /// The GPU.
    pub board: Board<'g>,
    /// Its layout graph.
    pub graph: &'g LayoutGraph,
    /// GPU instances of others.
    pub others: &'g [Held],
    /// Who goes where.
    pub policy: &'g dyn Policy,
    /// State file of a virtual GPU.
    pub state: Option<&'g Path>,
    /// Whether the board is the one slice that `--slice` names.
    pub slice_is_named: bool,
}

/// Makes all jobs ready.
///
/// # Errors
/// When a job's program is not there or may not be executed, when a job is too large for every slice, or has no place beside the GPU instances of others.
pub fn make_ready(jobs: Vec<Job>, ground: Ground<'_>) -> Result<Vec<ReadyJob>, RunError> {
    let of = jobs.len();
    let mut ready = Vec::new();
    let mut too_large = Vec::new();
    for job in jobs {
        let search = job.variable("PATH");
        let found = program::find(&job.program(), &job.cwd, search.as_deref())
            .and_then(program::startable)
            .map_err(|error| not_startable(&job, error))?;
        let file = std::path::absolute(&found).unwrap_or(found);
        check_word(&job, &file)?;
        let able = match ground.board.is_virtual {
            true => can_be_virtual(&file, &job),
            false => Ok(()),
        };
        let program = if let Err(why) = able {
            Err(why)
        } else {
            match foretell(ground.board, &job, Ok(&file), ground.policy) {
                Ok(foretold) => Ok(placeable(&job, file, foretold, ground)?),
                Err(larger) => {
                    too_large.push(match ground.slice_is_named {
                        true => larger.of_the_named(),
                        false => larger,
                    });
                    continue;
                }
            }
        };
        ready.push(ReadyJob { job, program });
    }
    match too_large.is_empty() {
        true => Ok(ready),
        false => Err(RunError::TooLarge {
            too_large,
            of,
            slice_is_named: ground.slice_is_named,
        }),
    }
}

fn not_startable(job: &Job, error: ProgramError) -> RunError {
    match &job.stated_at {
        None => error.into(),
        Some(stated_at) => RunError::JobProgram {
            job: job.name.clone(),
            stated_at: stated_at.clone(),
            error,
        },
    }
}

/// Leaves out what could never be placed beside the GPU instances of others.
fn placeable(
    job: &Job,
    file: PathBuf,
    foretold: Foretold,
    ground: Ground<'_>,
) -> Result<Program, RunError> {
    let Ground { graph, others, .. } = ground;
    let whole = graph.model().whole().map(|profile| profile.name);
    let wanted = whole.map_or_else(Vec::new, |whole| {
        ground.policy.choose(&foretold.fitting, whole)
    });
    let slices: Vec<ProfileName> = wanted
        .iter()
        .copied()
        .filter(|&slice| place(graph, others, slice).is_ok())
        .collect();
    if slices.is_empty() {
        return Err(RunError::NoSlice {
            job: job.name.clone(),
            wanted: joined(&wanted),
            others: joined(&others.iter().map(|held| held.placed).collect::<Vec<_>>()),
            state: ground.state.map(Path::to_owned),
            is_unknown: foretold.needs.is_none() && job.times.is_empty(),
        });
    }
    Ok(Program {
        file,
        foretold,
        slices,
    })
}

fn joined<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(" ")
}
