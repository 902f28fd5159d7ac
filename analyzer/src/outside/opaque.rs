//! Which functions that a program calls were not looked into.

use super::starts::{is_cuda, is_unmodelled_cuda, starts_code};
use super::system::SystemFunctions;
use migfit_schema::closed::library;
use migfit_schema::program::{Callee, Op, SizeProgram};
use std::collections::BTreeSet;

/// Their names, each once, in alphabetical order.
#[must_use]
pub fn names(program: &SizeProgram, system: &SystemFunctions) -> Vec<String> {
    let blocks = program.functions.iter().flat_map(|body| &body.blocks);
    let called = blocks
        .flat_map(|block| &block.ops)
        .filter_map(|found| match &found.op {
            Op::Call {
                callee: Callee::External(name),
                ..
            } => Some(name),
            _ => None,
        });
    let opaque: BTreeSet<&String> = called.filter(|name| is_opaque(name, system)).collect();
    opaque.into_iter().cloned().collect()
}

fn is_opaque(name: &str, system: &SystemFunctions) -> bool {
    if is_cuda(name) {
        return is_unmodelled_cuda(name);
    }
    // Their own device memory is told apart: as `Need::closed`.
    starts_code(name) || !(system.contain(name) || library(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, c, call, function, give, program};

    #[test]
    fn strangers_and_what_starts_code_are_opaque_whatever_the_system_has() {
        let calls = [
            "xalloc",
            "fork",
            "printf",
            "cudaMalloc",
            "cuMemImport",
            "cublasCreate_v2",
            "xalloc",
        ];
        let calls = calls.map(|name| call(name, &[]));
        let body = function("main", 0, vec![block(calls.to_vec(), give(c(0)))]);
        let program = program(vec![body], Vec::new());
        let system = SystemFunctions::listed("fork\n");
        assert_eq!(names(&program, &system), ["cuMemImport", "fork", "xalloc"]);
    }
}
