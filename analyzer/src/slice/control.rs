//! Control dependence: which branches decide whether a block runs. Computed from post-dominators after paths
//! that only lead to a failing exit are left out, so that error checks control nothing.

use crate::slice::event::is_on_the_way;
use crate::slice::flow::Flow;
use migfit_schema::program::{
    Block, BlockId, Callee, Function, Instruction, Op, Operand, Terminator,
};
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};

/// Control dependence of one function.
pub struct Control {
    /// Per block: whether a path leads from it to a normal end.
    live: Vec<bool>,
    /// The same, where a throw is none.
    passing: Vec<bool>,
    /// Per block: the block where all its live ways meet; `None`: at the function's end.
    joins: Vec<Option<BlockId>>,
    /// Per block: the blocks whose branches decide whether it runs.
    controllers: Vec<Vec<BlockId>>,
    /// Per block: live successors.
    ways: Vec<Vec<BlockId>>,
    /// Per block that is not live: the successor nearest to an end.
    outs: Vec<Option<BlockId>>,
}

impl Control {
    /// Control dependence of no function.
    pub const NONE: Control = Control {
        live: Vec::new(),
        passing: Vec::new(),
        joins: Vec::new(),
        controllers: Vec::new(),
        ways: Vec::new(),
        outs: Vec::new(),
    };

    /// Control dependence of a function of a program that catches no exception: a throw is a failing end. A failing end
    /// behind a block of `working` counts as any other.
    pub fn of(function: &Function, flow: &Flow, working: &[bool]) -> Control {
        let ends: Vec<bool> = function.blocks.iter().map(ends_normally).collect();
        let passing = live(&ends, flow);
        Control::with_ends(function, ends, passing, flow, working)
    }

    /// Control dependence of a function of a program that catches exceptions: after a throw it may go on, at a handler
    /// or in a caller.
    pub fn with_handlers(function: &Function, flow: &Flow, working: &[bool]) -> Control {
        let ends: Vec<bool> = function.blocks.iter().map(ends_normally).collect();
        let throwing = |block: &Block| block.ops.iter().any(|found| is_on_the_way(&found.op));
        let throwing: Vec<bool> = function.blocks.iter().map(throwing).collect();
        let passing = live_past(&ends, flow, &throwing);
        Control::with_ends(function, ends, passing, flow, working)
    }

    fn with_ends(
        function: &Function,
        mut ends: Vec<bool>,
        passing: Vec<bool>,
        flow: &Flow,
        working: &[bool],
    ) -> Control {
        let starts_live = |live: &[bool]| live.first().copied().unwrap_or(false);
        let mut live = live(&ends, flow);
        let reached = behind_work(&live, working, flow);
        if !reached.is_empty() {
            reached.iter().for_each(|end| ends[*end] = true);
            live = self::live(&ends, flow);
        }
        if !starts_live(&live) {
            // The function always fails, or never ends: where it comes to rest is then its end.
            let never = |block: &Block| {
                block.ops.is_empty() && matches!(block.end, Terminator::Unreachable)
            };
            let never = function.blocks.iter().map(never);
            ends = flow.rests();
            let known: Vec<bool> = ends
                .iter()
                .zip(never)
                .map(|(end, not)| *end && !not)
                .collect();
            live = self::live(&known, flow);
            match starts_live(&live) {
                true => ends = known,
                false => live = self::live(&ends, flow),
            }
        }
        let ways: Vec<Vec<BlockId>> = flow
            .successors
            .iter()
            .map(|all| only_live(all, &live))
            .collect();
        let joins = joins(&ends, &live, &ways);
        let controllers = controllers(&live, &ways, &joins);
        Control {
            live,
            passing,
            joins,
            controllers,
            ways,
            outs: outs(flow),
        }
    }

    /// Whether a path leads from the block to a normal end.
    pub fn is_live(&self, block: BlockId) -> bool {
        self.live.get(block as usize).copied().unwrap_or(false)
    }

