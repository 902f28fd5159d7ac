//! Numbers that the program reads from a text file: which file, and which number in reading order.

use crate::formula::expression::Builder;
use crate::formula::input;
use crate::formula::scene::Scene;
use crate::slice::position::{Position, instruction, instructions};
use migfit_schema::formula::{Expr, Input};
use migfit_schema::program::Operand;

/// The number that the `index`th conversion of an fscanf call reads.
pub fn number(builder: &Builder<'_>, call: Position, file: Operand, index: usize) -> Expr {
    let path = path(builder, call, file);
    let nth = numbers_before(builder.scene, call, file)
        .and_then(|before| u32::try_from(before + index).ok());
    Expr::Input(Input::FileInt { path, nth })
}

/// The file as people would say it.
fn path(builder: &Builder<'_>, call: Position, file: Operand) -> String {
    let scene = builder.scene;
    let opened = scene.pointers.of(call.function, file);
    let name = instructions(scene.program).find_map(|(at, instruction)| {
        let (name, args) = Scene::external(&instruction.op)?;
        let is_it = matches!(name, "fopen" | "fopen64")
            && scene
                .memory_made_by(at)
                .is_some_and(|object| opened.contains(&object));
        is_it
            .then(|| input::file_name(builder, at, *args.first()?))
            .flatten()
    });
    name.unwrap_or_else(|| "a file".to_owned())
}

/// How many numbers were read before, where all reads before stand outside loops, in one line.
fn numbers_before(scene: &Scene<'_>, call: Position, file: Operand) -> Option<usize> {
    let opened = scene.pointers.of(call.function, file);
    let mut before = 0;
    for (at, found) in instructions(scene.program) {
        let Some((name, args)) = Scene::external(&found.op) else {
            continue;
        };
        let reads = name.ends_with("scanf")
            && args
                .first()
                .is_some_and(|file| scene.pointers.of(at.function, *file) == opened);
        if !reads || at == call {
            continue;
        }
        if at.function != call.function {
            return None;
        }
        let flow = scene.graphs.flow(at.function);
        let earlier =
            (at.block == call.block && at.index < call.index) || flow.reaches(at.block, call.block);
        if earlier {
            if flow.reaches(at.block, at.block) {
                return None;
            }
            before += args.len().saturating_sub(2);
        }
    }
    let in_loop = scene
        .graphs
        .flow(call.function)
        .reaches(call.block, call.block);
    let _ = instruction(scene.program, call)?;
    (!in_loop).then_some(before)
}
