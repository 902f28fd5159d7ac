//! The control-flow graph of one function: successors, predecessors, and which block can be reached from which.

use crate::slice::position::successors;
use fixedbitset::FixedBitSet;
use migfit_schema::program::{BlockId, Function};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::sync::OnceLock;

/// The control-flow graph of one function.
pub struct Flow {
    /// Blocks that each block may go on at; all of them exist.
    pub successors: Vec<Vec<BlockId>>,
    /// Blocks that each block may come from.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Per block the number of its component: blocks that lead to each other share one, and others are numbered before
    /// those that lead to them.
    components: Vec<u32>,
    /// Per component: whether it is a loop.
    loops: Vec<bool>,
    /// Per component: the components that a path of at least one edge leads to, once somebody has asked.
    reached: Vec<OnceLock<FixedBitSet>>,
    /// Per component: those that an edge leads to.
    next: Vec<Vec<u32>>,
}

impl Flow {
    /// The graph of no function.
    pub const NONE: Flow = Flow {
        successors: Vec::new(),
        predecessors: Vec::new(),
        components: Vec::new(),
        loops: Vec::new(),
        reached: Vec::new(),
        next: Vec::new(),
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
        let components = components(&successors);
        let number = components.iter().max().map_or(0, |last| *last as usize + 1);
        let mut flow = Flow {
            loops: vec![false; number],
            reached: vec![OnceLock::new(); number],
            next: vec![Vec::new(); number],
            successors,
            predecessors,
            components,
        };
        flow.join_components();
        flow
    }

    fn join_components(&mut self) {
        let edges = self.successors.iter().zip(&self.components);
        for (tos, from) in edges {
            for to in tos
                .iter()
                .filter_map(|to| self.components.get(*to as usize))
            {
                if to == from {
                    self.loops[*from as usize] = true;
                } else {
                    self.next[*from as usize].push(*to);
                }
            }
        }
        for next in &mut self.next {
            next.sort_unstable();
            next.dedup();
        }
    }

    /// Where a run comes to rest: of each component that no edge leaves the first block, so that every block leads to
    /// one of them.
    pub fn rests(&self) -> Vec<bool> {
        let mut found: Vec<bool> = self.next.iter().map(|next| !next.is_empty()).collect();
        let first = |component: &u32| !std::mem::replace(&mut found[*component as usize], true);
        self.components.iter().map(first).collect()
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

    /// False where surely no path leads from one block to the other. Costs nothing.
    pub fn may_reach(&self, from: BlockId, to: BlockId) -> bool {
        let component = |block: BlockId| self.components.get(block as usize);
        component(from) >= component(to)
    }

    /// Whether a path of at least one edge leads from one block to the other.
    pub fn reaches(&self, from: BlockId, to: BlockId) -> bool {
        let component = |block: BlockId| self.components.get(block as usize).copied();
        let (Some(from), Some(to)) = (component(from), component(to)) else {
            return false;
        };
        if from <= to {
            return from == to && self.loops[from as usize];
        }
        let reached = self.reached[from as usize].get_or_init(|| reached_from(from, &self.next));
        reached.contains(to as usize)
    }
}

/// The components that paths lead to; all of them have smaller numbers.
fn reached_from(from: u32, next: &[Vec<u32>]) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(from as usize);
    let mut waiting = vec![from];
    while let Some(component) = waiting.pop() {
        let new = next[component as usize].iter();
        waiting.extend(new.filter(|next| !seen.put(**next as usize)));
    }
    seen
}

/// Numbers the strongly connected components: petgraph gives each after those that it leads to.
fn components(successors: &[Vec<BlockId>]) -> Vec<u32> {
    let mut graph = DiGraph::<(), ()>::with_capacity(successors.len(), successors.len());
    successors.iter().for_each(|_| _ = graph.add_node(()));
    for (from, tos) in successors.iter().enumerate() {
        for to in tos {
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(*to as usize), ());
        }
    }
    let mut components = vec![0; successors.len()];
    for (number, blocks) in (0u32..).zip(kosaraju_scc(&graph)) {
        for block in blocks {
            components[block.index()] = number;
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, branch, c, function, give, jump, r};

    proptest::proptest! {
        #[test]
        fn a_block_reaches_what_a_walk_finds(ends in proptest::collection::vec((0u32..12, 0u32..12), 1..12)) {
            let count = ends.len() as u32;
            let blocks = ends.iter().map(|(then, otherwise)| {
                let end = match (then % count, otherwise % 4) {
                    (_, 0) => give(c(0)),
                    (to, 1) => jump(to),
                    (to, _) => branch(r(0), to, otherwise % count),
                };
                block(vec![], end)
            });
            let flow = Flow::of(&function("main", 1, blocks.collect()));
            for from in 0..count {
                let mut seen = std::collections::BTreeSet::new();
                let mut waiting = flow.after(from).to_vec();
                while let Some(next) = waiting.pop() {
                    if seen.insert(next) {
                        waiting.extend(flow.after(next));
                    }
                }
                for to in 0..count {
                    assert_eq!(flow.reaches(from, to), seen.contains(&to), "{from} to {to}");
                    assert!(flow.may_reach(from, to) || !seen.contains(&to));
                }
            }
        }
    }
}
