//! Ways that are decided by where control comes from: a block that only asks which constant a phi got is gone past. The
//! front end writes `continue` and `return` in loops so (a number, then a switch over it at the end of the scope), and
//! what a check of results decides would hang on every way through that switch.
//! Must not change loops: heads keep their ways in and back, since formulas are read off these.

use super::flow::Flow;
use super::loops::Loops;
use super::position::{read, successors, targets_mut};
use super::tidy;
use migfit_schema::program::{
    Block, BlockId, Compare, Function, Op, Operand, Phi, Reg, SizeProgram, Terminator,
};
use std::collections::BTreeSet;

/// Rounds over a function: each may decide what another left open.
const ROUNDS: usize = 8;

/// Leads control past blocks whose way is decided before it comes there.
pub fn decide(program: &mut SizeProgram) {
    for function in &mut program.functions {
        for _ in 0..ROUNDS {
            if !decide_once(function) {
                break;
            }
            tidy::clear(function);
        }
    }
}

fn decide_once(function: &mut Function) -> bool {
    let flow = Flow::of(function);
    let loops = Loops::of(&flow);
    let mut changed = false;
    for id in 0..u32::try_from(function.blocks.len()).unwrap_or(0) {
        let only_asks = |block: &Block| !block.phis.is_empty() && block.ops.len() <= 1;
        let asks = function.blocks.get(id as usize).is_some_and(only_asks);
        if !asks || loops.blocks(id).is_some() || is_used_behind(function, id) {
            continue;
        }
        for from in flow.before(id) {
            if let Some(to) = way(function, id, *from)
                && loops.blocks(to).is_none()
                && lead(function, *from, id, to)
            {
                changed = true;
                // Who comes from where has changed: the rest is for the next round.
                break;
            }
        }
    }
    changed
}

/// Where a block goes on when control comes from another, if that decides it.
fn way(function: &Function, id: BlockId, from: BlockId) -> Option<BlockId> {
    let block = function.blocks.get(id as usize)?;
    let comes_with = |value: Operand| match value {
        Operand::Reg(register) => {
            constant(block.phis.iter().find(|phi| phi.dst == register)?, from)
        }
        Operand::Const(bits) => Some(bits),
        _ => None,
    };
    match &block.end {
        Terminator::Switch {
            value,
            cases,
            default,
            ..
        } if block.ops.is_empty() => {
            let value = comes_with(*value)?;
            let case = cases.iter().find(|(case, _)| *case == value);
            Some(case.map_or(*default, |(_, to)| *to))
        }
        Terminator::Branch {
            condition,
            then,
            otherwise,
            ..
        } => {
            let holds = match block.ops.first().map(|found| &found.op) {
                None => comes_with(*condition)? & 1 == 1,
                Some(Op::Compare { dst, op, a, b, .. }) if *condition == Operand::Reg(*dst) => {
                    let same = comes_with(*a)? == comes_with(*b)?;
                    match op {
                        Compare::Eq => same,
                        Compare::Ne => !same,
                        _ => return None,
                    }
                }
                Some(_) => return None,
            };
            Some(if holds { *then } else { *otherwise })
        }
        _ => None,
    }
}

fn constant(phi: &Phi, from: BlockId) -> Option<u64> {
    match incoming(phi, from)? {
        Operand::Const(bits) => Some(bits),
        _ => None,
    }
}

fn incoming(phi: &Phi, from: BlockId) -> Option<Operand> {
    let found = phi.incoming.iter().find(|(block, _)| *block == from);
    found.map(|(_, value)| *value)
}

/// Whether a value of a block is used elsewhere than in phis to which an edge of that block leads.
fn is_used_behind(function: &Function, id: BlockId) -> bool {
    let Some(block) = function.blocks.get(id as usize) else {
        return true;
    };
    let phis = block.phis.iter().map(|phi| phi.dst);
    let ops = block
        .ops
        .iter()
        .flat_map(|found| found.op.written().to_vec());
    let own: BTreeSet<Reg> = phis.chain(ops).collect();
    let is_own =
        |value: &Operand| matches!(value, Operand::Reg(register) if own.contains(register));
    (0u32..).zip(&function.blocks).any(|(other, block)| {
        let mut by_phis = block.phis.iter().flat_map(|phi| &phi.incoming);
        let foreign = by_phis.any(|(from, value)| *from != id && is_own(value));
        let mut by_ops = block.ops.iter().flat_map(|found| read(&found.op));
        foreign
            || other != id
                && (by_ops.any(|value| is_own(&value))
                    || ends_with(&block.end).any(|value| is_own(&value)))
    })
}

