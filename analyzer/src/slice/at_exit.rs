//! Handlers that run at exit, destructors of static objects among them. Nearly all only give memory back, which changes
//! no peak: those are left out, with all that they would read. The others are called where they are registered, as far
//! as a slice is concerned.

use crate::slice::calls::Calls;
use crate::slice::event::takes_or_launches;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, FunctionId, Op, SizeProgram};
use std::collections::HashSet;

/// Functions that register one.
const REGISTER: [&str; 4] = ["atexit", "on_exit", "__cxa_atexit", "__cxa_thread_atexit"];

/// Whether an instruction registers a handler.
pub fn registers(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if REGISTER.contains(&name.as_str()))
}

/// Whether an instruction ends the process without running any.
pub fn exits_at_once(op: &Op) -> bool {
    const NAMES: [&str; 3] = ["_exit", "_Exit", "quick_exit"];
    matches!(op, Op::Call { callee: Callee::External(name), .. } if NAMES.contains(&name.as_str()))
}

/// Functions that may take device memory or launch, or call one that does.
pub fn takers(program: &SizeProgram, calls: &Calls) -> HashSet<FunctionId> {
    let mut found = HashSet::new();
    let mut waiting: Vec<Position> = instructions(program)
        .filter(|(_, instruction)| takes_or_launches(program, &instruction.op))
        .map(|(at, _)| at)
        .collect();
    while let Some(at) = waiting.pop() {
        if found.insert(at.function) {
            waiting.extend(calls.sites(at.function));
        }
    }
    found
}
