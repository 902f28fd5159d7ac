//! Words of the command line, options and environment variables, recognised where a number is made of them.

use crate::formula::expression::Builder;
use crate::formula::options::option_names;
use crate::formula::scene::Scene;
use crate::formula::spots::{Base, Spot, spot};
use crate::formula::stored::writers;
use crate::formula::unknown::unknown;
use crate::slice::definitions::Definition;
use crate::slice::objects::Objects;
use crate::slice::position::{Position, instruction};
use migfit_schema::formula::{Expr, Input};
use migfit_schema::program::{Op, Operand, Place};

/// Bytes of one pointer in `argv`.
const POINTER: i64 = 8;

/// Where a word comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Argument(u32),
    Positional(u32),
    Option(Vec<String>),
    Environment(String),
    Literal(String),
}

/// A word read as a whole number.
pub fn whole_number(builder: &Builder<'_>, call: Position, word: Operand, place: Place) -> Expr {
    match origin(builder, call, word, 0) {
        Some(Word::Argument(index)) => Expr::Input(Input::ArgInt(index)),
        Some(Word::Positional(index)) => Expr::Input(Input::WordInt(index)),
        Some(Word::Option(names)) => Expr::Input(Input::OptionInt(names)),
        Some(Word::Environment(name)) => Expr::Input(Input::EnvInt(name)),
        Some(Word::Literal(_)) | None => {
            unknown(builder.scene.site(place), "a number made of text")
        }
    }
}

/// A word read as a floating-point number.
pub fn float_number(builder: &Builder<'_>, call: Position, word: Operand, place: Place) -> Expr {
    match origin(builder, call, word, 0) {
        Some(Word::Argument(index)) => Expr::Input(Input::ArgFloat(index)),
        _ => unknown(builder.scene.site(place), "a number made of text"),
    }
}

/// A file's name, as people would say it.
pub fn file_name(builder: &Builder<'_>, call: Position, name: Operand) -> Option<String> {
    Some(match origin(builder, call, name, 0)? {
        Word::Argument(index) => format!("arg({index})"),
        Word::Positional(index) => format!("word({index})"),
        Word::Option(names) => format!("option({})", names.join(", ")),
        Word::Environment(name) => format!("env({name})"),
        Word::Literal(text) => format!("{text:?}"),
    })
}

/// Walks back from a pointer to a word, a few steps deep.
fn origin(builder: &Builder<'_>, at: Position, word: Operand, depth: usize) -> Option<Word> {
    const STEPS: usize = 12;
    let scene = builder.scene;
    if depth > STEPS || !builder.spend() {
        return None;
    }
    if let Some(text) = scene.text(word) {
        return Some(Word::Literal(text));
    }
    let Operand::Reg(register) = word else {
        return None;
    };
    match scene.definition(at.function, register)? {
        Definition::Op(at, Op::Load { address, .. }, _) => loaded(builder, at, *address, depth),
        Definition::Op(at, Op::Copy { a, .. }, _) => origin(builder, at, *a, depth + 1),
        Definition::Op(_, op, _) => match Scene::external(op)? {
            ("getenv" | "secure_getenv", args) => scene.text(*args.first()?).map(Word::Environment),
            _ => None,
        },
        Definition::Phi(block, phi) => {
            let found = phi
                .incoming
                .iter()
                .filter(|(_, value)| !matches!(value, Operand::Const(0)) && *value != word);
            let all = found.filter_map(|(_, value)| {
                origin(
                    builder,
                    Position {
                        function: at.function,
                        block,
                        index: 0,
                    },
                    *value,
                    depth + 1,
                )
            });
            agreed(all)
        }
        Definition::Parameter(index) => {
            let call = scene.only_call(at.function)?;
            let Op::Call { args, .. } = scene.op(call)? else {
                return None;
            };
            origin(builder, call, args.get(index)?.0, depth + 1)
        }
    }
}

/// The one origin that all agree on.
fn agreed(mut all: impl Iterator<Item = Word>) -> Option<Word> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

fn loaded(builder: &Builder<'_>, at: Position, address: Operand, depth: usize) -> Option<Word> {
    let scene = builder.scene;
    match spot(scene, at.function, address) {
        Some(Spot {
            base: Base::Register(function, register),
            offset,
        }) if scene.is_argv(function, register) => {
            if writes_argv(scene) {
                return None;
            }
            u32::try_from(offset / POINTER).ok().map(Word::Argument)
        }
        Some(Spot {
            base: Base::Global(id),
            ..
        }) if scene.program.globals.get(id as usize)?.name == "optarg" => {
            option_names(builder, at).map(Word::Option)
        }
        Some(target) => through_variable(builder, at, address, target, depth),
        None => match varying_argv(scene, at, address)? {
            index if counts_options(scene, at, address, 0) => u32::try_from(index)
                .ok()
                .and_then(|index| index.checked_add(1))
                .map(Word::Positional),
            0 => positional_from_loop(builder, at),
            // The word behind the one just looked at: an option's value.
            _ => option_names(builder, at).map(Word::Option),
        },
    }
}

