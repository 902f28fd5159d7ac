//! The allocation and launch sites of a program with their formulas.

use crate::formula::Formulas;
use crate::formula::expression::{Builder, unknown};
use crate::formula::packed::{Half, half};
use crate::formula::scene::Scene;
use crate::formula::simplify::{binary, unary};
use crate::slice::position::{Position, instruction, instructions};
use migfit_schema::formula::{BinaryOp, CompareOp, Expr, LoopVar, UnaryOp};
use migfit_schema::profile::{Allocation, Launch, Unknown};
use migfit_schema::program::{BlockId, Op, Operand, Place, Terminator, Type};
use migfit_schema::site::Site;

/// Collects them in the program's order.
pub fn formulas(scene: &Scene<'_>) -> Formulas {
    let mut found = Formulas::default();
    for (at, instruction) in instructions(scene.program) {
        let site = scene.site(instruction.place).unwrap_or_default();
        if let Op::Launch { kernel } = &instruction.op {
            found.launches.push(launch(scene, at, *kernel, site));
        } else if let Some((name, args)) = Scene::external(&instruction.op)
            && let Some(size) = size(scene, at, name, &args)
        {
            let times = times(scene, at);
            add(
                &mut found.allocations,
                Allocation {
                    site,
                    api: name.to_owned(),
                    size,
                    times,
                },
            );
        }
    }
    found.unknowns = unknowns(&found);
    found
}

/// A call in a helper that was inlined several times is one site that runs as often.
fn add(all: &mut Vec<Allocation>, new: Allocation) {
    let twin = all
        .iter_mut()
        .find(|old| old.site == new.site && old.api == new.api && old.size == new.size);
    match twin {
        Some(old) => old.times = binary(BinaryOp::Add, old.times.clone(), new.times),
        None => all.push(new),
    }
}

/// Requested bytes of an allocation call; `None` for other calls.
fn size(scene: &Scene<'_>, at: Position, name: &str, args: &[Operand]) -> Option<Expr> {
    let mut builder = Builder::at(scene, at);
    let mut argument = |index: usize| {
        args.get(index)
            .map(|value| builder.expr(*value, Type::Int(64)))
    };
    match name {
        "cudaMalloc" | "cudaMallocManaged" | "cudaMallocAsync" | "cuMemAlloc_v2"
        | "cuMemAllocManaged" | "cuMemAllocAsync" => argument(1),
        "cudaMallocPitch" | "cuMemAllocPitch_v2" => {
            let (width, height) = (argument(2)?, argument(3)?);
            // The device rounds each row up; the evaluation does, the formula does not.
            Some(binary(BinaryOp::Mul, width, height))
        }
        "cudaMallocArray" | "cudaMalloc3D" | "cudaMalloc3DArray" | "cudaMallocFromPoolAsync" => {
            let place = instruction(scene.program, at)
                .map(|found| found.place)
                .unwrap_or_default();
            Some(unknown(
                scene.site(place),
                "an array's size lies in its description",
            ))
        }
        _ => None,
    }
}

fn launch(scene: &Scene<'_>, at: Position, kernel: u32, site: Site) -> Launch {
    let symbol = scene
        .program
        .kernels
        .get(kernel as usize)
        .map(|(symbol, _)| symbol.clone());
    let missing =
        || [(); 3].map(|()| unknown(Some(site.clone()), "its configuration was not found"));
    let push = push_before(scene, at);
    let (grid, block, shared) = match &push {
        Some((push, args)) => {
            let mut builder = Builder::at(scene, *push);
            let mut extent = |first: usize| {
                let (xy, z) = (args.get(first).copied(), args.get(first + 1).copied());
                let (xy, z) = (xy.unwrap_or(Operand::Undef), z.unwrap_or(Operand::Undef));
                [
                    half(&mut builder, xy, Half::Low),
                    half(&mut builder, xy, Half::High),
                    builder.expr(z, Type::Int(32)),
                ]
            };
            let (grid, block) = (extent(0), extent(2));
            let shared = args
                .get(4)
                .map_or(Expr::Int(0), |value| builder.expr(*value, Type::Int(64)));
            (grid, block, shared)
        }
        None => (missing(), missing(), Expr::Int(0)),
    };
    // The push stands on the line where the user launches.
    let site = push
        .and_then(|(push, _)| scene.site(instruction(scene.program, push)?.place))
        .unwrap_or(site);
    Launch {
        site,
        kernel: symbol.unwrap_or_default(),
        grid,
        block,
        shared,
        times: times(scene, at),
        cooperative: false,
    }
}

