//! Which instructions may write an object, and which objects an instruction reads.

use crate::slice::effects::{State, Use, effect};
use crate::slice::groups::{GroupId, Groups};
use crate::slice::objects::{Object, ObjectId, Objects};
use crate::slice::opened::Opened;
use crate::slice::points_to::PointsTo;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, Op, Operand, SizeProgram, Type};
use std::collections::{BTreeMap, HashMap};

/// Reads and writes of memory. Many instructions read or write the same objects: they share a group.
pub struct Memory {
    groups: Groups,
    /// Per group the instructions that may write its objects.
    writers: Vec<Vec<Position>>,
    /// Per object the groups with writers that it is in.
    written: HashMap<ObjectId, Vec<GroupId>>,
    reads: HashMap<Position, GroupId>,
    initial: HashMap<ObjectId, Initial>,
}

/// What a variable holds before the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Zeroes alone.
    Zeroes,
    /// Anything else.
    Figures,
}

impl Memory {
    /// Collects them.
    pub fn of(program: &SizeProgram, objects: &Objects, pointers: &PointsTo) -> Memory {
        let mut groups = Groups::default();
        let mut writers: BTreeMap<GroupId, Vec<Position>> = BTreeMap::new();
        let mut reads = HashMap::new();
        let scene = Scene { objects, pointers };
        let opened = Opened::of(program, pointers);
        let files = groups.of_list(vec![objects.state(State::Files)]);
        for (at, instruction) in instructions(program) {
            let (mut read, mut write) = scene.touched(at, &instruction.op, &mut groups);
            if opened.reads(at) {
                read = groups.joined(read.into_iter().chain([files]));
            }
            if opened.writes(at) {
                write = groups.joined(write.into_iter().chain([files]));
            }
            if is_option_parser(&instruction.op) {
                let globals = option_globals(program, objects).collect();
                let all = [write, Some(groups.of_list(globals))];
                write = groups.joined(all.into_iter().flatten());
            }
            if let Some(group) = write {
                writers.entry(group).or_default().push(at);
            }
            if let Some(group) = read {
                reads.insert(at, group);
            }
        }
        let mut written: HashMap<ObjectId, Vec<GroupId>> = HashMap::new();
        for group in writers.keys() {
            for object in groups.objects(*group) {
                if !is_constant(program, objects, *object) {
                    written.entry(*object).or_default().push(*group);
                }
            }
        }
        let mut by_group = vec![Vec::new(); groups.len()];
        for (group, all) in writers {
            by_group[group] = all;
        }
        Memory {
            groups,
            writers: by_group,
            written,
            reads,
            initial: initial(program, objects),
        }
    }

    /// Instructions that may write an object.
    pub fn writers(&self, object: ObjectId) -> impl Iterator<Item = &Position> {
        let groups = self.written.get(&object).map_or(&[][..], Vec::as_slice);
        groups.iter().flat_map(|group| &self.writers[*group])
    }

    /// How many those are.
    pub fn writer_count(&self, object: ObjectId) -> usize {
        let groups = self.written.get(&object).map_or(&[][..], Vec::as_slice);
        groups.iter().map(|group| self.writers[*group].len()).sum()
    }

    /// Objects that an instruction reads.
    pub fn reads(&self, at: Position) -> &[ObjectId] {
        self.read_group(at)
            .map_or(&[], |group| self.groups.objects(group))
    }

    /// What an object holds before the program runs; none: it is no variable of the program's.
    pub fn initial(&self, object: ObjectId) -> Option<Initial> {
        self.initial.get(&object).copied()
    }

    /// The group of the objects that an instruction reads.
    pub fn read_group(&self, at: Position) -> Option<GroupId> {
        self.reads.get(&at).copied()
    }

    /// The objects of a group.
    pub fn in_group(&self, group: GroupId) -> &[ObjectId] {
        self.groups.objects(group)
    }
}

fn is_option_parser(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if name.starts_with("getopt"))
}

/// Where getopt leaves what it found.
fn initial(program: &SizeProgram, objects: &Objects) -> HashMap<ObjectId, Initial> {
    let globals = (0u32..).zip(&program.globals);
    let own = globals.filter(|(_, global)| !global.external);
    own.map(|(id, global)| {
        let zero = global.bytes.iter().all(|byte| *byte == 0) && global.addresses.is_empty();
        let initial = if zero {
            Initial::Zeroes
        } else {
            Initial::Figures
        };
        (objects.global(id), initial)
    })
    .collect()
}

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

