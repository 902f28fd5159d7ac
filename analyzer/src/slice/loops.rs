//! Natural loops of a function: a head that dominates the block from which control comes back to it.

use crate::slice::flow::Flow;
use migfit_schema::program::BlockId;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};

/// The loops of one function.
pub struct Loops {
    /// Head to blocks.
    blocks: BTreeMap<BlockId, BTreeSet<BlockId>>,
    /// Per block the heads of the loops around it, outermost first.
    around: Vec<Vec<BlockId>>,
}

impl Loops {
    /// The loops of no function.
    pub const NONE: Loops = Loops {
        blocks: BTreeMap::new(),
        around: Vec::new(),
    };

    /// Finds them.
    pub fn of(flow: &Flow) -> Loops {
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = flow.successors.iter().map(|_| graph.add_node(())).collect();
        for (from, tos) in nodes.iter().zip(&flow.successors) {
            for to in tos.iter().filter_map(|to| nodes.get(*to as usize)) {
                graph.add_edge(*from, *to, ());
            }
        }
        let Some(entry) = nodes.first() else {
            return Loops::NONE;
        };
        let dominators = simple_fast(&graph, *entry);
        let mut loops: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
        for ((from, node), tos) in (0u32..).zip(&nodes).zip(&flow.successors) {
            // Only from blocks that control comes back to is the way up looked along.
            for to in tos
                .iter()
                .filter(|to| **to == from || flow.reaches(**to, from))
            {
                let above = dominators.dominators(*node).into_iter().flatten();
                if above
                    .map(NodeIndex::index)
                    .any(|above| above == *to as usize)
                {
                    loops.entry(*to).or_default().extend(body(*to, from, flow));
                }
            }
        }
        Loops {
            around: around(&loops, nodes.len()),
            blocks: loops,
        }
    }

    /// Heads of the loops around a block, outermost first.
    pub fn around(&self, block: BlockId) -> &[BlockId] {
        self.around.get(block as usize).map_or(&[], Vec::as_slice)
    }

    /// Blocks of the loop with this head.
    pub fn blocks(&self, head: BlockId) -> Option<&BTreeSet<BlockId>> {
        self.blocks.get(&head)
    }
}

/// Per block the heads of the loops that it is in, the largest loop first.
fn around(loops: &BTreeMap<BlockId, BTreeSet<BlockId>>, count: usize) -> Vec<Vec<BlockId>> {
    let mut by_size: Vec<(usize, BlockId)> = loops
        .iter()
        .map(|(head, blocks)| (blocks.len(), *head))
        .collect();
    by_size.sort_unstable_by(|one, other| other.cmp(one));
    let mut around = vec![Vec::new(); count];
    for (_, head) in by_size {
        for block in loops.get(&head).into_iter().flatten() {
            if let Some(heads) = around.get_mut(*block as usize) {
                heads.push(head);
            }
        }
    }
    around
}

/// Everything that leads to the back edge without passing the head.
fn body(head: BlockId, latch: BlockId, flow: &Flow) -> BTreeSet<BlockId> {
    let mut blocks = BTreeSet::from([head]);
    let mut waiting = vec![latch];
    while let Some(block) = waiting.pop() {
        if blocks.insert(block) {
            waiting.extend(flow.before(block));
        }
    }
    blocks
}