/// A pointer kept in a variable, or in the program's own array of words.
fn through_variable(
    builder: &Builder<'_>,
    at: Position,
    address: Operand,
    target: Spot,
    depth: usize,
) -> Option<Word> {
    let scene = builder.scene;
    let mut found = Vec::new();
    for writer in writers(scene, at, address) {
        if !builder.spend() {
            return None;
        }
        let Some(Op::Store { value, address, .. }) =
            instruction(scene.program, writer).map(|one| &one.op)
        else {
            continue;
        };
        match spot(scene, writer.function, *address) {
            Some(spot) if spot == target => {
                found.extend(origin(builder, writer, *value, depth + 1))
            }
            Some(_) => {}
            None if is_argv_word(scene, writer, *value) => {
                let index = u32::try_from(target.offset / POINTER).ok()?;
                return index.checked_add(1).map(Word::Positional);
            }
            None => return None,
        }
    }
    agreed(found.into_iter())
}

/// Whether the program stores into `argv` itself: its words are then not where the user wrote them.
fn writes_argv(scene: &Scene<'_>) -> bool {
    let mut writers = scene.memory.writers(Objects::ARGUMENTS);
    writers.any(|at| matches!(scene.op(*at), Some(Op::Store { .. })))
}

/// Whether a value is an element of `argv` at a varying place.
fn is_argv_word(scene: &Scene<'_>, at: Position, value: Operand) -> bool {
    let Operand::Reg(register) = value else {
        return false;
    };
    match scene.definition(at.function, register) {
        Some(Definition::Op(at, Op::Load { address, .. }, _)) => {
            varying_argv(scene, at, *address).is_some()
        }
        _ => false,
    }
}

/// For `argv[i + k]`: k, where `i` is a loop's variable.
fn varying_argv(scene: &Scene<'_>, at: Position, address: Operand) -> Option<i64> {
    let Operand::Reg(register) = address else {
        return None;
    };
    let Some(Definition::Op(
        _,
        Op::Offset {
            base,
            constant,
            terms,
            ..
        },
        _,
    )) = scene.definition(at.function, register)
    else {
        return None;
    };
    let Some(Spot {
        base: Base::Register(function, argv),
        offset: 0,
    }) = spot(scene, at.function, *base)
    else {
        return None;
    };
    if !scene.is_argv(function, argv) {
        return None;
    }
    let [(index, _, POINTER)] = terms.as_slice() else {
        return None;
    };
    (constant / POINTER).checked_add(added(scene, at, *index, 0))
}

/// Whether an address or an index is made from `optind`, which counts the words that getopt is done with.
fn counts_options(scene: &Scene<'_>, at: Position, value: Operand, depth: usize) -> bool {
    const STEPS: usize = 6;
    let Operand::Reg(register) = value else {
        return false;
    };
    let Some(Definition::Op(at, op, _)) = scene.definition(at.function, register) else {
        return false;
    };
    let next = match op {
        Op::Load {
            address: Operand::Global(id, 0),
            ..
        } => {
            let global = scene.program.globals.get(*id as usize);
            return global.is_some_and(|global| global.name == "optind");
        }
        Op::Offset { terms, .. } => terms.first().map(|(index, _, _)| *index),
        Op::Cast { a, .. } | Op::Copy { a, .. } | Op::Binary { a, .. } => Some(*a),
        _ => None,
    };
    next.is_some_and(|next| depth < STEPS && counts_options(scene, at, next, depth + 1))
}

/// What is added to a loop's variable: 1 for `i + 1` and `++i`.
fn added(scene: &Scene<'_>, at: Position, index: Operand, depth: usize) -> i64 {
    const STEPS: usize = 4;
    let Operand::Reg(register) = index else {
        return 0;
    };
    match scene.definition(at.function, register) {
        Some(Definition::Op(_, Op::Cast { a, .. } | Op::Copy { a, .. }, _)) if depth < STEPS => {
            added(scene, at, *a, depth + 1)
        }
        Some(Definition::Op(
            _,
            Op::Binary {
                b: Operand::Const(by),
                ..
            },
            _,
        )) => i64::from(*by as u32 as i32),
        _ => 0,
    }
}

/// `argv[i]` kept by a loop over the words: its first word that is no option.
fn positional_from_loop(builder: &Builder<'_>, at: Position) -> Option<Word> {
    builder
        .scene
        .graphs
        .flow(at.function)
        .reaches(at.block, at.block)
        .then_some(Word::Positional(1))
}
