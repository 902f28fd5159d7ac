//! The story of `migfit run --plan`: read the jobs, foretell each, let the policy place them all, tell it.

use crate::cli::request::PlanRequest;
use crate::gpu::virtual_gpu;
use crate::jobs::{Commands, source};
use crate::plan::{json, made, needs, text};
use crate::run::{RunError, host};
use migfit_mig::LayoutGraph;

/// The plan as text or JSON.
///
/// # Errors
/// As `migfit run` has them before it starts anything, but for programs that are not there.
pub fn plan(request: &PlanRequest) -> Result<String, RunError> {
    let board = request.board;
    if board.is_virtual && !virtual_gpu::can_be(board.model) {
        return Err(RunError::TooLittleKnown(board.model.name.clone()));
    }
    let jobs = source::read(&request.jobs, Commands::Optional)?;
    let graph = LayoutGraph::new(board.model, &board.model.plain_profiles())?;
    let policy = request.policy.policy(&graph)?;
    let jobs = needs::needs(jobs, board, policy.as_ref())?;
    let host = request.host.over(host::room());
    let plan = made::make(jobs, board, request.policy.clone(), host)?;
    match request.json {
        true => Ok(json::json(&plan)?),
        false => Ok(text::text(&plan)),
    }
}
