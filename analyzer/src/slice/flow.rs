//! The control-flow graph of each function: successors, predecessors, and which block can be reached from which.

use crate::slice::position::successors;
use fixedbitset::FixedBitSet;
use migfit_schema::program::{BlockId, Function, SizeProgram};

/// The control-flow graph of one function.
pub struct Flow {
    /// Blocks that each block may go on at.
    pub successors: Vec<Vec<BlockId>>,
    /// Blocks that each block may come from.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Per block: the blocks that a path of at least one edge leads to.
    reached: Vec<FixedBitSet>,
}

/// One graph per function, in the program's order.
pub fn flows(program: &SizeProgram) -> Vec<Flow> {
    program.functions.iter().map(Flow::of).collect()
}

impl Flow {
    fn of(function: &Function) -> Flow {
        let count = function.blocks.len();
        let successors: Vec<Vec<BlockId>> = function
            .blocks
            .iter()
            .map(|block| successors(&block.end))
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
