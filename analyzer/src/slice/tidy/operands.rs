//! Operands of kept calls may name registers that are not kept: they become undefined, which says so.

use crate::slice::position::{op_operands_mut, written};
use migfit_schema::program::{Function, Operand, Reg, Terminator};
use std::collections::HashSet;

/// Every operand of a function, to be changed.
pub fn operands_mut(function: &mut Function) -> impl Iterator<Item = &mut Operand> {
    function.blocks.iter_mut().flat_map(|block| {
        let phis = block.phis.iter_mut().flat_map(|phi| &mut phi.incoming);
        let ops = block.ops.iter_mut();
        let end: Vec<&mut Operand> = match &mut block.end {
            Terminator::Return(values) => values.iter_mut().collect(),
            Terminator::Branch { condition, .. } => vec![condition],
            Terminator::Switch { value, .. } => vec![value],
            Terminator::Jump(_) | Terminator::Unreachable => Vec::new(),
        };
        phis.map(|(_, value)| value)
            .chain(ops.flat_map(|found| op_operands_mut(&mut found.op)))
            .chain(end)
    })
}

/// Registers that something writes.
fn defined(function: &Function) -> HashSet<Reg> {
    let parameters = function.params.iter().map(|(register, _)| *register);
    let blocks = || function.blocks.iter();
    let phis = blocks().flat_map(|block| &block.phis).map(|phi| phi.dst);
    let ops = blocks().flat_map(|block| &block.ops);
    parameters
        .chain(phis)
        .chain(ops.flat_map(|found| written(&found.op).to_vec()))
        .collect()
}

/// Replaces what nothing computes, and forgets names of registers that are gone.
pub fn undefine(function: &mut Function) {
    let defined = defined(function);
    for operand in operands_mut(function) {
        if matches!(operand, Operand::Reg(register) if !defined.contains(register)) {
            *operand = Operand::Undef;
        }
    }
    function
        .names
        .retain(|(register, _)| defined.contains(register));
}