fn ends_with(end: &Terminator) -> impl Iterator<Item = Operand> {
    let values = match end {
        Terminator::Return(values) => values.clone(),
        Terminator::Branch { condition, .. } => vec![*condition],
        Terminator::Switch { value, .. } => vec![*value],
        Terminator::Jump(_) | Terminator::Unreachable => Vec::new(),
    };
    values.into_iter()
}

/// Leads the only edge from one block to another past that, where no value gets two ways in by one edge.
fn lead(function: &mut Function, from: BlockId, past: BlockId, to: BlockId) -> bool {
    let Some(block) = function.blocks.get(past as usize) else {
        return false;
    };
    let known: Vec<(Reg, Operand)> = block
        .phis
        .iter()
        .filter_map(|phi| Some((phi.dst, incoming(phi, from)?)))
        .collect();
    let computed: Vec<Reg> = block
        .ops
        .iter()
        .flat_map(|found| found.op.written().to_vec())
        .collect();
    let end = function.blocks.get(from as usize).map(|block| &block.end);
    if from == past || to == past || end.is_none_or(|end| successors(end).contains(&to)) {
        return false;
    }
    let value_of = |value: Operand| match value {
        Operand::Reg(register) if computed.contains(&register) => None,
        Operand::Reg(register) => {
            let found = known.iter().find(|(own, _)| *own == register);
            Some(found.map_or(value, |(_, value)| *value))
        }
        _ => Some(value),
    };
    let Some(target) = function.blocks.get(to as usize) else {
        return false;
    };
    let arriving: Option<Vec<Operand>> = target
        .phis
        .iter()
        .map(|phi| value_of(incoming(phi, past)?))
        .collect();
    let Some(arriving) = arriving else {
        return false;
    };
    if let Some(target) = function.blocks.get_mut(to as usize) {
        for (phi, value) in target.phis.iter_mut().zip(arriving) {
            phi.incoming.push((from, value));
        }
    }
    if let Some(block) = function.blocks.get_mut(from as usize) {
        let targets = targets_mut(&mut block.end).into_iter();
        targets
            .filter(|target| **target == past)
            .for_each(|target| *target = to);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, branch, c, function, give, joined, jump, phi, program, r};
    use migfit_schema::program::{OnUnknown, Type};

    fn switch(value: Operand, cases: &[(u64, BlockId)], default: BlockId) -> Terminator {
        Terminator::Switch {
            ty: Type::Int(32),
            value,
            cases: cases.to_vec(),
            default,
            unknown: OnUnknown::Stop,
        }
    }

    /// A loop over r5 with a `continue` (10), an end of the body (0) and a `return 1` (1).
    fn decided() -> Function {
        let blocks = vec![
            block(vec![], jump(1)),
            joined(
                vec![phi(5, &[(0, c(0)), (6, r(6))])],
                vec![],
                branch(r(0), 2, 8),
            ),
            block(vec![], branch(r(1), 5, 3)),
            block(vec![], branch(r(2), 4, 7)),
            block(vec![], jump(5)),
            joined(
                vec![
                    phi(7, &[(2, c(10)), (4, c(0)), (7, c(1))]),
                    phi(8, &[(2, c(3)), (4, c(4)), (7, c(1))]),
                ],
                vec![],
                switch(r(7), &[(0, 6), (10, 6)], 8),
            ),
            block(vec![crate::slice::draft::add(6, r(5), c(1))], jump(1)),
            block(vec![], jump(5)),
            joined(vec![phi(9, &[(1, c(0)), (5, r(8))])], vec![], give(r(9))),
        ];
        let mut whole = program(vec![function("main", 3, blocks)], vec![]);
        decide(&mut whole);
        whole.functions.remove(0)
    }

    #[test]
    fn continue_and_return_lead_where_they_go() {
        let body = decided();
        assert_eq!(successors(&body.blocks[2].end), [3, 6]);
        assert_eq!(successors(&body.blocks[7].end), [8]);
        assert!(body.blocks[8].phis[0].incoming.contains(&(7, c(1))));
        assert!(body.blocks[5].phis.is_empty(), "nothing leads there");
    }

    #[test]
    fn a_loops_head_keeps_its_ways() {
        let body = decided();
        let into_head: Vec<_> = (0u32..)
            .zip(&body.blocks)
            .filter(|(_, block)| successors(&block.end).contains(&1))
            .map(|(id, _)| id)
            .collect();
        assert_eq!(into_head, [0, 6]);
    }
}