    /// The only way of a branch that may lead to a normal end other than a throw.
    pub fn only_passing_way(&self, block: BlockId) -> Option<BlockId> {
        let ways = self.ways(block).iter().copied();
        let passes = |way: &BlockId| self.passing.get(*way as usize).copied().unwrap_or(false);
        let mut passing = ways.filter(passes);
        passing.next().filter(|_| passing.next().is_none())
    }

    /// Where the ways of a block meet again; `None`: at the function's end.
    pub fn join(&self, block: BlockId) -> Option<BlockId> {
        self.joins.get(block as usize).copied().flatten()
    }

    /// Blocks whose branches decide whether this one runs.
    pub fn controllers(&self, block: BlockId) -> &[BlockId] {
        self.controllers
            .get(block as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Successors that may lead to a normal end.
    pub fn ways(&self, block: BlockId) -> &[BlockId] {
        self.ways.get(block as usize).map_or(&[], Vec::as_slice)
    }

    /// From a block that only leads to failing ends: the quickest way there.
    pub fn out(&self, block: BlockId) -> Option<BlockId> {
        self.outs.get(block as usize).copied().flatten()
    }
}

fn only_live(all: &[BlockId], live: &[bool]) -> Vec<BlockId> {
    all.iter()
        .copied()
        .filter(|block| live.get(*block as usize).copied().unwrap_or(false))
        .collect()
}

/// A return, or an end of the process that is not known to be a failure.
fn ends_normally(block: &Block) -> bool {
    match block.end {
        Terminator::Return(_) => true,
        Terminator::Unreachable => block.ops.iter().any(exits_without_failing),
        _ => false,
    }
}

/// `exit(0)`, an exit whose status is computed, the end of a thread, or a jump back to a `setjmp`, behind which the
/// program may go on.
pub fn exits_without_failing(instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Call {
            callee: Callee::External(name),
            ..
        } if name == "pthread_exit" || jumps_back(name) => true,
        Op::Call {
            callee: Callee::External(name),
            args,
            ..
        } if is_exit(name) => {
            !matches!(args.first(), Some((Operand::Const(status), _)) if *status != 0)
        }
        _ => false,
    }
}

/// Functions that jump back to a `setjmp`.
fn jumps_back(name: &str) -> bool {
    matches!(
        name,
        "longjmp" | "_longjmp" | "__longjmp_chk" | "siglongjmp"
    )
}

/// Functions that end the process with a status.
pub fn is_exit(name: &str) -> bool {
    matches!(name, "exit" | "_exit" | "_Exit" | "quick_exit")
}

/// Where runs come to rest behind work from which no normal end can be reached.
fn behind_work(live: &[bool], working: &[bool], flow: &Flow) -> Vec<usize> {
    let rests = flow.rests();
    let lost = (0u32..).zip(live.iter().zip(working));
    let lost: Vec<BlockId> = lost
        .filter(|(_, (live, works))| !**live && **works)
        .map(|(block, _)| block)
        .collect();
    let behind = |end: BlockId| {
        let mut from = lost.iter();
        from.any(|block| *block == end || flow.reaches(*block, end))
    };
    let rests = (0u32..).zip(rests).filter(|(_, rests)| *rests);
    rests
        .filter(|(end, _)| behind(*end))
        .map(|(end, _)| end as usize)
        .collect()
}

/// Blocks from which a normal end can be reached.
fn live(ends: &[bool], flow: &Flow) -> Vec<bool> {
    live_past(ends, flow, &vec![false; ends.len()])
}

/// The same, without a way through blocks that are shut.
fn live_past(ends: &[bool], flow: &Flow, shut: &[bool]) -> Vec<bool> {
    let mut live: Vec<bool> = ends
        .iter()
        .zip(shut)
        .map(|(end, shut)| *end && !shut)
        .collect();
    let mut waiting: Vec<usize> = (0..live.len()).filter(|block| live[*block]).collect();
    while let Some(block) = waiting.pop() {
        for previous in flow.predecessors.get(block).into_iter().flatten() {
            let previous = *previous as usize;
            if !live[previous] && !shut[previous] {
                live[previous] = true;
                waiting.push(previous);
            }
        }
    }
    live
}

/// Immediate post-dominators: dominators of the reversed graph from one node behind all ends.
fn joins(ends: &[bool], live: &[bool], ways: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    let mut reversed = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = ends.iter().map(|_| reversed.add_node(())).collect();
    let end = reversed.add_node(());
    for (block, tos) in ways.iter().enumerate() {
        if !live[block] {
            continue;
        }
        if ends[block] {
            reversed.add_edge(end, nodes[block], ());
        }
        for to in tos {
            reversed.add_edge(nodes[*to as usize], nodes[block], ());
        }
    }
    let dominators: Dominators<NodeIndex> = simple_fast(&reversed, end);
    let join = |node: &NodeIndex| {
        let join = dominators
            .immediate_dominator(*node)
            .filter(|join| *join != end)?;
        u32::try_from(join.index()).ok()
    };
    nodes.iter().map(join).collect()
}

/// A block depends on a branch when one way of it always leads there and another need not.
fn controllers(
    live: &[bool],
    ways: &[Vec<BlockId>],
    joins: &[Option<BlockId>],
) -> Vec<Vec<BlockId>> {
    let mut controllers = vec![Vec::new(); live.len()];
    for (branch, tos) in (0u32..).zip(ways) {
        if tos.len() < 2 || !live[branch as usize] {
            continue;
        }
        for to in tos {
            let mut block = Some(*to);
            while let Some(current) =
                block.filter(|current| Some(*current) != joins[branch as usize])
            {
                let list: &mut Vec<BlockId> = &mut controllers[current as usize];
                if list.last() == Some(&branch) {
                    break;
                }
                list.push(branch);
                block = joins[current as usize];
            }
        }
    }
    controllers
}

/// Per block the successor with the shortest way to any end.
fn outs(flow: &Flow) -> Vec<Option<BlockId>> {
    let count = flow.successors.len();
    let mut outs = vec![None; count];
    let mut done: Vec<bool> = flow.successors.iter().map(Vec::is_empty).collect();
    let mut waiting: std::collections::VecDeque<usize> =
        (0..count).filter(|block| done[*block]).collect();
    while let Some(block) = waiting.pop_front() {
        for previous in flow.predecessors.get(block).into_iter().flatten() {
            let previous = *previous as usize;
            if !done[previous] {
                done[previous] = true;
                outs[previous] = u32::try_from(block).ok();
                waiting.push_back(previous);
            }
        }
    }
    outs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slice::draft::{block, branch, c, call, function, give, jump, r};

    /// `if (r0) { exit(status); }  return 0;`
    fn check(status: Operand) -> Control {
        let exit = vec![call("exit", &[status])];
        let body = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(exit, Terminator::Unreachable),
                block(vec![], give(c(0))),
            ],
        );
        Control::of(&body, &Flow::of(&body), &[])
    }

    #[test]
    fn an_error_exit_controls_nothing() {
        let control = check(c(1));
        assert_eq!(control.ways(0), [2]);
        assert!(control.controllers(2).is_empty() && !control.is_live(1));
        assert_eq!(control.join(0), Some(2));
    }

    #[test]
    fn exit_with_zero_or_a_computed_status_is_a_normal_end() {
        for status in [c(0), r(0)] {
            let control = check(status);
            assert_eq!(control.ways(0), [1, 2]);
            assert_eq!(
                (control.controllers(1), control.controllers(2)),
                (&[0][..], &[0][..])
            );
            assert_eq!(control.join(0), None);
        }
    }

    #[test]
    fn a_loops_head_controls_its_body_and_itself_but_not_what_follows() {
        let body = function(
            "main",
            1,
            vec![
                block(vec![], jump(1)),
                block(vec![], branch(r(0), 2, 3)),
                block(vec![], jump(1)),
                block(vec![], give(c(0))),
            ],
        );
        let control = Control::of(&body, &Flow::of(&body), &[]);
        assert_eq!(
            (control.controllers(1), control.controllers(2)),
            (&[1][..], &[1][..])
        );
        assert!(control.controllers(3).is_empty() && control.controllers(0).is_empty());
        assert_eq!(control.join(1), Some(3));
    }

    #[test]
    fn a_function_that_always_fails_keeps_all_its_blocks() {
        let fail = || vec![call("exit", &[c(1)])];
        let body = function(
            "fail",
            1,
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(fail(), Terminator::Unreachable),
                block(fail(), Terminator::Unreachable),
            ],
        );
        let control = Control::of(&body, &Flow::of(&body), &[]);
        assert!((0..3).all(|block| control.is_live(block)));
        assert_eq!(control.controllers(2), [0]);
    }

    #[test]
    fn a_function_that_always_fails_ends_where_it_fails() {
        let exit = vec![call("exit", &[c(3)])];
        let body = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(vec![], jump(3)),
                block(vec![], jump(3)),
                block(exit, Terminator::Unreachable),
            ],
        );
        let control = Control::of(&body, &Flow::of(&body), &[]);
        assert_eq!((control.join(0), control.join(1)), (Some(3), Some(3)));
        assert_eq!(control.controllers(3), [] as [BlockId; 0]);
        assert_eq!(control.controllers(1), [0]);
    }

    #[test]
    fn a_failing_end_behind_work_is_an_end() {
        let exit = vec![call("exit", &[c(3)])];
        let body = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 3)),
                block(vec![call("cudaMalloc", &[c(0)])], jump(2)),
                block(exit, Terminator::Unreachable),
                block(vec![], give(c(0))),
            ],
        );
        let flow = Flow::of(&body);
        let failing = Control::of(&body, &flow, &[]);
        assert_eq!((failing.ways(0), failing.is_live(1)), (&[3][..], false));
        let working = Control::of(&body, &flow, &[false, true, false, false]);
        assert_eq!((working.ways(0), working.is_live(1)), (&[1, 3][..], true));
        assert_eq!(working.controllers(1), [0]);
    }

    #[test]
    fn a_function_that_never_ends_has_joins_on_its_way() {
        let body = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 2)),
                block(vec![], jump(2)),
                block(vec![], branch(r(0), 3, 4)),
                block(vec![], jump(2)),
                block(vec![], Terminator::Unreachable),
            ],
        );
        let control = Control::of(&body, &Flow::of(&body), &[]);
        assert_eq!(control.join(0), Some(2));
    }

    #[test]
    fn the_quickest_way_out_of_a_failing_block_is_known() {
        let body = function(
            "main",
            1,
            vec![
                block(vec![], branch(r(0), 1, 3)),
                block(vec![], jump(2)),
                block(vec![call("abort", &[])], Terminator::Unreachable),
                block(vec![], give(c(0))),
            ],
        );
        let control = Control::of(&body, &Flow::of(&body), &[]);
        assert_eq!((control.out(1), control.out(2)), (Some(2), None));
    }

    #[test]
    fn a_throw_is_a_way_of_its_own_only_where_something_may_catch_it() {
        let throw = || vec![call("__cxa_throw", &[c(0)])];
        let body = |end| {
            let blocks = vec![
                block(vec![], branch(r(0), 1, 2)),
                block(throw(), end),
                block(vec![], give(c(0))),
            ];
            function("main", 1, blocks)
        };
        let dying = body(Terminator::Unreachable);
        assert_eq!(Control::of(&dying, &Flow::of(&dying), &[]).ways(0), [2]);
        let caught = body(jump(2));
        let caught = Control::with_handlers(&caught, &Flow::of(&caught), &[]);
        assert_eq!(caught.ways(0), [1, 2]);
        assert_eq!(caught.controllers(1), [0]);
        assert_eq!(caught.only_passing_way(0), Some(2));
    }
}
