//! Branches that are kept because they decide whether something kept runs, or which value a phi takes.

use super::keeper::Keeper;
use crate::slice::choice::Choice;
use migfit_schema::program::{BlockId, FunctionId, Phi, Terminator};

impl Keeper<'_> {
    /// Keeps a phi, its values and the branches that decide between them.
    pub(super) fn phi(&mut self, function: FunctionId, block: BlockId, phi: &Phi) {
        self.kept.phis.insert((function, phi.dst));
        let incoming: Vec<BlockId> = phi.incoming.iter().map(|(from, _)| *from).collect();
        for (_, value) in &phi.incoming {
            self.need(function, *value);
        }
        let graphs = self.known.graphs;
        for from in &incoming {
            if graphs.flow(function).reaches(block, *from) {
                self.back_edge(function, *from);
            }
        }
        let choice = Choice { block, incoming };
        for branch in choice.deciders(graphs.flow(function), graphs.control(function)) {
            self.branch(function, branch);
        }
    }

    /// What decides whether a loop goes round again decides the value that its head carries.
    fn back_edge(&mut self, function: FunctionId, from: BlockId) {
        if self.known.graphs.control(function).ways(from).len() > 1 {
            self.branch(function, from);
        }
        self.control(function, from);
    }

    /// Keeps the branches that decide whether a block runs.
    pub(super) fn control(&mut self, function: FunctionId, block: BlockId) {
        let graphs = self.known.graphs;
        for branch in graphs.control(function).controllers(block) {
            self.branch(function, *branch);
        }
    }

    /// Keeps a branch, and those that decide whether it is come to.
    pub(super) fn branch(&mut self, function: FunctionId, block: BlockId) {
        let mut waiting = vec![block];
        while let Some(block) = waiting.pop() {
            if !self.kept.branches.insert((function, block)) {
                continue;
            }
            let body = self.known.program.functions.get(function as usize);
            if self.hangs_on_device(function, block) {
                self.kept.unknown_branches.insert((function, block));
                waiting.extend(self.known.graphs.control(function).controllers(block));
                continue;
            }
            match body
                .and_then(|body| body.blocks.get(block as usize))
                .map(|found| &found.end)
            {
                Some(Terminator::Branch { condition, .. }) => self.need(function, *condition),
                Some(Terminator::Switch { value, .. }) => self.need(function, *value),
                _ => {}
            }
            waiting.extend(self.known.graphs.control(function).controllers(block));
        }
    }

    /// A jump over dropped blocks must not enter a block whose kept phi does not know where it comes from.
    /// Says whether a branch had to be kept for that.
    pub(super) fn repair(&mut self) -> bool {
        let mut missing = Vec::new();
        for (function, body) in (0u32..).zip(&self.known.program.functions) {
            let control = self.known.graphs.control(function);
            for (block, _) in (0u32..).zip(&body.blocks) {
                let dropped = control.ways(block).len() > 1
                    && !self.kept.branches.contains(&(function, block));
                if dropped && self.join_has_foreign_phi(function, block) {
                    missing.push((function, block));
                }
            }
        }
        for (function, block) in &missing {
            self.branch(*function, *block);
        }
        !missing.is_empty()
    }

    fn join_has_foreign_phi(&self, function: FunctionId, block: BlockId) -> bool {
        let joined = || {
            let join = self.known.graphs.control(function).join(block)?;
            let body = self.known.program.functions.get(function as usize)?;
            body.blocks.get(join as usize)
        };
        let phis = joined().map_or(&[][..], |join| join.phis.as_slice());
        let mut kept = phis
            .iter()
            .filter(|phi| self.kept.phis.contains(&(function, phi.dst)));
        kept.any(|phi| phi.incoming.iter().all(|(from, _)| *from != block))
    }
}
