//! Natural loops of a function: a head that dominates the block from which control comes back to it.

use crate::slice::flow::Flow;
use migfit_schema::program::BlockId;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};

/// The loops of one function: head to blocks.
pub struct Loops(BTreeMap<BlockId, BTreeSet<BlockId>>);

impl Loops {
    /// The loops of no function.
    pub const NONE: Loops = Loops(BTreeMap::new());

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
            return Loops(BTreeMap::new());
        };
        let dominators = simple_fast(&graph, *entry);
        let mut loops: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
        for ((from, node), tos) in (0u32..).zip(&nodes).zip(&flow.successors) {
            for to in tos {
                let above = dominators.dominators(*node).into_iter().flatten();
                if above
                    .map(NodeIndex::index)
                    .any(|above| above == *to as usize)
                {
                    loops.entry(*to).or_default().extend(body(*to, from, flow));
                }
            }
        }
        Loops(loops)
    }

    /// Heads of the loops around a block, outermost first.
    pub fn around(&self, block: BlockId) -> Vec<BlockId> {
        let mut heads: Vec<(usize, BlockId)> = self
            .0
            .iter()
            .filter(|(_, blocks)| blocks.contains(&block))
            .map(|(head, blocks)| (blocks.len(), *head))
            .collect();
        heads.sort_unstable_by(|one, other| other.cmp(one));
        heads.into_iter().map(|(_, head)| head).collect()
    }

    /// Blocks of the loop with this head.
    pub fn blocks(&self, head: BlockId) -> Option<&BTreeSet<BlockId>> {
        self.0.get(&head)
    }
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
