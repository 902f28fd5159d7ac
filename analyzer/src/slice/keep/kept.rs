//! The answer: instructions, phis, branches, results, functions and globals that a slice keeps.

use crate::slice::keep::Unchecked;
use crate::slice::position::Position;
use migfit_schema::program::{BlockId, FunctionId, GlobalId, Reg};
use std::collections::HashSet;

/// What is kept.
#[derive(Default)]
pub struct Kept {
    /// Instructions kept as they are.
    pub ops: HashSet<Position>,
    /// CUDA calls of which only the status is needed: they become "success".
    pub statuses: HashSet<Position>,
    /// Phis.
    pub phis: HashSet<(FunctionId, Reg)>,
    /// Branches and switches.
    pub branches: HashSet<(FunctionId, BlockId)>,
    /// Of these, the ones that hang on what the device computes: what they ask is not kept.
    pub unknown_branches: HashSet<(FunctionId, BlockId)>,
    /// Results of functions.
    pub results: HashSet<(FunctionId, usize)>,
    /// Functions with an effect that is kept.
    pub active: HashSet<FunctionId>,
    /// Arguments of scanf and its relatives whose contents are needed: (call, index).
    pub destinations: HashSet<(Position, usize)>,
    /// Calls of which only matters that they happen: opaque ones and throws. Their arguments are not kept.
    pub bare: HashSet<Position>,
    /// Globals that something kept refers to.
    pub globals: HashSet<GlobalId>,
    /// Checks that are not kept.
    pub unchecked: Unchecked,
}
