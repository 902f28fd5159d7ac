//! The option whose value a word is: the test that it stands under, `strcmp(word, "-s") == 0` or a getopt switch.

use crate::formula::expression::Builder;
use crate::formula::scene::Scene;
use crate::slice::definitions::Definition;
use crate::slice::flow::Flow;
use crate::slice::position::Position;
use migfit_schema::program::{BlockId, Compare, Op, Operand, Reg, Terminator};
use std::collections::{BTreeSet, VecDeque};

/// Bytes of one `struct option` of getopt_long, and where its `val` lies.
const LONG_OPTION: usize = 32;
const LONG_OPTION_VALUE: usize = 24;

/// The option under whose test a block stands: `strcmp(word, "-s") == 0`, or the case of a getopt switch.
pub fn option_names(builder: &Builder<'_>, at: Position) -> Option<Vec<String>> {
    let scene = builder.scene;
    let control = scene.graphs.control(at.function);
    // The read often stands in the block that the test leads to, or under a second test (is there a value?).
    let mut seen = BTreeSet::new();
    let mut waiting = VecDeque::from([at.block]);
    while let Some(block) = waiting.pop_front() {
        for branch in control.controllers(block).iter().rev() {
            if !seen.insert(*branch) || !builder.spend() {
                continue;
            }
            if let Some(names) = names_at(builder, at, *branch) {
                return Some(names);
            }
            waiting.push_back(*branch);
        }
    }
    None
}

fn names_at(builder: &Builder<'_>, at: Position, branch: BlockId) -> Option<Vec<String>> {
    let scene = builder.scene;
    let flow = scene.graphs.flow(at.function);
    let leads = |way: BlockId| {
        way == at.block || (way != branch && reaches_without(flow, way, at.block, branch))
    };
    let body = scene.body(at.function)?;
    match &body.blocks.get(branch as usize)?.end {
        Terminator::Branch {
            condition: Operand::Reg(condition),
            then,
            otherwise,
            ..
        } => {
            let (word, when_equal) = comparison(scene, at, *condition)?;
            let way = if when_equal { *then } else { *otherwise };
            leads(way).then(|| vec![word])
        }
        Terminator::Switch {
            value: Operand::Reg(value),
            cases,
            ..
        } => {
            let cases = cases.iter().filter(|(_, to)| leads(*to));
            let letters: Vec<char> = cases.filter_map(|(value, _)| letter(*value)).collect();
            let longs = long_options(scene, at, *value).into_iter();
            let longs = longs.filter(|(value, _)| letters.contains(value));
            let short = letters.iter().map(|letter| format!("-{letter}"));
            let names = short.chain(longs.map(|(_, name)| format!("--{name}")));
            let names: Vec<String> = names.collect();
            (!names.is_empty()).then_some(names)
        }
        _ => None,
    }
}

/// For `strcmp(word, "-s") == 0` the option, and whether the condition holds when the words are equal.
fn comparison(scene: &Scene<'_>, at: Position, condition: Reg) -> Option<(String, bool)> {
    let Definition::Op(_, compare, _) = scene.definition(at.function, condition)? else {
        return None;
    };
    let Op::Compare {
        op,
        a: Operand::Reg(compared),
        b: Operand::Const(0),
        ..
    } = compare
    else {
        return None;
    };
    let when_equal = match op {
        Compare::Eq => true,
        Compare::Ne => false,
        _ => return None,
    };
    let Definition::Op(_, call, _) = scene.definition(at.function, *compared)? else {
        return None;
    };
    let (name, args) = Scene::external(call)?;
    let word = args.iter().find_map(|value| scene.text(*value))?;
    name.starts_with("str").then_some((word, when_equal))
}

fn reaches_without(flow: &Flow, from: BlockId, to: BlockId, barrier: BlockId) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(block) = waiting.pop() {
        if block == to {
            return true;
        }
        if block != barrier && seen.insert(block) {
            waiting.extend(flow.after(block));
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
fn long_options(scene: &Scene<'_>, at: Position, value: Reg) -> Vec<(char, String)> {
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
        let value = *table.bytes.get(start.checked_add(LONG_OPTION_VALUE)?)?;
        Some((char::from(value), scene.text(*name)?))
    });
    names.collect()
}
