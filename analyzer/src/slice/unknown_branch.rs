//! What an evaluator does at a branch whose condition is unknown: decided here from the control-flow graph, since
//! it needs to know where CUDA calls are (SIZES.md, rule 7).

use crate::slice::control::Control;
use crate::slice::flow::Flow;
use migfit_schema::program::{BlockId, OnUnknown};
use std::collections::BTreeSet;

/// The advice for the branch at the end of a block. `has_events` says which blocks hold CUDA calls.
pub fn advice(
    block: BlockId,
    flow: &Flow,
    control: &Control,
    has_events: &dyn Fn(BlockId) -> bool,
) -> OnUnknown {
    let ways = flow
        .successors
        .get(block as usize)
        .map_or(&[][..], Vec::as_slice);
    if !control.is_live(block) {
        return OnUnknown::Stop;
    }
    if let [only] = control.ways(block) {
        return if ways.len() > 1 {
            OnUnknown::CheckPasses(*only)
        } else {
            OnUnknown::Stop
        };
    }
    if let Some(advice) = of_loop(block, flow, control, has_events) {
        return advice;
    }
    let Some(join) = control.join(block) else {
        return at_the_end(block, flow, control, has_events);
    };
    let with_events: Vec<BlockId> = control
        .ways(block)
        .iter()
        .copied()
        .filter(|way| between(*way, join, flow).into_iter().any(has_events))
        .collect();
    match with_events.as_slice() {
        [] => OnUnknown::Join(join),
        [only] => OnUnknown::TakeCuda(*only),
        _ => OnUnknown::Stop,
    }
}

/// The ways meet only at the function's end: take the one with CUDA calls, if one alone has any.
fn at_the_end(
    block: BlockId,
    flow: &Flow,
    control: &Control,
    has_events: &dyn Fn(BlockId) -> bool,
) -> OnUnknown {
    let ways = control.ways(block).iter().copied();
    let with_events: Vec<BlockId> = ways
        .filter(|way| {
            between(*way, BlockId::MAX, flow)
                .into_iter()
                .any(has_events)
        })
        .collect();
    match with_events.as_slice() {
        [only] => OnUnknown::TakeCuda(*only),
        _ => OnUnknown::Stop,
    }
}

/// Where one way stays in the smallest loop around the block and another leaves it.
fn of_loop(
    block: BlockId,
    flow: &Flow,
    control: &Control,
    has_events: &dyn Fn(BlockId) -> bool,
) -> Option<OnUnknown> {
    if !flow.reaches(block, block) {
        return None;
    }
    let ways = control.ways(block);
    let stays = |way: &BlockId| *way == block || flow.reaches(*way, block);
    let inside = ways.iter().copied().find(stays)?;
    let exit = ways.iter().copied().find(|way| !stays(way))?;
    let body = cycle(block, flow);
    if !body.iter().copied().any(has_events) {
        return control.join(block).map(OnUnknown::Join);
    }
    // At the end of a body that has run (do ... while) the loop is left; at its head the body runs once.
    let events_before = body
        .iter()
        .any(|one| has_events(*one) && comes_first(*one, block, flow));
    Some(OnUnknown::LoopOnce {
        body: if events_before { exit } else { inside },
        exit,
    })
}

/// Blocks on a cycle through this one.
fn cycle(block: BlockId, flow: &Flow) -> BTreeSet<BlockId> {
    let count = u32::try_from(flow.successors.len()).unwrap_or(0);
    (0..count)
        .filter(|one| *one == block || (flow.reaches(block, *one) && flow.reaches(*one, block)))
        .collect()
}

/// Whether a block of the cycle runs before the branch when the loop is entered from outside.
fn comes_first(one: BlockId, branch: BlockId, flow: &Flow) -> bool {
    if one == branch {
        return true;
    }
    let body = cycle(branch, flow);
    let entries = body.iter().copied().filter(|block| {
        flow.predecessors
            .get(*block as usize)
            .into_iter()
            .flatten()
            .any(|from| !body.contains(from))
    });
    // Walk from the loop's entries without passing the branch.
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<BlockId> = entries.filter(|entry| *entry != branch).collect();
    while let Some(block) = waiting.pop() {
        if block == one {
            return true;
        }
        if block != branch && body.contains(&block) && seen.insert(block) {
            waiting.extend(
                flow.successors
                    .get(block as usize)
                    .into_iter()
                    .flatten()
                    .filter(|next| **next != branch),
            );
        }
    }
    false
}

/// Blocks on ways from one block to another, the second left out.
fn between(from: BlockId, to: BlockId, flow: &Flow) -> Vec<BlockId> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        if block != to && seen.insert(block) {
            waiting.extend(flow.successors.get(block as usize).into_iter().flatten());
        }
    }
    seen.into_iter().collect()
}
