//! Foretold jobs -> a plan: the policy's own steps on a simulated clock. With measured times for all it has starts and
//! ends; without, it is an order, in which jobs end as they began.

use crate::cli::request::PolicyName;
use crate::plan::needs::PlannedJob;
use crate::policy::HostRoom;
use crate::run::RunError;
use crate::simulate::costs::{CREATION, run_time};
use crate::simulate::schedule::{self, Entrant, Ground, Schedule};
use crate::sizing::Board;
use migfit_mig::{LayoutGraph, ProfileName};
use std::time::Duration;

/// A plan.
#[derive(Debug)]
pub struct Plan<'p> {
    /// The GPU.
    pub board: Board<'p>,
    /// Who goes where.
    pub policy: PolicyName,
    /// What the host has.
    pub host: HostRoom,
    /// The jobs, in the order of the job file.
    pub jobs: Vec<PlannedJob>,
    /// Who goes where, in the order in which jobs begin.
    pub schedule: Schedule,
    /// Whether starts and ends are known; else only the order is.
    pub is_timed: bool,
}

/// Makes the plan.
///
/// # Errors
/// When the policy wants what the GPU does not have.
pub fn make<'p>(
    jobs: Vec<PlannedJob>,
    board: Board<'p>,
    policy: PolicyName,
    host: HostRoom,
) -> Result<Plan<'p>, RunError> {
    let graph = LayoutGraph::new(board.model, &board.model.plain_profiles())?;
    let entrants: Vec<Entrant> = jobs.iter().map(PlannedJob::entrant).collect();
    let is_timed = jobs.iter().all(PlannedJob::is_timed);
    // All as long as each other: the first to begin is the first to end.
    let equal = |_: usize, _: ProfileName| Duration::from_secs(1);
    let measured = |job: usize, slice| {
        let job = jobs.get(job).map(|planned| &planned.job);
        job.map_or(Duration::ZERO, |job| run_time(job, slice))
    };
    let steps = policy.policy(&graph)?;
    let ground = Ground {
        graph: &graph,
        gpus: 1,
        policy: steps.as_ref(),
        host,
        creation: if is_timed { CREATION } else { Duration::ZERO },
    };
    let schedule = match is_timed {
        true => schedule::play(&ground, &entrants, &measured)?,
        false => schedule::play(&ground, &entrants, &equal)?,
    };
    Ok(Plan {
        board,
        policy,
        host,
        jobs,
        schedule,
        is_timed,
    })
}
