//! The allocation and launch sites of a program with their formulas.

use crate::formula::Formulas;
use crate::formula::expression::Builder;
use crate::formula::packed::{Half, half};
use crate::formula::phases::{Story, either, story};
use crate::formula::scene::Scene;
use crate::formula::simplify::binary;
use crate::formula::turns::times;
use crate::formula::unknown::{unknown, unknowns};
use crate::slice::position::{Position, instruction, instructions};
use migfit_schema::formula::{BinaryOp, Expr};
use migfit_schema::profile::{Allocation, Launch};
use migfit_schema::program::{Op, Operand, Type};
use migfit_schema::site::Site;

/// Collects them in the program's order.
pub fn formulas<'a>(scene: &'a Scene<'a>) -> Formulas {
    let story = story(scene);
    let mut found = Formulas {
        peak: story.peak.clone(),
        ..Formulas::default()
    };
    for (at, instruction) in instructions(scene.program) {
        let site = scene.site(instruction.place).unwrap_or_default();
        if let Op::Launch { kernel } = &instruction.op {
            found
                .launches
                .push(launch(scene, &story, at, *kernel, site));
        } else if let Some((name, args)) = Scene::external(&instruction.op)
            && let Some(size) = size(scene, Builder::at(scene, at), at, name, &args)
        {
            let times = times(scene, at);
            let (condition, total) = told(&story, at);
            add(
                &mut found.allocations,
                Allocation {
                    site,
                    api: name.to_owned(),
                    size,
                    times,
                    condition,
                    total,
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
        Some(old) => {
            old.times = binary(BinaryOp::Add, old.times.clone(), new.times);
            old.condition = either(old.condition.clone(), new.condition);
            old.total = known_sum(old.total.clone(), new.total);
        }
        None => all.push(new),
    }
}

/// Under which condition a call is come to, and what it takes in all.
fn told(story: &Story, at: Position) -> (Expr, Expr) {
    let visits = story.visits.get(&at).map_or(&[][..], Vec::as_slice);
    let Some((first, others)) = visits.split_first() else {
        let reason = "not come to on the ways that were followed";
        return (Expr::Int(1), unknown(None, reason));
    };
    let start = (first.condition.clone(), first.total.clone());
    others.iter().fold(start, |(condition, total), visit| {
        let condition = either(condition, visit.condition.clone());
        (condition, known_sum(total, visit.total.clone()))
    })
}

fn known_sum(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Unknown { .. }, _) => a,
        (_, Expr::Unknown { .. }) => b,
        _ => binary(BinaryOp::Add, a, b),
    }
}

/// Requested bytes of an allocation call; `None` for other calls.
pub fn size<'a>(
    scene: &'a Scene<'a>,
    mut builder: Builder<'a>,
    at: Position,
    name: &str,
    args: &[Operand],
) -> Option<Expr> {
    let mut argument = |index: usize| {
        args.get(index)
            .map(|value| builder.expr(*value, Type::Int(64)))
    };
    match name {
        "cudaMalloc" | "cudaMallocManaged" | "cudaMallocAsync" | "cuMemAlloc_v2"
        | "cuMemAllocManaged" | "cuMemAllocAsync" => argument(1),
        "cudaMallocPitch" | "cuMemAllocPitch_v2" => {
            let (width, height) = (argument(2)?, argument(3)?);
            // The device rounds each row up.
            Some(binary(BinaryOp::Mul, rounded_row(width), height))
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

/// A pitched row, as the devices that have MIG round it.
pub fn rounded_row(width: Expr) -> Expr {
    const PITCH: i64 = 512;
    let rows = binary(
        BinaryOp::Div,
        binary(BinaryOp::Add, width, Expr::Int(PITCH - 1)),
        Expr::Int(PITCH),
    );
    binary(BinaryOp::Mul, rows, Expr::Int(PITCH))
}

fn launch(scene: &Scene<'_>, story: &Story, at: Position, kernel: u32, site: Site) -> Launch {
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
    // The launch itself stands behind a check of what the push returns, which is success.
    let turns_at = push.as_ref().map_or(at, |(push, _)| *push);
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
        times: times(scene, turns_at),
        condition: told(story, turns_at).0,
        cooperative: false,
    }
}

/// The push of a configuration that comes before a launch.
fn push_before(scene: &Scene<'_>, at: Position) -> Option<(Position, Vec<Operand>)> {
    let body = scene.body(at.function)?;
    let flow = scene.graphs.flow(at.function);
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
            waiting.extend(flow.before(block).iter().map(|from| (*from, u32::MAX)));
        }
    }
    None
}
