//! Over calls: a kept result needs what the function returns, a kept parameter what the callers give, and a
//! function in which something is kept needs to be called.

use super::keeper::Keeper;
use crate::slice::effects::gives_status;
use crate::slice::points_to::returned;
use crate::slice::position::{Position, instruction};
use migfit_schema::program::{BlockId, Callee, FunctionId, Op, Reg, Terminator};

impl Keeper<'_> {
    /// Keeps an instruction for the value that it leaves in a register.
    pub(super) fn value(&mut self, at: Position, op: &Op, register: Reg) {
        match op {
            Op::Call {
                callee: Callee::External(name),
                ..
            } => {
                if gives_status(name) {
                    self.kept.statuses.insert(at);
                } else {
                    self.effect(at);
                }
            }
            Op::Call { dst, .. } => {
                let index = dst.iter().position(|one| *one == register).unwrap_or(0);
                self.transfer(at);
                self.activate(at.function);
                let calls = self.known.calls;
                for target in calls.targets(at) {
                    self.result(*target, index);
                }
            }
            op => self.keep_op(at, op),
        }
    }

    /// A parameter is what the callers give; a library function that calls back is kept with all that it is given.
    pub(super) fn parameter(&mut self, function: FunctionId, index: usize) {
        let calls = self.known.calls;
        for at in calls.sites(function) {
            match instruction(self.known.program, *at).map(|found| &found.op) {
                Some(Op::Call {
                    callee: Callee::External(_),
                    ..
                }) => self.waiting_effects.push(*at),
                Some(Op::Call { args, .. }) => {
                    if let Some((value, _)) = args.get(index) {
                        self.need(at.function, *value);
                    }
                }
                _ => {}
            }
        }
    }

    /// A function that goes to a library function (qsort's comparison) is kept whole.
    pub(super) fn callbacks(&mut self, at: Position, op: &Op) {
        if let Op::Call {
            callee: Callee::External(_),
            ..
        } = op
        {
            let calls = self.known.calls;
            for target in calls.targets(at) {
                if self.whole.insert(*target) {
                    self.keep_whole(*target);
                    self.control(at.function, at.block);
                }
            }
        }
    }

    fn keep_whole(&mut self, function: FunctionId) {
        let Some(body) = self.known.program.functions.get(function as usize) else {
            return;
        };
        self.kept.active.insert(function);
        (0..body.results.len()).for_each(|index| self.result(function, index));
        for (block, contents) in (0u32..).zip(&body.blocks) {
            self.branch(function, block);
            let all = (0u32..).zip(&contents.ops).map(|(index, _)| Position {
                function,
                block,
                index,
            });
            for at in all {
                if let Some(found) = instruction(self.known.program, at) {
                    self.all_destinations(at, &found.op);
                }
                self.waiting_effects.push(at);
            }
        }
    }

    /// Something in a function is kept for what it does: the function has to be called.
    pub(super) fn activate(&mut self, function: FunctionId) {
        let mut waiting = vec![function];
        while let Some(function) = waiting.pop() {
            if self.kept.active.insert(function) {
                let calls = self.known.calls;
                for at in calls.sites(function) {
                    self.transfer(*at);
                    waiting.push(at.function);
                }
            }
        }
    }

    /// Keeps a call that enters a function with a body, without a need of its arguments.
    fn transfer(&mut self, at: Position) {
        match instruction(self.known.program, at).map(|found| &found.op) {
            Some(Op::Call {
                callee: Callee::External(_),
                ..
            }) => self.waiting_effects.push(at),
            Some(Op::Call { callee, .. }) if self.kept.ops.insert(at) => {
                if let Callee::Indirect(pointer) = callee {
                    self.need(at.function, *pointer);
                }
                self.control(at.function, at.block);
            }
            _ => {}
        }
    }

    /// What a function returns at this place is needed.
    fn result(&mut self, function: FunctionId, index: usize) {
        if !self.kept.results.insert((function, index)) {
            return;
        }
        let Some(body) = self.known.program.functions.get(function as usize) else {
            return;
        };
        for value in returned(body, index) {
            self.need(function, value);
        }
        let ends = (0u32..)
            .zip(&body.blocks)
            .filter(|(_, block)| matches!(block.end, Terminator::Return(_)));
        let ends: Vec<BlockId> = ends.map(|(block, _)| block).collect();
        if ends.len() > 1 {
            ends.iter().for_each(|block| self.control(function, *block));
        }
    }
}
