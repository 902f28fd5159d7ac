//! Checks that are not kept, though the program gives up where they fail: an answer that goes on past one has to say
//! so. Which they are, and by which function they are reached.

use super::keeper::Keeper;
use crate::slice::eventful::Eventful;
use crate::slice::position::Position;
use migfit_schema::program::{BlockId, FunctionId, Place};
use std::collections::{HashMap, HashSet};

/// A place where the program may give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Where the check itself stands.
    pub place: Place,
    /// Whether it certainly asks for what the device computed.
    pub on_device: bool,
}

/// Checks of a program that are not kept.
#[derive(Default)]
pub struct Unchecked {
    /// At the end of these blocks.
    pub branches: HashMap<(FunctionId, BlockId), Check>,
    /// In functions that these calls, which are not kept, lead to.
    pub calls: HashMap<Position, Check>,
}

impl Unchecked {
    /// Whether the host's own work decides one of them.
    pub fn on_host(&self) -> bool {
        let mut all = self.branches.values().chain(self.calls.values());
        all.any(|check| !check.on_device)
    }
}

impl Keeper<'_> {
    /// Checks, of those after which device memory may be taken or a kernel launched, that are not kept.
    pub(super) fn unchecked(&self, eventful: &Eventful) -> Unchecked {
        let checks = self.checks(eventful);
        let mut unchecked = Unchecked::default();
        for (at, check) in &checks {
            if !self.kept.branches.contains(at) {
                unchecked.branches.insert(*at, *check);
            }
        }
        for (at, check) in self.calls_to(&checks) {
            if !self.kept.ops.contains(&at) {
                unchecked.calls.insert(at, check);
            }
        }
        unchecked
    }

    /// Keeps the checks that the host's own work decides, with that work.
    pub(super) fn keep_checks(&mut self, eventful: &Eventful) {
        for ((function, block), check) in self.checks(eventful) {
            if !check.on_device {
                self.branch(function, block);
                self.activate(function);
            }
        }
    }

    /// Branches of which one way only leads to a failing exit, in order.
    fn checks(&self, eventful: &Eventful) -> Vec<((FunctionId, BlockId), Check)> {
        let known = &self.known;
        let followed = eventful.followed(known.program, known.graphs, known.calls);
        let mut found = Vec::new();
        for (function, body) in (0u32..).zip(&known.program.functions) {
            let (flow, control) = (known.graphs.flow(function), known.graphs.control(function));
            for (block, contents) in (0u32..).zip(&body.blocks) {
                let ways = control.ways(block).len();
                let fails = control.is_live(block) && ways > 0 && flow.after(block).len() > ways;
                let matters = || {
                    followed.contains(&function)
                        || (0u32..).zip(&body.blocks).any(|(later, _)| {
                            flow.reaches(block, later) && eventful.block(function, later)
                        })
                };
                if fails && matters() && !self.asks_for_success(function, block) {
                    let check = Check {
                        place: contents.end_place,
                        on_device: self.hangs_on_device(function, block),
                    };
                    found.push(((function, block), check));
                }
            }
        }
        found
    }

    /// Calls, in blocks that may end well, of functions that may come to a check; each with the first that is found.
    fn calls_to(&self, checks: &[((FunctionId, BlockId), Check)]) -> Vec<(Position, Check)> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting: Vec<(FunctionId, Check)> = checks
            .iter()
            .rev()
            .map(|((function, _), check)| (*function, *check))
            .collect();
        while let Some((function, check)) = waiting.pop() {
            if !seen.insert(function) {
                continue;
            }
            for at in self.known.calls.sites(function) {
                if self.known.graphs.control(at.function).is_live(at.block) {
                    found.push((*at, check));
                    waiting.push((at.function, check));
                }
            }
        }
        found
    }
}
