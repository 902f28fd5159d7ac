//! The control-flow graph of one function: successors, predecessors, and which block can be reached from which.

use crate::slice::position::successors;
use fixedbitset::FixedBitSet;
use migfit_schema::program::{BlockId, Function};

/// The control-flow graph of one function.
pub struct Flow {
    /// Blocks that each block may go on at; all of them exist.
    pub successors: Vec<Vec<BlockId>>,
    /// Blocks that each block may come from.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Per block: the blocks that a path of at least one edge leads to.
    reached: Vec<FixedBitSet>,
}

impl Flow {
    /// The graph of no function.
    pub const NONE: Flow = Flow {
        successors: Vec::new(),
        predecessors: Vec::new(),
        reached: Vec::new(),
    };

    /// The graph of a function.
    pub fn of(function: &Function) -> Flow {
        let count = function.blocks.len();
        let successors: Vec<Vec<BlockId>> = function
            .blocks
            .iter()
            .map(|block| successors(&block.end))
            .map(|all| {
                all.into_iter()
                    .filter(|to| (*to as usize) < count)
                    .collect()
            })
            .collect();
        let mut predecessors = vec![Vec::new(); count];
        for (from, tos) in (0u32..).zip(&successors) {
            for to in tos {
                if let Some(list) = predecessors.get_mut(*to as usize) {
                    list.push(from);
                }
            }
        }
        let reached = (0..count)
            .map(|from| reached_from(from, &successors))
            .collect();
        Flow {
            successors,
            predecessors,
            reached,
        }
    }

    /// Blocks that a block may go on at.
    pub fn after(&self, block: BlockId) -> &[BlockId] {
        self.successors
            .get(block as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Blocks that a block may come from.
    pub fn before(&self, block: BlockId) -> &[BlockId] {
        self.predecessors
            .get(block as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Whether a path of at least one edge leads from one block to the other.
    pub fn reaches(&self, from: BlockId, to: BlockId) -> bool {
        self.reached
            .get(from as usize)
            .is_some_and(|set| set.contains(to as usize))
    }
}

fn reached_from(from: usize, successors: &[Vec<BlockId>]) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(successors.len());
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        for next in successors.get(block).into_iter().flatten() {
            let next = *next as usize;
            if next < successors.len() && !seen.put(next) {
                waiting.push(next);
            }
        }
    }
    seen
}
