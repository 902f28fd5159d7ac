//! Which functions and blocks lead to a CUDA call that counts, and whether one may come after a function returns.

use crate::slice::calls::Calls;
use crate::slice::event::is_event;
use crate::slice::graphs::Graphs;
use crate::slice::position::{Position, instructions, of_function};
use migfit_schema::program::{BlockId, FunctionId, Op, SizeProgram};
use std::collections::HashSet;

/// Where CUDA calls that count are.
pub struct Eventful {
    functions: HashSet<FunctionId>,
    blocks: HashSet<(FunctionId, BlockId)>,
}

impl Eventful {
    /// Finds them: a call counts where the function called has one.
    pub fn of(program: &SizeProgram, calls: &Calls) -> Eventful {
        let mut eventful = Eventful {
            functions: HashSet::new(),
            blocks: HashSet::new(),
        };
        let mut waiting: Vec<Position> = instructions(program)
            .filter(|(_, instruction)| is_event(program, &instruction.op))
            .map(|(at, _)| at)
            .collect();
        while let Some(at) = waiting.pop() {
            eventful.blocks.insert((at.function, at.block));
            if eventful.functions.insert(at.function) {
                waiting.extend(calls.sites(at.function));
            }
        }
        eventful
    }

    /// Whether a function leads to a CUDA call that counts.
    pub fn function(&self, function: FunctionId) -> bool {
        self.functions.contains(&function)
    }

    /// Whether a block holds a CUDA call that counts, or a call that leads to one.
    pub fn block(&self, function: FunctionId, block: BlockId) -> bool {
        self.blocks.contains(&(function, block))
    }

    fn op(&self, program: &SizeProgram, at: Position, op: &Op, calls: &Calls) -> bool {
        let through = calls.targets(at).iter();
        is_event(program, op)
            || through
                .into_iter()
                .any(|target| self.functions.contains(target))
    }

    /// Functions after whose return a CUDA call that counts may come.
    pub fn followed(
        &self,
        program: &SizeProgram,
        graphs: &Graphs,
        calls: &Calls,
    ) -> HashSet<FunctionId> {
        let mut followed = HashSet::new();
        let all = (0u32..).zip(&program.functions).map(|(id, _)| id);
        let mut waiting: Vec<FunctionId> = all
            .filter(|id| {
                let mut sites = calls.sites(*id).iter();
                sites.any(|at| self.comes_after(*at, program, graphs, calls))
            })
            .collect();
        // What follows a caller follows those that it calls.
        while let Some(function) = waiting.pop() {
            if followed.insert(function) {
                let body = program.functions.get(function as usize);
                let inside = body
                    .into_iter()
                    .flat_map(|body| of_function(function, body));
                let called = inside.flat_map(|(at, _)| calls.targets(at).to_vec());
                waiting.extend(called);
            }
        }
        followed
    }

    fn comes_after(
        &self,
        at: Position,
        program: &SizeProgram,
        graphs: &Graphs,
        calls: &Calls,
    ) -> bool {
        let Some(body) = program.functions.get(at.function as usize) else {
            return false;
        };
        let flow = graphs.flow(at.function);
        let later = body.blocks.get(at.block as usize).is_some_and(|block| {
            let mut later = (0u32..).zip(&block.ops).skip(at.index as usize + 1);
            later.any(|(index, found)| self.op(program, Position { index, ..at }, &found.op, calls))
        });
        let reached = |block: &BlockId| flow.reaches(at.block, *block);
        let mut blocks = (0u32..).zip(&body.blocks).map(|(id, _)| id).filter(reached);
        later || blocks.any(|block| self.block(at.function, block))
    }
}
