//! Functions of the program that go to a library function without a model (OpenMP's `__kmpc_fork_call`): it may call
//! them, how often is not known, and they may take device memory.

use super::address::function_at;
use super::run::Machine;
use super::value::Value;
use crate::models::fallback::is_cuda;
use crate::report;
use migfit_schema::program::{Callee, FunctionId, Op};
use std::collections::BTreeSet;

/// Functions that only keep what they are given for signals and for errors.
const KEEP_FOR_LATER: &[&str] = &[
    "signal",
    "sigaction",
    "bsd_signal",
    "sysv_signal",
    "_ZSt13set_terminatePFvvE",
    "_ZSt15set_new_handlerPFvvE",
];

impl Machine<'_> {
    /// Says so where a function that is handed on has to do with the device.
    pub fn note_handed_on(&mut self, name: &str, values: &[Value]) {
        if KEEP_FOR_LATER.contains(&name) {
            return;
        }
        let given = values
            .iter()
            .filter_map(|value| value.get().ok().and_then(function_at));
        let given: Vec<FunctionId> = given.collect();
        if given.iter().any(|function| self.reaches_device(*function)) {
            let place = self.host.place;
            let name = report::people_name(name);
            self.host.notes.not_looked_into(place, &name);
        }
    }

    /// Whether a function, or one that it calls, takes device memory, launches, or calls what is not known.
    fn reaches_device(&self, function: FunctionId) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![function];
        while let Some(id) = waiting.pop() {
            let Some(body) = self.program.functions.get(id as usize) else {
                continue;
            };
            if !seen.insert(id) {
                continue;
            }
            for instruction in body.blocks.iter().flat_map(|block| &block.ops) {
                match &instruction.op {
                    Op::Launch { .. } => return true,
                    Op::Call { callee, .. } => match callee {
                        Callee::Function(next) => waiting.push(*next),
                        Callee::Indirect(_) => return true,
                        Callee::External(name) if is_cuda(name) => return true,
                        Callee::External(name) if self.opaque.contains(name.as_str()) => {
                            return true;
                        }
                        Callee::External(_) => {}
                    },
                    _ => {}
                }
            }
        }
        false
    }
}
