//! Blocks that nothing leads to go, and the numbers of the others close up.

use super::edges::reached;
use crate::slice::position::targets_mut;
use migfit_schema::program::{BlockId, Function, OnUnknown, Terminator};
use std::collections::BTreeMap;

/// Gives a function's blocks new numbers.
pub fn renumber(function: &mut Function) {
    let reached = reached(&function.blocks);
    let numbers: BTreeMap<BlockId, BlockId> = reached.iter().copied().zip(0..).collect();
    let old = std::mem::take(&mut function.blocks);
    let kept = (0u32..)
        .zip(old)
        .filter(|(id, _)| numbers.contains_key(id))
        .map(|(_, block)| block);
    function.blocks = kept.collect();
    for block in &mut function.blocks {
        for (from, _) in block.phis.iter_mut().flat_map(|phi| &mut phi.incoming) {
            *from = numbers.get(from).copied().unwrap_or(*from);
        }
        stop_where_gone(&mut block.end, &numbers);
        for target in targets_mut(&mut block.end) {
            *target = numbers.get(target).copied().unwrap_or(*target);
        }
    }
}

/// Advice that names a block which is gone is no advice.
fn stop_where_gone(end: &mut Terminator, numbers: &BTreeMap<BlockId, BlockId>) {
    if let Terminator::Branch { unknown, .. } | Terminator::Switch { unknown, .. } = end {
        let gone = match unknown {
            OnUnknown::Stop => false,
            OnUnknown::CheckPasses(to) | OnUnknown::TakeCuda(to) | OnUnknown::Join(to) => {
                !numbers.contains_key(to)
            }
            OnUnknown::LoopOnce { body, exit } => {
                !numbers.contains_key(body) || !numbers.contains_key(exit)
            }
        };
        if gone {
            *unknown = OnUnknown::Stop;
        }
    }
}
