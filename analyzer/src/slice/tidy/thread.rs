//! Jumps through blocks that do nothing, and chains of blocks that become one. A loop keeps its one way in and its
//! one way back: formulas are read off these.

use super::edges::edges;
use crate::slice::position::{successors, targets_mut};
use crate::slice::rebuild::empty;
use migfit_schema::program::{
    Block, BlockId, Function, Instruction, OnUnknown, Op, Operand, Terminator,
};
use std::collections::{BTreeMap, BTreeSet};

/// Shortens a function's ways. Blocks that are passed over stay, with nothing that leads to them.
pub fn thread(function: &mut Function) {
    let mut threader = Threader::of(&mut function.blocks);
    let mut changed = true;
    while changed {
        changed = false;
        for id in 0..u32::try_from(threader.blocks.len()).unwrap_or(0) {
            changed |= threader.skip(id) || threader.decide_nothing(id) || threader.merge(id);
        }
    }
}

struct Threader<'a> {
    blocks: &'a mut Vec<Block>,
    before: BTreeMap<BlockId, BTreeSet<BlockId>>,
    /// Blocks that advice for unknown branches names: an evaluator watches them.
    named: BTreeSet<BlockId>,
}

impl Threader<'_> {
    fn of(blocks: &mut Vec<Block>) -> Threader<'_> {
        let mut before: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
        for (from, to) in edges(blocks) {
            before.entry(to).or_default().insert(from);
        }
        let named = blocks.iter().flat_map(|block| named(&block.end)).collect();
        Threader {
            blocks,
            before,
            named,
        }
    }

    fn block(&mut self, id: BlockId) -> Option<&mut Block> {
        self.blocks.get_mut(id as usize)
    }

    fn before(&self, id: BlockId) -> BTreeSet<BlockId> {
        self.before.get(&id).cloned().unwrap_or_default()
    }

    fn may_vanish(&self, id: BlockId) -> bool {
        id != 0 && !self.named.contains(&id)
    }

    /// Leads what comes to a block that does nothing straight to where it goes on.
    fn skip(&mut self, id: BlockId) -> bool {
        let before = self.before(id);
        if before.is_empty() || before.contains(&id) || !self.may_vanish(id) {
            return false;
        }
        let to = match self.block(id) {
            Some(Block {
                phis,
                ops,
                end: Terminator::Jump(to),
                ..
            }) if phis.is_empty() && ops.is_empty() => *to,
            _ => return false,
        };
        let after = self.before(to);
        let has_phis = self.block(to).is_some_and(|block| !block.phis.is_empty());
        // Two ways into a phi's block by one edge would leave its value open.
        if has_phis && (before.len() > 1 || before.iter().any(|from| after.contains(from))) {
            return false;
        }
        for from in &before {
            if let Some(block) = self.block(*from) {
                let targets = targets_mut(&mut block.end).into_iter();
                targets
                    .filter(|target| **target == id)
                    .for_each(|target| *target = to);
            }
            self.replace_edge(to, id, *from);
        }
        self.remove(id);
        true
    }

    /// A branch whose ways have become one is none.
    fn decide_nothing(&mut self, id: BlockId) -> bool {
        let Some(block) = self.block(id) else {
            return false;
        };
        let decides = matches!(
            block.end,
            Terminator::Branch { .. } | Terminator::Switch { .. }
        );
        match successors(&block.end).as_slice() {
            [only] if decides => {
                block.end = Terminator::Jump(*only);
                true
            }
            _ => false,
        }
    }

    /// Draws a block that only one jump leads to into where the jump stands.
    fn merge(&mut self, id: BlockId) -> bool {
        let to = match self.block(id).map(|block| &block.end) {
            Some(Terminator::Jump(to)) => *to,
            _ => return false,
        };
        if to == id || !self.may_vanish(to) || self.before(to).len() != 1 {
            return false;
        }
        let Some(next) = self.block(to).cloned() else {
            return false;
        };
        for after in successors(&next.end) {
            self.replace_edge(after, to, id);
        }
        self.remove(to);
        let Some(block) = self.block(id) else {
            return false;
        };
        let place = block.end_place;
        let copies = next.phis.iter().map(|phi| Instruction {
            op: Op::Copy {
                dst: phi.dst,
                ty: phi.ty,
                a: phi
                    .incoming
                    .first()
                    .map_or(Operand::Undef, |(_, value)| *value),
            },
            place,
        });
        block.ops.extend(copies);
        block.ops.extend(next.ops);
        block.end = next.end;
        block.end_place = next.end_place;
        true
    }

    /// An edge into `to` comes from another block now.
    fn replace_edge(&mut self, to: BlockId, old: BlockId, new: BlockId) {
        if let Some(block) = self.block(to) {
            let incoming = block.phis.iter_mut().flat_map(|phi| &mut phi.incoming);
            incoming
                .filter(|(from, _)| *from == old)
                .for_each(|(from, _)| *from = new);
        }
        let before = self.before.entry(to).or_default();
        before.remove(&old);
        before.insert(new);
    }

    fn remove(&mut self, id: BlockId) {
        if let Some(block) = self.block(id) {
            *block = empty(Terminator::Unreachable);
        }
        self.before.remove(&id);
    }
}

/// Blocks that advice names beside the ways of the branch itself, or watches.
fn named(end: &Terminator) -> Vec<BlockId> {
    match end {
        Terminator::Branch { unknown, .. } | Terminator::Switch { unknown, .. } => match unknown {
            OnUnknown::LoopOnce { body, exit } => vec![*body, *exit],
            OnUnknown::Join(to) => vec![*to],
            OnUnknown::Stop | OnUnknown::CheckPasses(_) | OnUnknown::TakeCuda(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}
