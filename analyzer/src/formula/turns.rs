//! How often a site runs: the product of the turns of the loops around it.

use crate::formula::expression::Builder;
use crate::formula::scene::Scene;
use crate::formula::simplify::{binary, unary};
use crate::formula::unknown::{first_unknown, unknown};
use crate::slice::position::{Position, instruction};
use migfit_schema::formula::{BinaryOp, CompareOp, Expr, LoopVar, UnaryOp};
use migfit_schema::program::{BlockId, FunctionId, Operand, Place, Terminator, Type};
use std::collections::BTreeSet;

/// Calls of calls deeper than this are not followed.
const DEPTH: usize = 16;
/// Functions with more blocks are not looked through for conditions.
const MOST_BLOCKS: usize = 4096;

/// How many times an instruction runs.
pub fn times(scene: &Scene<'_>, at: Position) -> Expr {
    times_within(scene, at, &mut Vec::new())
}

/// The turns of the loops around it, times the sum over the calls of its function.
fn times_within(scene: &Scene<'_>, at: Position, on_the_way: &mut Vec<FunctionId>) -> Expr {
    let own = in_function(scene, at);
    let calls = scene.calls(at.function);
    if scene.program.main == Some(at.function) || calls.is_empty() {
        return own;
    }
    if on_the_way.contains(&at.function) || on_the_way.len() > DEPTH {
        return unknown(None, "a function that calls itself");
    }
    if !scene.spend(calls.len()) {
        return unknown(None, "a long computation");
    }
    on_the_way.push(at.function);
    let mut sum = Expr::Int(0);
    for call in calls {
        sum = known(BinaryOp::Add, sum, times_within(scene, *call, on_the_way));
    }
    on_the_way.pop();
    // Once or never is what a formula may leave open: it says what a site asks for when it runs.
    if sum != Expr::Int(1) && !every_call(scene, at) {
        let place = instruction(scene.program, at).map(|found| found.place);
        let site = place.and_then(|place| scene.site(place));
        return unknown(
            site,
            "a condition in a function that is called several times",
        );
    }
    known(BinaryOp::Mul, sum, own)
}

/// Whether each call of its function that returns has passed an instruction.
fn every_call(scene: &Scene<'_>, at: Position) -> bool {
    let Some(body) = scene.body(at.function) else {
        return false;
    };
    if body.blocks.len() > MOST_BLOCKS {
        return false;
    }
    let outermost = scene.graphs.loops(at.function).around(at.block);
    let passed = outermost.first().copied().unwrap_or(at.block);
    let returns = |block: &BlockId| {
        let block = body.blocks.get(*block as usize);
        block.is_some_and(|block| matches!(block.end, Terminator::Return(_)))
    };
    !reached_without(scene, at.function, &[0], passed)
        .iter()
        .any(returns)
}

/// The blocks that can be reached from these without passing a block.
fn reached_without(
    scene: &Scene<'_>,
    function: FunctionId,
    from: &[BlockId],
    without: BlockId,
) -> BTreeSet<BlockId> {
    let flow = scene.graphs.flow(function);
    let mut seen = BTreeSet::new();
    let mut waiting = from.to_vec();
    while let Some(block) = waiting.pop() {
        if block != without && seen.insert(block) {
            waiting.extend(flow.after(block));
        }
    }
    seen
}

/// Whether each turn of a loop passes a block.
fn every_turn(scene: &Scene<'_>, function: FunctionId, head: BlockId, block: BlockId) -> bool {
    let loops = scene.graphs.loops(function);
    let Some(blocks) = loops.blocks(head).filter(|_| head != block) else {
        return true;
    };
    if blocks.len() > MOST_BLOCKS {
        return false;
    }
    let flow = scene.graphs.flow(function);
    let inside = |block: &BlockId| blocks.contains(block);
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<BlockId> = flow.after(head).iter().copied().filter(inside).collect();
    while let Some(next) = waiting.pop() {
        if next == head {
            return false;
        }
        if next != block && seen.insert(next) {
            waiting.extend(flow.after(next).iter().copied().filter(inside));
        }
    }
    true
}

/// The operation, or the operand that is not known.
fn known(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (Expr::Unknown { .. }, _) => left,
        (_, Expr::Unknown { .. }) => right,
        _ => binary(op, left, right),
    }
}

