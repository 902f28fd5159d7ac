//! Who calls whom: directly, through pointers, and through library functions that are given a function (qsort).

use crate::slice::at_exit;
use crate::slice::effects::may_call;
use crate::slice::points_to::PointsTo;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, FunctionId, Op, Operand, SizeProgram, Type};
use std::collections::HashMap;

/// The calls of a program.
pub struct Calls {
    sites: HashMap<FunctionId, Vec<Position>>,
    targets: HashMap<Position, Vec<FunctionId>>,
    /// Something that takes memory or launches runs when the process ends.
    pub works_at_exit: bool,
}

impl Calls {
    /// Collects them.
    pub fn of(program: &SizeProgram, pointers: &PointsTo) -> Calls {
        let mut calls = Calls {
            sites: HashMap::new(),
            targets: HashMap::new(),
            works_at_exit: false,
        };
        let (at_exit, others): (Vec<_>, Vec<_>) =
            instructions(program).partition(|(_, found)| at_exit::registers(&found.op));
        for (at, instruction) in others {
            let Op::Call { callee, args, .. } = &instruction.op else {
                continue;
            };
            let targets = match callee {
                Callee::Function(target) => vec![*target],
                Callee::Indirect(pointer) => pointers.functions(at.function, *pointer),
                Callee::External(name) => given(at, name, args, pointers),
            };
            calls.add(at, targets);
        }
        let takers = at_exit::takers(program, &calls);
        for (at, instruction) in at_exit {
            if let Op::Call {
                args,
                callee: Callee::External(name),
                ..
            } = &instruction.op
            {
                let mut handlers = given(at, name, args, pointers);
                handlers.retain(|handler| takers.contains(handler));
                calls.works_at_exit |= !handlers.is_empty();
                calls.add(at, handlers);
            }
        }
        calls
    }

    fn add(&mut self, at: Position, targets: Vec<FunctionId>) {
        for target in &targets {
            self.sites.entry(*target).or_default().push(at);
        }
        if !targets.is_empty() {
            self.targets.insert(at, targets);
        }
    }

    /// Where a function may be called.
    pub fn sites(&self, function: FunctionId) -> &[Position] {
        self.sites.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The functions that an instruction may call.
    pub fn targets(&self, at: Position) -> &[FunctionId] {
        self.targets.get(&at).map_or(&[], Vec::as_slice)
    }
}

/// Functions that a library function is given and may call.
fn given(
    at: Position,
    name: &str,
    args: &[(Operand, Type)],
    pointers: &PointsTo,
) -> Vec<FunctionId> {
    let callable = (0..).zip(args).filter(|(index, _)| may_call(name, *index));
    let mut all: Vec<FunctionId> = callable
        .flat_map(|(_, (value, _))| pointers.functions(at.function, *value))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
