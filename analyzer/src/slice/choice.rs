//! Which branches decide by which edge control enters a block, and so the value of its phis. The branch at a
//! loop's head decides when the loop is left, not whether: it is none of them.

use crate::slice::control::Control;
use crate::slice::flow::Flow;
use fixedbitset::FixedBitSet;
use migfit_schema::program::BlockId;
use std::collections::BTreeSet;

/// A block with several ways in.
pub struct Choice {
    /// The block.
    pub block: BlockId,
    /// Blocks that control may come from.
    pub incoming: Vec<BlockId>,
}

impl Choice {
    /// The branches that decide.
    pub fn deciders(&self, flow: &Flow, control: &Control) -> Vec<BlockId> {
        let mut candidates: BTreeSet<BlockId> = self.incoming.iter().copied().collect();
        let mut waiting: Vec<BlockId> = self.incoming.clone();
        while let Some(block) = waiting.pop() {
            for branch in control.controllers(block) {
                if candidates.insert(*branch) {
                    waiting.push(*branch);
                }
            }
        }
        candidates
            .into_iter()
            .filter(|branch| self.is_decided_by(*branch, flow, control))
            .collect()
    }

    /// Whether two ways of a branch lead in by different edges.
    fn is_decided_by(&self, branch: BlockId, flow: &Flow, control: &Control) -> bool {
        let edges = control
            .ways(branch)
            .iter()
            .map(|way| self.edges_behind(branch, *way, flow));
        let mut edges = edges.filter(|edges| !edges.is_empty());
        let Some(first) = edges.next() else {
            return false;
        };
        edges.any(|other| other != first)
    }

    /// Incoming edges that a way of a branch can lead to before the branch is met again.
    fn edges_behind(&self, branch: BlockId, way: BlockId, flow: &Flow) -> BTreeSet<BlockId> {
        let mut found = BTreeSet::new();
        if way == self.block {
            found.insert(branch);
            return found;
        }
        let mut seen = FixedBitSet::with_capacity(flow.successors.len());
        let mut waiting = vec![way];
        while let Some(block) = waiting.pop() {
            let met = block == branch || block == self.block;
            let passed = !flow.may_reach(block, self.block);
            if met || passed || block as usize >= seen.len() || seen.put(block as usize) {
                continue;
            }
            for next in flow.after(block) {
                if *next == self.block {
                    found.insert(block);
                }
                waiting.push(*next);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, branch, c, function, give, jump, r};
    use migfit_schema::program::Function;

    /// 0 goes to the loop 1-2 or past it; 3 joins what left the loop and what went past.
    fn around_a_loop() -> Function {
        function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 3)),
                block(vec![], branch(r(0), 2, 3)),
                block(vec![], jump(1)),
                block(vec![], give(c(0))),
            ],
        )
    }

    fn deciders(body: &Function, block: BlockId, incoming: &[BlockId]) -> Vec<BlockId> {
        let flow = Flow::of(body);
        let control = Control::of(body, &flow, &[]);
        let incoming = incoming.to_vec();
        Choice { block, incoming }.deciders(&flow, &control)
    }

    #[test]
    fn a_loops_head_does_not_decide_behind_the_loop() {
        assert_eq!(deciders(&around_a_loop(), 3, &[0, 1]), [0]);
    }

    #[test]
    fn two_arms_are_decided_by_their_branch() {
        let arms = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(vec![], jump(3)),
                block(vec![], jump(3)),
                block(vec![], give(c(0))),
            ],
        );
        assert_eq!(deciders(&arms, 3, &[1, 2]), [0]);
    }

    #[test]
    fn an_error_exit_inside_an_arm_decides_nothing() {
        use migfit_schema::program::Terminator::Unreachable;
        let arms = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(vec![], branch(r(0), 4, 3)),
                block(vec![], jump(3)),
                block(vec![], give(c(0))),
                block(vec![], Unreachable),
            ],
        );
        assert_eq!(deciders(&arms, 3, &[1, 2]), [0]);
    }
}