/// The push of a configuration that comes before a launch.
fn push_before(scene: &Scene<'_>, at: Position) -> Option<(Position, Vec<Operand>)> {
    let body = scene.body(at.function)?;
    let flow = &scene.flows[at.function as usize];
    let mut seen = std::collections::BTreeSet::new();
    let mut waiting = std::collections::VecDeque::from([(at.block, at.index)]);
    while let Some((block, end)) = waiting.pop_front() {
        let ops = body
            .blocks
            .get(block as usize)?
            .ops
            .iter()
            .enumerate()
            .take(end as usize);
        for (index, found) in ops.rev() {
            if let Some(("__cudaPushCallConfiguration", args)) = Scene::external(&found.op) {
                return Some((
                    Position {
                        function: at.function,
                        block,
                        index: u32::try_from(index).ok()?,
                    },
                    args,
                ));
            }
        }
        if seen.insert(block) {
            waiting.extend(
                flow.predecessors
                    .get(block as usize)?
                    .iter()
                    .map(|from| (*from, u32::MAX)),
            );
        }
    }
    None
}

/// How many times an instruction runs: the product of the turns of the loops around it.
fn times(scene: &Scene<'_>, at: Position) -> Expr {
    let heads = scene.loops[at.function as usize].around(at.block);
    let turns = heads.into_iter().map(|head| {
        turns(
            scene,
            Position {
                block: head,
                index: 0,
                ..at
            },
        )
    });
    turns.fold(Expr::Int(1), |product, turns| match (&product, &turns) {
        (Expr::Unknown { .. }, _) => product,
        (_, Expr::Unknown { .. }) => turns,
        _ => binary(BinaryOp::Mul, product, turns),
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
fn count(variable: &LoopVar) -> Option<Expr> {
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
        scene.loops[head.function as usize].blocks(head.block),
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
            return unknown(
                scene.site(*place),
                &format!("a loop that ends on a value {reason}"),
            );
        }
    }
    let place = exits
        .first()
        .map(|(_, _, place)| *place)
        .unwrap_or_default();
    unknown(scene.site(place), "a loop without a closed form")
}

fn first_unknown(expr: &Expr) -> Option<String> {
    let mut found = Vec::new();
    collect(expr, &mut found);
    found.into_iter().next().map(|(_, reason)| reason)
}

/// Every unknown part of every formula, each once.
fn unknowns(found: &Formulas) -> Vec<Unknown> {
    let mut all: Vec<Unknown> = Vec::new();
    let mut add = |what: String, own: &Site, expr: &Expr| {
        let mut parts = Vec::new();
        collect(expr, &mut parts);
        for (site, reason) in parts {
            let unknown = Unknown {
                site: site.or_else(|| Some(own.clone())),
                what: what.clone(),
                reason,
            };
            if !all.contains(&unknown) {
                all.push(unknown);
            }
        }
    };
    for allocation in &found.allocations {
        add(
            format!("size of {} at {}", allocation.api, allocation.site),
            &allocation.site,
            &allocation.size,
        );
        add(
            format!("count of {} at {}", allocation.api, allocation.site),
            &allocation.site,
            &allocation.times,
        );
    }
    for launch in &found.launches {
        for expr in launch
            .grid
            .iter()
            .chain(&launch.block)
            .chain([&launch.shared])
        {
            add(
                format!("configuration of the launch at {}", launch.site),
                &launch.site,
                expr,
            );
        }
        add(
            format!("count of the launch at {}", launch.site),
            &launch.site,
            &launch.times,
        );
    }
    all
}

fn collect(expr: &Expr, found: &mut Vec<(Option<Site>, String)>) {
    match expr {
        Expr::Unknown { site, reason } => found.push((site.clone(), reason.clone())),
        Expr::Int(_) | Expr::Float(_) | Expr::Input(_) => {}
        Expr::Loop(variable) => {
            [&variable.first, &variable.step, &variable.bound]
                .into_iter()
                .for_each(|one| collect(one, found));
        }
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|one| collect(one, found)),
        Expr::Unary(_, a) => collect(a, found),
        Expr::Select {
            condition,
            then,
            otherwise,
        } => {
            [condition, then, otherwise]
                .into_iter()
                .for_each(|one| collect(one, found));
        }
        Expr::OneOf(all) => all.iter().for_each(|one| collect(one, found)),
    }
}
