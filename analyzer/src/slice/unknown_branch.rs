//! What an evaluator does at a branch whose condition is unknown: decided here from the control-flow graph, since
//! it needs to know where CUDA calls are (SIZES.md, rule 7).

use crate::slice::control::Control;
use crate::slice::flow::Flow;
use crate::slice::loops::Loops;
use fixedbitset::FixedBitSet;
use migfit_schema::program::{Block, BlockId, Function, OnUnknown, Operand, Terminator};
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
        // Where every other way throws, the checks are taken to pass.
        if let Some(only) = self.control.only_passing_way(block) {
            return OnUnknown::CheckPasses(only);
        }
        if let Some(advice) = self.of_loop(block) {
            return advice;
        }
        let join = self.control.join(block);
        match (self.ways_with_events(block, join).as_slice(), join) {
            ([], Some(join)) => OnUnknown::Join(join),
            ([], None) => self.way_that_returns(block),
            ([only], _) => OnUnknown::TakeCuda(*only),
            _ => match self.way_with_most(block, join) {
                Some(way) => OnUnknown::TakeCuda(way),
                None => OnUnknown::Stop,
            },
        }
    }

    /// Of ways that all lead to CUDA calls: the one that leads to all those of the others and to more, as past a check
    /// behind which objects are freed either way. Where they lead to the same: the one that the others come to.
    fn way_with_most(&self, block: BlockId, join: Option<BlockId>) -> Option<BlockId> {
        let ways = self.control.ways(block);
        let passed: Vec<(BlockId, FixedBitSet)> = ways
            .iter()
            .map(|way| (*way, self.passed(*way, &[Some(block), join])))
            .collect();
        let events: Vec<FixedBitSet> = passed
            .iter()
            .map(|(_, passed)| self.events(passed))
            .collect();
        let most = passed.iter().zip(&events).find(|((way, _), own)| {
            let mut others = passed
                .iter()
                .zip(&events)
                .filter(|((other, _), _)| other != way);
            others.all(|(_, other)| other.is_subset(own) && other != *own)
        });
        if let Some(((way, _), _)) = most {
            return Some(*way);
        }
        if events.windows(2).any(|pair| pair.first() != pair.last()) {
            return None;
        }
        let reaches = |from: &(BlockId, FixedBitSet), to: BlockId| from.1.contains(to as usize);
        let last = passed.iter().find(|way| {
            let mut others = passed.iter().filter(|other| other.0 != way.0);
            others.all(|other| reaches(other, way.0) && !reaches(way, other.0))
        });
        last.map(|(way, _)| *way)
    }

    fn events(&self, blocks: &FixedBitSet) -> FixedBitSet {
        let mut events = blocks.clone();
        for block in blocks.ones() {
            events.set(
                block,
                BlockId::try_from(block).is_ok_and(|block| (self.has_events)(block)),
            );
        }
        events
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
        // A `return 1` in a loop of `main` is the failing end of a check, like `exit(1)`.
        if self.fails_from(block, exit) && !self.fails_from(block, inside) {
            return Some(OnUnknown::CheckPasses(inside));
        }
        if !body.iter().any(|block| (self.has_events)(*block)) {
            let join = self.control.join(block);
            return Some(match join {
                Some(join) if self.ways_with_events(block, Some(join)).is_empty() => {
                    OnUnknown::Join(join)
                }
                // Several exits: behind the others is all that comes behind this one, and more.
                _ if self.way_with_most(block, None) == Some(inside) => OnUnknown::TakeCuda(inside),
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

    /// Whether an edge leads straight to the end of `main` with a status that is known not to be 0.
    fn fails_from(&self, mut from: BlockId, mut to: BlockId) -> bool {
        for _ in &self.body.blocks {
            let Some(block) = self.body.blocks.get(to as usize).filter(|_| self.is_main) else {
                return false;
            };
            match &block.end {
                Terminator::Jump(next) if !(self.has_events)(to) => (from, to) = (to, *next),
                Terminator::Return(values) => {
                    let status = values.first().map(|value| came_with(block, from, *value));
                    return matches!(status, Some(Operand::Const(status)) if status != 0);
                }
                _ => return false,
            }
        }
        false
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
        let seen = self.passed(from, &[to]);
        seen.into_ones()
            .filter_map(|block| BlockId::try_from(block).ok())
    }

    /// Blocks on ways from one block up to any of others, those left out.
    fn passed(&self, from: BlockId, ends: &[Option<BlockId>]) -> FixedBitSet {
        let mut seen = FixedBitSet::with_capacity(self.flow.successors.len());
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            let inside = !ends.contains(&Some(block)) && (block as usize) < seen.len();
            if inside && !seen.put(block as usize) {
                waiting.extend(self.flow.after(block));
            }
        }
        seen
    }
}

/// A value where control comes from a block: of a phi what it takes then.
fn came_with(block: &Block, from: BlockId, value: Operand) -> Operand {
    let mut phis = block.phis.iter();
    let phi = phis.find(|phi| Operand::Reg(phi.dst) == value);
    let taken = phi.and_then(|phi| phi.incoming.iter().find(|(block, _)| *block == from));
    taken.map_or(value, |(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, branch, c, call, function, give, joined, jump, phi, r};
    /// The advice for each branch, where these blocks hold CUDA calls.
    fn advice(blocks: Vec<Block>, events: &[BlockId], branch: BlockId) -> OnUnknown {
        let body = function("main", 1, blocks);
        let flow = Flow::of(&body);
        let surroundings = Surroundings {
            control: &Control::of(&body, &flow, &[]),
            loops: &Loops::of(&flow),
            has_events: &|block| events.contains(&block),
            flow: &flow,
            body: &body,
            is_main: true,
        };
        surroundings.advice(branch)
    }

    fn to(block_id: BlockId) -> Block {
        block(vec![], jump(block_id))
    }

    fn fork(then: BlockId, otherwise: BlockId) -> Block {
        block(vec![], branch(r(0), then, otherwise))
    }

    fn end() -> Block {
        block(vec![], give(c(0)))
    }

    #[test]
    fn a_while_loop_runs_its_body_and_a_do_while_loop_has_run_it() {
        let head = || vec![to(1), fork(2, 3), to(1), end()];
        let once = OnUnknown::LoopOnce { body: 2, exit: 3 };
        assert_eq!(advice(head(), &[2], 1), once);
        let foot = || vec![to(1), fork(1, 2), end()];
        let left = OnUnknown::LoopOnce { body: 2, exit: 2 };
        assert_eq!(advice(foot(), &[1], 1), left);
    }

    #[test]
    fn a_loop_of_main_is_not_left_for_a_failing_status() {
        // 1 head, 2 body with a check, 3 latch, 4 failing way, 5 end.
        let blocks = |status| {
            vec![
                to(1),
                fork(2, 5),
                fork(3, 4),
                to(1),
                to(5),
                joined(
                    vec![phi(9, &[(1, c(0)), (4, c(status))])],
                    vec![],
                    give(r(9)),
                ),
            ]
        };
        assert_eq!(advice(blocks(1), &[2], 2), OnUnknown::CheckPasses(3));
        let left = OnUnknown::LoopOnce { body: 4, exit: 4 };
        assert_eq!(advice(blocks(0), &[2], 2), left);
    }

    #[test]
    fn an_inner_loop_is_left_though_an_outer_one_comes_back_to_it() {
        // 1 outer head, 2 inner body and test, 3 outer latch.
        let blocks = vec![to(1), fork(2, 4), fork(2, 3), to(1), end()];
        assert_eq!(
            advice(blocks, &[2], 2),
            OnUnknown::LoopOnce { body: 3, exit: 3 }
        );
    }

    #[test]
    fn a_loop_without_cuda_calls_is_skipped() {
        let blocks = vec![to(1), fork(2, 3), to(1), end()];
        assert_eq!(advice(blocks, &[3], 1), OnUnknown::Join(3));
    }

    #[test]
    fn a_loop_with_cuda_calls_behind_one_of_its_exits_is_not_skipped() {
        // 1 head leaves to 5, 2 leaves to 4 with a CUDA call; both meet at 5.
        let blocks = vec![to(1), fork(2, 5), fork(3, 4), to(1), to(5), end()];
        assert_eq!(
            advice(blocks, &[4], 2),
            OnUnknown::LoopOnce { body: 3, exit: 4 }
        );
    }

    #[test]
    fn the_way_with_cuda_calls_is_taken_and_of_two_none() {
        let arms = || vec![fork(1, 2), to(3), to(3), end()];
        assert_eq!(advice(arms(), &[2, 3], 0), OnUnknown::TakeCuda(2));
        assert_eq!(advice(arms(), &[1, 2], 0), OnUnknown::Stop);
        assert_eq!(advice(arms(), &[3], 0), OnUnknown::Join(3));
    }

    #[test]
    fn a_check_in_a_loop_passes_where_all_that_follows_its_failure_comes_anyway() {
        // 2 leaves the loop of 1 to 4, which frees; the loop's end, 5, launches and comes to 4 as well.
        let blocks = vec![to(1), fork(2, 5), fork(3, 4), to(1), end(), to(4)];
        assert_eq!(advice(blocks, &[4, 5], 2), OnUnknown::TakeCuda(3));
    }

    #[test]
    fn of_ways_with_cuda_calls_the_one_with_all_of_them_is_taken() {
        // Both ways come to the release in 3, one launches before; a third block keeps them from meeting.
        let blocks = || vec![fork(1, 2), fork(3, 4), fork(3, 4), end(), end()];
        assert_eq!(advice(blocks(), &[1, 3], 0), OnUnknown::TakeCuda(1));
        assert_eq!(advice(blocks(), &[1, 2, 3], 0), OnUnknown::Stop);
        // The first way may end by itself (a caught throw), else it comes to the second.
        let skipped = vec![fork(1, 2), fork(2, 3), end(), end()];
        assert_eq!(advice(skipped, &[2], 0), OnUnknown::TakeCuda(2));
    }

    #[test]
    fn an_error_exit_is_not_taken() {
        let fail = block(vec![call("exit", &[c(1)])], Terminator::Unreachable);
        let blocks = vec![fork(1, 2), fail, end()];
        assert_eq!(advice(blocks, &[1], 0), OnUnknown::CheckPasses(2));
    }

    #[test]
    fn a_way_that_returns_is_preferred_to_one_that_ends_the_process() {
        let leave = block(vec![call("exit", &[r(0)])], Terminator::Unreachable);
        let blocks = vec![fork(1, 2), leave, end()];
        assert_eq!(advice(blocks, &[], 0), OnUnknown::CheckPasses(2));
    }
}
