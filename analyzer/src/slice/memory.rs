//! Which instructions may write an object, and which objects an instruction reads.

use crate::slice::effects::{State, Use, effect};
use crate::slice::objects::{Object, ObjectId, Objects};
use crate::slice::points_to::PointsTo;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, Op, Operand, SizeProgram, Type};
use std::collections::HashMap;

/// Reads and writes of memory.
pub struct Memory {
    writers: HashMap<ObjectId, Vec<Position>>,
    reads: HashMap<Position, Vec<ObjectId>>,
}

impl Memory {
    /// Collects them.
    pub fn of(program: &SizeProgram, objects: &Objects, pointers: &PointsTo) -> Memory {
        let mut memory = Memory {
            writers: HashMap::new(),
            reads: HashMap::new(),
        };
        for (at, instruction) in instructions(program) {
            let (reads, mut writes) = touched(at, &instruction.op, objects, pointers);
            if is_option_parser(&instruction.op) {
                writes.extend(option_globals(program, objects));
            }
            for object in writes {
                if !is_constant(program, objects, object) {
                    memory.writers.entry(object).or_default().push(at);
                }
            }
            if !reads.is_empty() {
                memory.reads.insert(at, reads);
            }
        }
        memory
    }

    /// Instructions that may write an object.
    pub fn writers(&self, object: ObjectId) -> &[Position] {
        self.writers.get(&object).map_or(&[], Vec::as_slice)
    }

    /// Objects that an instruction reads.
    pub fn reads(&self, at: Position) -> &[ObjectId] {
        self.reads.get(&at).map_or(&[], Vec::as_slice)
    }
}

fn is_option_parser(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if name.starts_with("getopt"))
}

/// Where getopt leaves what it found.
fn option_globals(program: &SizeProgram, objects: &Objects) -> impl Iterator<Item = ObjectId> {
    const NAMES: [&str; 4] = ["optarg", "optind", "optopt", "opterr"];
    let globals = (0u32..).zip(&program.globals);
    globals
        .filter(|(_, global)| NAMES.contains(&global.name.as_str()))
        .map(|(id, _)| objects.global(id))
}

fn is_constant(program: &SizeProgram, objects: &Objects, object: ObjectId) -> bool {
    match objects.get(object) {
        Some(Object::Global(id)) => program
            .globals
            .get(id as usize)
            .is_some_and(|global| global.constant),
        Some(Object::Function(_)) => true,
        _ => false,
    }
}

fn touched(
    at: Position,
    op: &Op,
    objects: &Objects,
    pointers: &PointsTo,
) -> (Vec<ObjectId>, Vec<ObjectId>) {
    let of = |value: Operand| pointers.of(at.function, value);
    match op {
        Op::Load { address, .. } => (of(*address), Vec::new()),
        Op::Store { address, .. } => (Vec::new(), of(*address)),
        Op::MemCopy { to, from, .. } => (of(*from), of(*to)),
        Op::MemSet { to, .. } => (Vec::new(), of(*to)),
        Op::Call {
            callee: Callee::External(name),
            args,
            ..
        } => external(at, name, args, objects, pointers),
        _ => (Vec::new(), Vec::new()),
    }
}

fn external(
    at: Position,
    name: &str,
    args: &[(Operand, Type)],
    objects: &Objects,
    pointers: &PointsTo,
) -> (Vec<ObjectId>, Vec<ObjectId>) {
    let of = |value: Operand| pointers.of(at.function, value);
    let Some(effect) = effect(name) else {
        let all = pointers.closure(args.iter().flat_map(|(value, _)| of(*value)).collect());
        return (all.clone(), all);
    };
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    if effect.dropped {
        return (reads, writes);
    }
    for (index, (value, _)) in args.iter().enumerate() {
        let usage = effect.of_argument(index);
        let behind = |value: Operand| {
            let mut all = of(value);
            let held: Vec<ObjectId> = all
                .iter()
                .flat_map(|one| pointers.in_contents(*one))
                .collect();
            all.extend(held);
            all
        };
        match usage {
            Use::Text => reads.extend(behind(*value)),
            Use::TextBoth => {
                reads.extend(behind(*value));
                writes.extend(behind(*value));
            }
            Use::Links => {
                let all = pointers.closure(of(*value));
                reads.extend(all.iter().copied());
                writes.extend(all);
            }
            Use::Follows => reads.extend(pointers.closure(of(*value))),
            _ => {}
        }
        if matches!(usage, Use::Reads | Use::Both) {
            reads.extend(of(*value));
        }
        if matches!(
            usage,
            Use::Writes | Use::Both | Use::StoresFirst | Use::StoresFresh
        ) {
            writes.extend(of(*value));
        }
    }
    if name.starts_with("getopt") {
        // argv[] holds the words that getopt reads; its globals are written.
        reads.extend([Objects::ARGUMENTS, Objects::WORDS]);
    }
    if let Some(state) = effect.state {
        let state_object = objects.state(state);
        if state == State::Token {
            // It goes on in the string that it was given last.
            reads.extend(pointers.in_contents(state_object));
            writes.extend(pointers.in_contents(state_object));
        }
        reads.push(state_object);
        writes.push(state_object);
    }
    (reads, writes)
}
