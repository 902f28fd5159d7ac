//! What an evaluator does at a branch whose condition is unknown: decided here from the control-flow graph, since
//! it needs to know where CUDA calls are (SIZES.md, rule 7).

use crate::slice::control::Control;
use crate::slice::flow::Flow;
use crate::slice::loops::Loops;
use fixedbitset::FixedBitSet;
use migfit_schema::program::{BlockId, Function, OnUnknown, Terminator};
use std::collections::BTreeSet;

/// The function around a branch.
pub struct Surroundings<'a> {
    /// The function.
    pub body: &'a Function,
    /// Its control flow.
    pub flow: &'a Flow,
    /// Its control dependence.
    pub control: &'a Control,
    /// Its loops.
    pub loops: &'a Loops,
    /// Whether a block holds CUDA calls, or calls that lead to some.
    pub has_events: &'a dyn Fn(BlockId) -> bool,
    /// True for `main`: nothing comes after its end.
    pub is_main: bool,
}

impl Surroundings<'_> {
    /// The advice for the branch at the end of a block.
    pub fn advice(&self, block: BlockId) -> OnUnknown {
        if !self.control.is_live(block) {
            return OnUnknown::Stop;
        }
        if let [only] = self.control.ways(block) {
            let others = self.flow.after(block).len() > 1;
            return if others {
                OnUnknown::CheckPasses(*only)
            } else {
                OnUnknown::Stop
            };
        }
        if let Some(advice) = self.of_loop(block) {
            return advice;
        }
        let join = self.control.join(block);
        match (self.ways_with_events(block, join).as_slice(), join) {
            ([], Some(join)) => OnUnknown::Join(join),
            ([], None) => self.way_that_returns(block),
            ([only], _) => OnUnknown::TakeCuda(*only),
            _ => OnUnknown::Stop,
        }
    }

    /// Where one way stays in a loop around the block and another leaves it; the innermost such loop counts.
    fn of_loop(&self, block: BlockId) -> Option<OnUnknown> {
        let heads = self.loops.around(block);
        let (head, body, inside, exit) = heads.iter().rev().find_map(|head| {
            let body = self.loops.blocks(*head)?;
            let ways = self.control.ways(block).iter();
            let (inside, outside): (Vec<BlockId>, Vec<BlockId>) =
                ways.partition(|way| body.contains(way));
            Some((*head, body, *inside.first()?, *outside.first()?))
        })?;
        if !body.iter().any(|block| (self.has_events)(*block)) {
            let join = self.control.join(block);
            return Some(match join {
                Some(join) if self.ways_with_events(block, Some(join)).is_empty() => {
                    OnUnknown::Join(join)
                }
                // The loop has several exits with CUDA calls behind some: this one is taken, and said to be.
                _ => OnUnknown::LoopOnce { body: inside, exit },
            });
        }
        // At the end of a body that has run (do ... while) the loop is left; at its head the body runs once.
        let has_run = self.events_come_first(head, block, body);
        Some(OnUnknown::LoopOnce {
            body: if has_run { exit } else { inside },
            exit,
        })
    }

    /// Whether CUDA calls of a loop's body run before the branch when the loop is entered at its head.
    fn events_come_first(&self, head: BlockId, branch: BlockId, body: &BTreeSet<BlockId>) -> bool {
        let mut seen = BTreeSet::from([branch]);
        let mut waiting = vec![head];
        while let Some(block) = waiting.pop() {
            if body.contains(&block) && seen.insert(block) {
                if (self.has_events)(block) {
                    return true;
                }
                waiting.extend(self.flow.after(block));
            }
        }
        (self.has_events)(branch)
    }

    /// Ways of a branch with CUDA calls before the join (before the function's end where there is none).
    fn ways_with_events(&self, block: BlockId, join: Option<BlockId>) -> Vec<BlockId> {
        let ways = self.control.ways(block).iter().copied();
        ways.filter(|way| {
            let mut passed = self.until(*way, join);
            passed.any(|block| (self.has_events)(block))
        })
        .collect()
    }

    /// The ways meet nowhere and hold no CUDA call: one that returns is taken where others end the process.
    fn way_that_returns(&self, block: BlockId) -> OnUnknown {
        let ways = self.control.ways(block);
        let returns = |way: &&BlockId| self.until(**way, None).any(|block| self.is_return(block));
        let returning: Vec<&BlockId> = ways.iter().filter(returns).collect();
        match (returning.as_slice(), ways) {
            ([only], _) => OnUnknown::CheckPasses(**only),
            ([first, ..], _) if self.is_main => OnUnknown::CheckPasses(**first),
            ([], [first, ..]) => OnUnknown::CheckPasses(*first),
            _ => OnUnknown::Stop,
        }
    }

    fn is_return(&self, block: BlockId) -> bool {
        let found = self.body.blocks.get(block as usize);
        found.is_some_and(|found| matches!(found.end, Terminator::Return(_)))
    }

    /// Blocks on ways from one block to another, the second left out.
    fn until(&self, from: BlockId, to: Option<BlockId>) -> impl Iterator<Item = BlockId> {
        let mut seen = FixedBitSet::with_capacity(self.flow.successors.len());
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            let inside = Some(block) != to && (block as usize) < seen.len();
            if inside && !seen.put(block as usize) {
                waiting.extend(self.flow.after(block));
            }
        }
        seen.into_ones()
            .filter_map(|block| BlockId::try_from(block).ok())
    }
}
