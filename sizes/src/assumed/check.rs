//! Whether an assumption speaks of something that the program has: a slip is an error, not silence.

use super::given::{Assumption, Given, Spot};
use super::values::globals_named;
use migfit_schema::names::takes_device_memory;
use migfit_schema::program::{Callee, Op, Place, SizeProgram, Terminator};
use std::collections::BTreeSet;

/// An assumption about nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The words.
    pub said: String,
    /// What is not there, as a sentence without its end.
    pub what: String,
    /// What is named.
    pub given: String,
    /// What could have been named.
    pub known: Vec<String>,
}

/// Holds each assumption against the program.
///
/// # Errors
/// The first that speaks of nothing.
pub fn check(program: &SizeProgram, all: &[Given]) -> Result<(), Misplaced> {
    all.iter().try_for_each(|given| one(program, given))
}

fn one(program: &SizeProgram, given: &Given) -> Result<(), Misplaced> {
    let misplaced = |what: &str, named: String, known: BTreeSet<String>| Misplaced {
        said: given.said.clone(),
        what: what.to_owned(),
        given: named,
        known: known.into_iter().collect(),
    };
    let places = |spot: &Spot, places: Vec<Place>, what: &str| {
        if places.iter().any(|place| spot.holds(program, *place)) {
            return Ok(());
        }
        let named = format!("{}:{}", spot.file, spot.lines.0);
        let known = places
            .iter()
            .map(|place| crate::report::site(program, *place).to_string());
        Err(misplaced(what, named, known.collect()))
    };
    match &given.assumption {
        Assumption::Value { name, .. } => {
            let functions = program.functions.iter();
            let names: BTreeSet<String> = functions
                .flat_map(|function| function.names.iter().map(|(_, name)| name.clone()))
                .collect();
            let is_global = || globals_named(program, name).next().is_some();
            match names.contains(name) || is_global() {
                true => Ok(()),
                false => {
                    let what = "sizes and launches depend on no variable of that name";
                    Err(misplaced(what, name.clone(), names))
                }
            }
        }
        Assumption::Bound { spot, .. } => {
            places(spot, calls(program), "no allocation call stands there")
        }
        Assumption::Branch { spot, .. } | Assumption::Turns { spot, .. } => places(
            spot,
            branches(program),
            "no condition that sizes or launches depend on stands there",
        ),
    }
}

/// Places of calls that allocate, and of the calls that lead to them.
fn calls(program: &SizeProgram) -> Vec<Place> {
    let mut found: BTreeSet<Place> = BTreeSet::new();
    for function in &program.functions {
        for instruction in function.blocks.iter().flat_map(|block| &block.ops) {
            let counts = match &instruction.op {
                Op::Call { callee, .. } => match callee {
                    Callee::External(name) => takes_device_memory(name),
                    Callee::Function(_) | Callee::Indirect(_) => true,
                },
                _ => false,
            };
            if counts && instruction.place.line > 0 {
                found.insert(instruction.place);
            }
        }
    }
    found.into_iter().collect()
}

fn branches(program: &SizeProgram) -> Vec<Place> {
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    let places: BTreeSet<Place> = blocks
        .filter(|block| matches!(block.end, Terminator::Branch { .. }) && block.end_place.line > 0)
        .map(|block| block.end_place)
        .collect();
    places.into_iter().collect()
}