/// The product of the turns of the loops around an instruction in its function.
fn in_function(scene: &Scene<'_>, at: Position) -> Expr {
    let heads = scene.graphs.loops(at.function).around(at.block);
    let within = heads.iter().skip(1).copied().chain([at.block]);
    for (head, inner) in heads.iter().copied().zip(within) {
        if !every_turn(scene, at.function, head, inner) {
            let place = instruction(scene.program, at).map(|found| found.place);
            let site = place.and_then(|place| scene.site(place));
            return unknown(site, "a condition within a loop");
        }
    }
    let turns = heads.iter().map(|head| {
        turns(
            scene,
            Position {
                block: *head,
                index: 0,
                ..at
            },
        )
    });
    turns.fold(Expr::Int(1), |product, turns| {
        known(BinaryOp::Mul, product, turns)
    })
}

/// How often a loop goes round.
fn turns(scene: &Scene<'_>, head: Position) -> Expr {
    let Some(body) = scene.body(head.function) else {
        return unknown(None, "a loop");
    };
    let phis = body
        .blocks
        .get(head.block as usize)
        .map_or(&[][..], |block| &block.phis);
    for phi in phis {
        let counted = Builder::at(scene, head).counted(head, phi);
        if let Some(turns) = counted.and_then(|variable| count(&variable)) {
            return turns;
        }
    }
    why_uncounted(scene, head)
}

/// (bound - first) / step, rounded up.
pub fn count(variable: &LoopVar) -> Option<Expr> {
    let (first, bound) = (variable.first.clone(), variable.bound.clone());
    let (rises, stride) = match &variable.step {
        Expr::Int(0) => return None,
        Expr::Int(step) => (
            *step > 0,
            Expr::Int(i64::try_from(step.unsigned_abs()).ok()?),
        ),
        // A step that is no constant: the loop ends only if it goes towards the bound.
        step => (
            matches!(variable.compare, CompareOp::Less | CompareOp::LessEqual),
            step.clone(),
        ),
    };
    let (way, inclusive) = match (variable.compare, rises) {
        (CompareOp::Less, true) => (binary(BinaryOp::Sub, bound, first), false),
        (CompareOp::LessEqual, true) => (binary(BinaryOp::Sub, bound, first), true),
        (CompareOp::Greater, false) => (binary(BinaryOp::Sub, first, bound), false),
        (CompareOp::GreaterEqual, false) => (binary(BinaryOp::Sub, first, bound), true),
        (CompareOp::NotEqual, true) if stride == Expr::Int(1) => {
            (binary(BinaryOp::Sub, bound, first), false)
        }
        _ => return None,
    };
    let way = if inclusive {
        binary(BinaryOp::Add, way, Expr::Int(1))
    } else {
        way
    };
    if stride == Expr::Int(1) {
        return Some(way);
    }
    let ratio = binary(BinaryOp::Div, unary(UnaryOp::ToFloat, way), float(stride));
    Some(unary(UnaryOp::ToInt, unary(UnaryOp::Ceil, ratio)))
}

fn float(whole: Expr) -> Expr {
    match whole {
        Expr::Int(value) => Expr::Float(value as f64),
        other => unary(UnaryOp::ToFloat, other),
    }
}

/// What a loop without a count ends on.
fn why_uncounted(scene: &Scene<'_>, head: Position) -> Expr {
    let (Some(body), Some(blocks)) = (
        scene.body(head.function),
        scene.graphs.loops(head.function).blocks(head.block),
    ) else {
        return unknown(None, "a loop");
    };
    let exits = blocks.iter().filter_map(|id| {
        let block = body.blocks.get(*id as usize)?;
        match block.end {
            Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } if blocks.contains(&then) != blocks.contains(&otherwise) => {
                Some((*id, condition, block.end_place))
            }
            _ => None,
        }
    });
    let exits: Vec<(BlockId, Operand, Place)> = exits.collect();
    for (block, condition, place) in &exits {
        let condition = Builder::at(
            scene,
            Position {
                block: *block,
                ..head
            },
        )
        .expr(*condition, Type::Int(1));
        if let Some(reason) = first_unknown(&condition) {
            let reason = format!("a loop that ends on a value {reason}");
            return unknown(scene.site(*place), &reason);
        }
    }
    let place = exits
        .first()
        .map(|(_, _, place)| *place)
        .unwrap_or_default();
    unknown(scene.site(place), "a loop without a closed form")
}
