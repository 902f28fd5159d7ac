//! Blocks that nothing leads to, and edges that are gone.

use crate::slice::position::successors;
use crate::slice::rebuild::empty;
use migfit_schema::program::{Block, BlockId, Terminator};
use std::collections::BTreeSet;

/// Blocks that can be come to from the entry.
pub fn reached(blocks: &[Block]) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![0];
    while let Some(id) = waiting.pop() {
        if let Some(block) = blocks.get(id as usize)
            && seen.insert(id)
        {
            waiting.extend(successors(&block.end));
        }
    }
    seen
}

/// (from, to) of every edge.
pub fn edges(blocks: &[Block]) -> BTreeSet<(BlockId, BlockId)> {
    let from_each = (0u32..).zip(blocks);
    let each = from_each.flat_map(|(from, block)| {
        let to = successors(&block.end).into_iter();
        to.map(move |to| (from, to))
    });
    each.collect()
}

/// Blocks that nothing leads to any more become empty; ids stay.
pub fn clear_unreached(blocks: &mut [Block]) {
    let seen = reached(blocks);
    for (id, block) in (0u32..).zip(blocks.iter_mut()) {
        if !seen.contains(&id) {
            *block = empty(Terminator::Unreachable);
        }
    }
}

/// Phis name only blocks that control may come from, and each once.
pub fn forget_missing(blocks: &mut [Block]) {
    let edges = edges(blocks);
    for (id, block) in (0u32..).zip(blocks.iter_mut()) {
        for phi in &mut block.phis {
            let mut seen = BTreeSet::new();
            phi.incoming
                .retain(|(from, _)| edges.contains(&(*from, id)) && seen.insert(*from));
        }
    }
}
