//! Ways that are decided by where control comes from: a block that only asks which constant a phi got is gone past. The
//! front end writes `continue` and `return` in loops so (a number, then a switch over it at the end of the scope), and
//! what a check of results decides would hang on every way through that switch.
//! Must not change loops: heads keep their ways in and back, since formulas are read off these.

use super::flow::Flow;
use super::loops::Loops;
use super::position::{read, successors, targets_mut};
use super::tidy;
use migfit_schema::program::{
    Block, BlockId, Compare, Function, Op, Operand, Phi, Reg, SizeProgram, Terminator, Type,
};
use std::collections::BTreeSet;

/// Rounds over a function: each may decide what another left open.
const ROUNDS: usize = 32;

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
        let decided = |from: &BlockId| {
            let to = way(function, id, *from);
            to.is_some_and(|to| loops.blocks(to).is_none())
        };
        if !asks || loops.blocks(id).is_some() || !flow.before(id).iter().any(decided) {
            continue;
        }
        // What comes from where is as it was at the round's begin only as long as nothing was led elsewhere.
        if !changed {
            hand_on(function, id, &flow);
        }
        if is_used_behind(function, id) {
            continue;
        }
        for from in flow.before(id) {
            if let Some(to) = way(function, id, *from)
                && loops.blocks(to).is_none()
                && lead(function, *from, id, to)
            {
                changed = true;
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

/// Gives the values of a block's phis phis of their own where it alone leads to: what comes there on another way, too,
/// may then bring another value.
fn hand_on(function: &mut Function, id: BlockId, flow: &Flow) {
    let phis: Vec<(Reg, Type)> = function
        .blocks
        .get(id as usize)
        .map(|block| block.phis.iter().map(|phi| (phi.dst, phi.ty)).collect())
        .unwrap_or_default();
    for to in flow.after(id) {
        if flow.before(*to) != [id] || *to == id {
            continue;
        }
        let behind = dominated(*to, flow);
        for (register, ty) in &phis {
            let fresh = function.registers;
            if replace(function, &behind, *register, fresh) {
                function.registers += 1;
                let name = function.names.iter().find(|(named, _)| named == register);
                let name = name.map(|(_, name)| (fresh, name.clone()));
                function.names.extend(name);
                let incoming = vec![(id, Operand::Reg(*register))];
                let (dst, ty) = (fresh, *ty);
                if let Some(block) = function.blocks.get_mut(*to as usize) {
                    block.phis.push(Phi { dst, ty, incoming });
                }
            }
        }
    }
}

/// Blocks that are come to through a block alone, with it.
fn dominated(block: BlockId, flow: &Flow) -> BTreeSet<BlockId> {
    let mut around = BTreeSet::new();
    let mut waiting = vec![0];
    while let Some(next) = waiting.pop() {
        if next != block && around.insert(next) {
            waiting.extend(flow.after(next));
        }
    }
    let mut found = BTreeSet::new();
    let mut waiting = vec![block];
    while let Some(next) = waiting.pop() {
        if !around.contains(&next) && found.insert(next) {
            waiting.extend(flow.after(next));
        }
    }
    found
}

/// Uses of a register in some blocks, and in phis where control comes from these, name another one now. Whether there
/// were any.
fn replace(function: &mut Function, blocks: &BTreeSet<BlockId>, old: Reg, new: Reg) -> bool {
    let mut found = false;
    for (id, block) in (0u32..).zip(&mut function.blocks) {
        let by_phis = block.phis.iter_mut().flat_map(|phi| &mut phi.incoming);
        let by_phis = by_phis.filter(|(from, _)| blocks.contains(from));
        let mut operands: Vec<&mut Operand> = by_phis.map(|(_, value)| value).collect();
        if blocks.contains(&id) {
            let ops = block.ops.iter_mut();
            operands.extend(ops.flat_map(|found| found.op.operands_mut()));
            match &mut block.end {
                Terminator::Return(values) => operands.extend(values),
                Terminator::Branch {
                    condition: value, ..
                }
                | Terminator::Switch { value, .. } => {
                    operands.push(value);
                }
                Terminator::Jump(_) | Terminator::Unreachable => {}
            }
        }
        for operand in operands
            .into_iter()
            .filter(|one| **one == Operand::Reg(old))
        {
            *operand = Operand::Reg(new);
            found = true;
        }
    }
    found
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
    use migfit_schema::program::OnUnknown;

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
                vec![
                    phi(5, &[(0, c(0)), (6, r(6))]),
                    phi(10, &[(0, c(0)), (6, r(8))]),
                ],
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
    fn what_a_block_that_is_gone_past_gives_comes_by_phis_behind_it() {
        let body = decided();
        let carried = body.blocks[1].phis[1].incoming[1].1;
        let own = &body.blocks[6].phis[0];
        assert_eq!((carried, own.dst), (r(own.dst), 64));
        assert_eq!(own.incoming, [(2, c(3)), (4, c(4))]);
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