/// What instructions are looked at with.
struct Scene<'a> {
    objects: &'a Objects,
    pointers: &'a PointsTo,
}

/// The groups that something reads and writes.
type Touched = (Option<GroupId>, Option<GroupId>);

impl Scene<'_> {
    /// The group of what a value may point to.
    fn group(&self, at: Position, value: Operand, groups: &mut Groups) -> Option<GroupId> {
        match value {
            Operand::Reg(register) => {
                let node = self.pointers.node_of(at.function, register)?;
                groups.of_node(node, || self.pointers.of(at.function, value))
            }
            Operand::Const(_) | Operand::Undef => None,
            value => Some(groups.of_list(self.pointers.of(at.function, value))),
        }
    }

    fn touched(&self, at: Position, op: &Op, groups: &mut Groups) -> Touched {
        let mut of = |value: Operand| self.group(at, value, groups);
        match op {
            Op::Load { address, .. } => (of(*address), None),
            Op::Store { address, .. } => (None, of(*address)),
            Op::MemCopy { to, from, .. } => (of(*from), of(*to)),
            Op::MemSet { to, .. } => (None, of(*to)),
            Op::Call {
                callee: Callee::External(name),
                args,
                ..
            } => self.external(at, name, args, groups),
            // Code that the program does not have, as behind the tables of the library's classes.
            Op::Call {
                callee: Callee::Indirect(pointer),
                args,
                ..
            } if self.pointers.functions(at.function, *pointer).is_empty() => {
                let all = args.iter().map(|(value, _)| *value).collect();
                let all = self.closure(at, all, groups);
                (all, all)
            }
            _ => (None, None),
        }
    }

    fn external(
        &self,
        at: Position,
        name: &str,
        args: &[(Operand, Type)],
        groups: &mut Groups,
    ) -> Touched {
        let Some(effect) = effect(name) else {
            let all = args.iter().map(|(value, _)| *value).collect();
            let all = self.closure(at, all, groups);
            return (all, all);
        };
        if effect.dropped {
            return (None, None);
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (index, (value, _)) in args.iter().enumerate() {
            let usage = effect.of_argument(index);
            let group = match usage {
                Use::Text | Use::TextBoth => self.behind(at, *value, groups),
                Use::Links | Use::Follows => self.closure(at, vec![*value], groups),
                Use::Value | Use::Calls | Use::KeptInFirst => None,
                _ => self.group(at, *value, groups),
            };
            if let (
                Use::Text | Use::TextBoth | Use::Links | Use::Follows | Use::Reads | Use::Both,
                Some(group),
            ) = (usage, group)
            {
                reads.push(group);
            }
            if let (
                Use::TextBoth
                | Use::Links
                | Use::Writes
                | Use::Both
                | Use::StoresFirst
                | Use::StoresFresh,
                Some(group),
            ) = (usage, group)
            {
                writes.push(group);
            }
        }
        if name.starts_with("getopt") {
            // argv[] holds the words that getopt reads; its globals are written.
            reads.push(groups.of_list(vec![Objects::ARGUMENTS, Objects::WORDS]));
        }
        if let Some(state) = effect.state {
            let state_object = self.objects.state(state);
            let mut touched = vec![state_object];
            if state == State::Token {
                // It goes on in the string that it was given last.
                touched.extend(self.pointers.in_contents(state_object));
            }
            let group = groups.of_list(touched);
            if state != State::Errno {
                reads.push(group);
            }
            writes.push(group);
        }
        (groups.joined(reads), groups.joined(writes))
    }

    /// What a value points to, and what its contents do.
    fn behind(&self, at: Position, value: Operand, groups: &mut Groups) -> Option<GroupId> {
        let mut all = self.pointers.of(at.function, value);
        let held: Vec<ObjectId> = all
            .iter()
            .flat_map(|one| self.pointers.in_contents(*one))
            .collect();
        all.extend(held);
        (!all.is_empty()).then(|| groups.of_list(all))
    }

    /// Everything that can be reached from values.
    fn closure(&self, at: Position, values: Vec<Operand>, groups: &mut Groups) -> Option<GroupId> {
        let starts = values.into_iter();
        let starts: Vec<GroupId> = starts
            .filter_map(|value| self.group(at, value, groups))
            .collect();
        let start = groups.joined(starts)?;
        Some(groups.closed(start, |objects| self.pointers.closure(objects)))
    }
}
