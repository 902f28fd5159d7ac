//! Words of the command line, options and environment variables, recognised where a number is made of them.

use crate::formula::expression::{Builder, unknown};
use crate::formula::scene::{Definition, Scene};
use crate::formula::stored::{Base, Spot, spot, writers};
use crate::slice::position::{Position, instruction};
use migfit_schema::formula::{Expr, Input};
use migfit_schema::program::{BlockId, Op, Operand, Place, Terminator};

/// Bytes of one pointer in `argv`.
const POINTER: i64 = 8;
/// Bytes of one `struct option` of getopt_long, and where its `val` lies.
const LONG_OPTION: usize = 32;
const LONG_OPTION_VALUE: usize = 24;

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
    if depth > STEPS {
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
                return u32::try_from(target.offset / POINTER)
                    .ok()
                    .map(|index| Word::Positional(index + 1));
            }
            None => return None,
        }
    }
    agreed(found.into_iter())
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
    Some(constant / POINTER + added(scene, at, *index, 0))
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
    builder.scene.flows[at.function as usize]
        .reaches(at.block, at.block)
        .then_some(Word::Positional(1))
}

/// The option under whose test a block stands: `strcmp(word, "-s") == 0`, or the case of a getopt switch.
fn option_names(builder: &Builder<'_>, at: Position) -> Option<Vec<String>> {
    let scene = builder.scene;
    let control = &scene.controls[at.function as usize];
    let mut waiting: Vec<BlockId> = control.controllers(at.block).to_vec();
    // The read often stands in the block that the test leads to.
    waiting.reverse();
    waiting
        .into_iter()
        .find_map(|branch| names_at(builder, at, branch))
}

fn names_at(builder: &Builder<'_>, at: Position, branch: BlockId) -> Option<Vec<String>> {
    let scene = builder.scene;
    let body = scene.body(at.function)?;
    let flow = &scene.flows[at.function as usize];
    let leads = |way: BlockId| {
        way == at.block || (way != branch && reaches_without(flow, way, at.block, branch))
    };
    match &body.blocks.get(branch as usize)?.end {
        Terminator::Branch {
            condition: Operand::Reg(condition),
            then,
            otherwise,
            ..
        } => {
            let Definition::Op(
                _,
                Op::Compare {
                    op,
                    a,
                    b: Operand::Const(0),
                    ..
                },
                _,
            ) = scene.definition(at.function, *condition)?
            else {
                return None;
            };
            let equal = match op {
                migfit_schema::program::Compare::Eq => *then,
                migfit_schema::program::Compare::Ne => *otherwise,
                _ => return None,
            };
            let Operand::Reg(compared) = a else {
                return None;
            };
            let Definition::Op(_, call, _) = scene.definition(at.function, *compared)? else {
                return None;
            };
            let (name, args) = Scene::external(call)?;
            let literal = args.iter().find_map(|value| scene.text(*value))?;
            (name.starts_with("str") && leads(equal)).then(|| vec![literal])
        }
        Terminator::Switch {
            value: Operand::Reg(value),
            cases,
            ..
        } => {
            let letters = cases
                .iter()
                .filter(|(_, to)| leads(*to))
                .filter_map(|(value, _)| letter(*value));
            let letters: Vec<char> = letters.collect();
            let longs = long_options(scene, at, *value);
            let mut names: Vec<String> =
                letters.iter().map(|letter| format!("-{letter}")).collect();
            names.extend(
                longs
                    .into_iter()
                    .filter(|(value, _)| letters.contains(value))
                    .map(|(_, name)| format!("--{name}")),
            );
            (!names.is_empty()).then_some(names)
        }
        _ => None,
    }
}

fn reaches_without(
    flow: &crate::slice::flow::Flow,
    from: BlockId,
    to: BlockId,
    barrier: BlockId,
) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        if block == to {
            return true;
        }
        if block != barrier && seen.insert(block) {
            waiting.extend(flow.successors.get(block as usize).into_iter().flatten());
        }
    }
    false
}

fn letter(value: u64) -> Option<char> {
    u8::try_from(value)
        .ok()
        .map(char::from)
        .filter(char::is_ascii_alphanumeric)
}

/// (value, name) of each entry of the table given to getopt_long.
fn long_options(scene: &Scene<'_>, at: Position, value: u32) -> Vec<(char, String)> {
    let Some(Definition::Op(_, call, _)) = scene.definition(at.function, value) else {
        return Vec::new();
    };
    let Some(("getopt_long" | "getopt_long_only", args)) = Scene::external(call) else {
        return Vec::new();
    };
    let Some(Operand::Global(id, 0)) = args.get(3) else {
        return Vec::new();
    };
    let Some(table) = scene.program.globals.get(*id as usize) else {
        return Vec::new();
    };
    let names = table.addresses.iter().filter_map(|(offset, name)| {
        let start = usize::try_from(*offset)
            .ok()
            .filter(|start| start.is_multiple_of(LONG_OPTION))?;
        let value = *table.bytes.get(start + LONG_OPTION_VALUE)?;
        Some((char::from(value), scene.text(*name)?))
    });
    names.collect()
}
