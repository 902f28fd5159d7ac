//! Error checks that cost nothing: their conditions are made of what is kept already. They decide no size, but they
//! tell a command line that the program would refuse (a wrong argument, a file that is not there).

use super::keeper::Keeper;
use crate::slice::definitions::Definition;
use crate::slice::effects::{Returns, Use, effect};
use crate::slice::position::{Position, instruction, read};
use migfit_schema::program::{Block, BlockId, Callee, FunctionId, Op, Operand, Terminator, Type};
use std::collections::BTreeSet;

/// Conditions deeper than this are left alone.
const DEPTH: usize = 16;

impl Keeper<'_> {
    /// Keeps the checks of every function in which something is kept.
    pub(super) fn cheap_checks(&mut self) {
        let program = self.known.program;
        let mut found = Vec::new();
        for (function, body) in (0u32..).zip(&program.functions) {
            if !self.kept.active.contains(&function) {
                continue;
            }
            for (block, contents) in (0u32..).zip(&body.blocks) {
                let decides = matches!(
                    contents.end,
                    Terminator::Branch { .. } | Terminator::Switch { .. }
                );
                if decides
                    && self.is_check(function, block)
                    && self.has_cheap_condition(function, block)
                {
                    found.push((function, block));
                }
            }
        }
        for (function, block) in found {
            self.branch(function, block);
        }
    }

    /// A branch with ways that may end well and others that fail, where control comes to anyway or by cheap decisions.
    fn is_check(&self, function: FunctionId, block: BlockId) -> bool {
        let graphs = self.known.graphs;
        let ways = graphs.control(function).ways(block).len();
        let fails = ways > 0 && graphs.flow(function).after(block).len() > ways;
        fails && self.is_decided_cheaply(function, block)
    }

    fn is_decided_cheaply(&self, function: FunctionId, block: BlockId) -> bool {
        let control = self.known.graphs.control(function);
        let mut seen: BTreeSet<BlockId> = control.controllers(block).iter().copied().collect();
        let mut waiting: Vec<BlockId> = seen.iter().copied().collect();
        while let Some(branch) = waiting.pop() {
            if self.kept.branches.contains(&(function, branch)) {
                continue;
            }
            if !self.is_seldom(function, branch) || !self.has_cheap_condition(function, branch) {
                return false;
            }
            let further = control.controllers(branch).iter().copied();
            waiting.extend(further.filter(|one| seen.insert(*one)));
        }
        true
    }

    /// Whether a branch is come to at most once for each word of the command line.
    fn is_seldom(&self, function: FunctionId, branch: BlockId) -> bool {
        let graphs = self.known.graphs;
        let heads = graphs.loops(function).around(branch);
        let mut over_words = heads
            .iter()
            .map(|head| self.is_loop_over_words(function, *head));
        !graphs.flow(function).reaches(branch, branch)
            || (!heads.is_empty() && over_words.all(|is| is))
    }

    fn has_cheap_condition(&self, function: FunctionId, block: BlockId) -> bool {
        let body = self.known.program.functions.get(function as usize);
        match body.and_then(|body| body.blocks.get(block as usize)) {
            Some(Block {
                end:
                    Terminator::Branch {
                        condition: decides, ..
                    }
                    | Terminator::Switch { value: decides, .. },
                ..
            }) => self.is_cheap(function, *decides, 0),
            _ => false,
        }
    }

    /// Whether a value is made of kept values by plain arithmetic.
    fn is_cheap(&self, function: FunctionId, value: Operand, depth: usize) -> bool {
        let Operand::Reg(register) = value else {
            return true;
        };
        if depth > DEPTH {
            return false;
        }
        match self.definitions.get(function, register) {
            Some(Definition::Op(at, op, _)) => self.is_cheap_op(at, op, depth),
            Some(Definition::Phi(block, _)) => {
                self.kept.phis.contains(&(function, register))
                    || (self.is_loop_over_words(function, block)
                        && self.counts_words(function, value))
            }
            Some(Definition::Parameter(_)) => self.known.program.main == Some(function),
            None => false,
        }
    }

    fn is_cheap_op(&self, at: Position, op: &Op, depth: usize) -> bool {
        match op {
            Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Copy { .. }
            | Op::Select { .. }
            | Op::Unary { .. }
            | Op::Offset { .. } => {
                let mut operands = read(op).into_iter();
                operands.all(|operand| self.is_cheap(at.function, operand, depth + 1))
            }
            Op::Load { address, .. } => {
                let known = !self.known.memory.reads(at).is_empty();
                known && self.is_cheap(at.function, *address, depth + 1) && self.is_filled(at)
            }
            Op::Call {
                callee: Callee::External(name),
                args,
                ..
            } => self.is_cheap_call(at, name, args, depth),
            _ => self.kept.ops.contains(&at),
        }
    }

    /// A call that is kept, or one that only makes a number of kept memory (atoi). The status of a CUDA call is
    /// success: a check of it tells nothing.
    fn is_cheap_call(
        &self,
        at: Position,
        name: &str,
        args: &[(Operand, Type)],
        depth: usize,
    ) -> bool {
        let Some(effect) = effect(name) else {
            return self.kept.ops.contains(&at);
        };
        let only_reads = |index: usize, value: Operand| match effect.of_argument(index) {
            Use::Value | Use::Reads => true,
            Use::Calls => false,
            Use::Writes | Use::Both | Use::StoresFirst | Use::StoresFresh => {
                value == Operand::Const(0)
            }
        };
        let mut all = args.iter().enumerate();
        let makes_number =
            effect.returns == Returns::Value && effect.state.is_none() && !effect.dropped;
        let pure = makes_number
            && self.is_filled(at)
            && all.all(|(index, (value, _))| {
                only_reads(index, *value) && self.is_cheap(at.function, *value, depth + 1)
            });
        // In a loop over a file's lines even a comparison is dear.
        let in_loop = self
            .known
            .graphs
            .flow(at.function)
            .reaches(at.block, at.block);
        let kept = !in_loop && self.kept.ops.contains(&at);
        pure || (effect.returns != Returns::Status && kept)
    }

    /// Whether everything that may write what an instruction reads is kept.
    fn is_filled(&self, at: Position) -> bool {
        let objects = self.known.memory.reads(at);
        let mut writers = objects
            .iter()
            .flat_map(|object| self.known.memory.writers(*object));
        writers.all(|writer| {
            !self.may_come_before(*writer, at) || self.kept_with_destinations(*writer, at)
        })
    }

    fn kept_with_destinations(&self, writer: Position, reader: Position) -> bool {
        let objects = self.known.memory.reads(reader);
        let Some(found) = instruction(self.known.program, writer) else {
            return false;
        };
        let written = objects
            .iter()
            .flat_map(|object| self.destinations_in(writer, &found.op, *object));
        let mut written = written.map(|index| self.kept.destinations.contains(&(writer, index)));
        self.kept.ops.contains(&writer) && written.all(|kept| kept)
    }
}
