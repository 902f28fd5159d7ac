//! A lowered function in, the same with a way out behind each call that may throw: straight to its end, as an exception
//! goes where nothing in the function catches it. What an `invoke` does was lowered before.

use super::unwind::{call, thrown};
use crate::outside::{LEAVES, THROWN, UNCAUGHT, may_throw, throws_for_handlers};
use migfit_schema::program::{
    Block, BlockId, Callee, Function, FunctionId, Instruction, OnUnknown, Op, Operand, Place,
    Terminator,
};
use std::collections::HashSet;

/// Who may throw.
pub(super) struct MayThrow {
    /// Functions of the program.
    pub(super) functions: HashSet<FunctionId>,
    /// Through a pointer.
    pub(super) pointers: bool,
}

impl MayThrow {
    fn op(&self, op: &Op) -> bool {
        match op {
            Op::Call {
                callee: Callee::Function(id),
                ..
            } => self.functions.contains(id),
            Op::Call {
                callee: Callee::External(name),
                ..
            } => may_throw(name),
            Op::Call {
                callee: Callee::Indirect(_),
                ..
            } => self.pointers,
            _ => false,
        }
    }

    /// Adds the ways out. Nothing is behind `main` and the static constructors: there the process ends.
    pub(super) fn lead_out(&self, function: &mut Function, is_first: bool) {
        let mut out: Option<BlockId> = None;
        let mut number = 0;
        while let Some(block) = function.blocks.get_mut(number) {
            let Some(at) = self.next(block) else {
                number += 1;
                continue;
            };
            let count = u32::try_from(function.blocks.len()).unwrap_or(u32::MAX);
            let target = *out.get_or_insert(count);
            if target == count {
                let last = way_out(function, is_first);
                function.blocks.push(last);
            }
            cut(function, number, at, target);
            number += 1;
        }
    }

    /// The first instruction that may throw and has no way out yet.
    fn next(&self, block: &Block) -> Option<usize> {
        let ops = block.ops.iter().enumerate();
        ops.into_iter()
            .find(|(index, found)| {
                let followed = block
                    .ops
                    .get(index + 1)
                    .is_some_and(|next| is_call(&next.op, THROWN));
                self.op(&found.op) && !followed && !leaves(block, *index)
            })
            .map(|(index, _)| index)
    }
}

/// Whether a throw has its way out already.
fn leaves(block: &Block, at: usize) -> bool {
    at + 1 == block.ops.len()
        && never_returns(&block.ops[at].op)
        && matches!(block.end, Terminator::Jump(_))
}

fn never_returns(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if throws_for_handlers(name))
}

fn is_call(op: &Op, wanted: &str) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if name == wanted)
}

/// The last block of a function that an exception leaves.
fn way_out(function: &Function, is_first: bool) -> Block {
    let (name, end) = match is_first {
        true => (UNCAUGHT, Terminator::Unreachable),
        false => {
            let nothing = function.results.iter().map(|_| Operand::Undef);
            (LEAVES, Terminator::Return(nothing.collect()))
        }
    };
    Block {
        phis: Vec::new(),
        ops: vec![Instruction {
            op: call(Vec::new(), Vec::new(), name, Vec::new()),
            place: Place::default(),
        }],
        end,
        end_place: Place::default(),
    }
}

/// Cuts a block behind an instruction: from there on it goes on, or out.
fn cut(function: &mut Function, number: usize, at: usize, out: BlockId) {
    let tail_id = u32::try_from(function.blocks.len()).unwrap_or(u32::MAX);
    let flag = function.registers;
    let Some(block) = function.blocks.get_mut(number) else {
        return;
    };
    let mut rest = block.ops.split_off(at + 1);
    let place = block.ops.last().map_or(block.end_place, |last| last.place);
    if block.ops.last().is_some_and(|last| never_returns(&last.op)) {
        block.end = Terminator::Jump(out);
        forget_edges(function, number);
        return;
    }
    block.ops.push(Instruction {
        op: thrown(flag),
        place,
    });
    let branch = Terminator::Branch {
        condition: Operand::Reg(flag),
        then: out,
        otherwise: tail_id,
        unknown: OnUnknown::Stop,
    };
    let tail = Block {
        phis: Vec::new(),
        ops: std::mem::take(&mut rest),
        end: std::mem::replace(&mut block.end, branch),
        end_place: block.end_place,
    };
    block.end_place = place;
    function.registers += 1;
    function.blocks.push(tail);
    let from = u32::try_from(number).unwrap_or(u32::MAX);
    for (known, _) in phis(function) {
        if *known == from {
            *known = tail_id;
        }
    }
}

/// A block that goes nowhere else gives no value to phis.
fn forget_edges(function: &mut Function, number: usize) {
    let from = u32::try_from(number).unwrap_or(u32::MAX);
    for phi in function.blocks.iter_mut().flat_map(|block| &mut block.phis) {
        phi.incoming.retain(|(known, _)| *known != from);
    }
}

fn phis(function: &mut Function) -> impl Iterator<Item = &mut (BlockId, Operand)> {
    let blocks = function.blocks.iter_mut();
    blocks
        .flat_map(|block| &mut block.phis)
        .flat_map(|phi| &mut phi.incoming)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, branch, c, call as calls, function, give, jump, r};

    fn lead_out(blocks: Vec<Block>, is_first: bool) -> Function {
        let mut body = function("f", 1, blocks);
        let may = MayThrow {
            functions: HashSet::new(),
            pointers: true,
        };
        may.lead_out(&mut body, is_first);
        body
    }

    fn name(found: &Instruction) -> &str {
        match &found.op {
            Op::Call {
                callee: Callee::External(name),
                ..
            } => name,
            _ => "",
        }
    }

    #[test]
    fn a_throw_leaves_the_function_and_a_plain_call_does_not() {
        let body = lead_out(
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(vec![calls("__cxa_throw", &[c(0)])], Terminator::Unreachable),
                block(vec![calls("puts", &[c(0)])], give(c(0))),
            ],
            false,
        );
        assert_eq!(body.blocks[1].end, Terminator::Jump(3));
        assert_eq!(name(&body.blocks[3].ops[0]), LEAVES);
        assert!(matches!(body.blocks[3].end, Terminator::Return(_)));
        assert_eq!(body.blocks.len(), 4);
    }

    #[test]
    fn nothing_catches_what_leaves_main() {
        let throw = vec![calls("__cxa_throw", &[c(0)])];
        let body = lead_out(vec![block(throw, Terminator::Unreachable)], true);
        assert_eq!(name(&body.blocks[1].ops[0]), UNCAUGHT);
        assert_eq!(body.blocks[1].end, Terminator::Unreachable);
    }

    #[test]
    fn behind_a_call_that_may_throw_a_block_is_cut_and_phis_know_its_end() {
        let substr = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm";
        let mut last = block(vec![], give(c(0)));
        last.phis.push(migfit_schema::program::Phi {
            dst: 9,
            ty: migfit_schema::program::Type::Ptr,
            incoming: vec![(0, c(1))],
        });
        let ops = vec![calls(substr, &[c(0)]), calls(substr, &[c(0)])];
        let body = lead_out(vec![block(ops, jump(1)), last], false);
        // 0 first call, 1 last, 2 out, 3 second call, 4 what is left.
        assert_eq!(body.blocks.len(), 5);
        assert_eq!(body.blocks[1].phis[0].incoming, [(4, c(1))]);
        assert_eq!(body.blocks[4].end, jump(1));
        assert!(matches!(
            body.blocks[3].end,
            Terminator::Branch {
                then: 2,
                otherwise: 4,
                ..
            }
        ));
    }
}
