//! Operands of kept calls may name registers that are not kept: they become undefined, which says so.

use migfit_schema::program::{Function, Operand, Reg};
use std::collections::HashSet;

/// Registers that something writes.
fn defined(function: &Function) -> HashSet<Reg> {
    let parameters = function.params.iter().map(|(register, _)| *register);
    let blocks = || function.blocks.iter();
    let phis = blocks().flat_map(|block| &block.phis).map(|phi| phi.dst);
    let ops = blocks().flat_map(|block| &block.ops);
    parameters
        .chain(phis)
        .chain(ops.flat_map(|found| found.op.written().to_vec()))
        .collect()
}

/// Replaces what nothing computes, and forgets names of registers that are gone.
pub fn undefine(function: &mut Function) {
    let defined = defined(function);
    for operand in function.operands_mut() {
        if matches!(operand, Operand::Reg(register) if !defined.contains(register)) {
            *operand = Operand::Undef;
        }
    }
    function
        .names
        .retain(|(register, _)| defined.contains(register));
}
