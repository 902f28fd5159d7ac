//! The walk backwards: registers lead to instructions, instructions to operands and to objects, objects to writers.

use super::destinations::is_destination;
use super::device::{Arrivals, arrivals};
use super::kept::Kept;
use super::seeds::seeds;
use crate::slice::calls::Calls;
use crate::slice::definitions::{Definition, Definitions};
use crate::slice::event::needless_argument;
use crate::slice::eventful::Eventful;
use crate::slice::graphs::Graphs;
use crate::slice::groups::GroupId;
use crate::slice::memory::Memory;
use crate::slice::objects::ObjectId;
use crate::slice::points_to::PointsTo;
use crate::slice::position::{Position, instruction, read};
use migfit_schema::program::{Callee, FunctionId, GlobalId, Op, Operand, Reg, SizeProgram};
use std::collections::{HashMap, HashSet};

/// What is known of the program.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The program.
    pub program: &'a SizeProgram,
    /// Control flow and dependence.
    pub graphs: &'a Graphs,
    /// Who writes which object.
    pub memory: &'a Memory,
    /// Who calls whom.
    pub calls: &'a Calls,
    /// What pointers lead to.
    pub pointers: &'a PointsTo,
}

/// What becomes of checks that only lead to a failing exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Those that cost next to nothing are kept.
    Cheap,
    /// All but those of what the device computed are kept, with the work that they look at.
    All,
}

/// Decides what is kept.
pub fn keep(known: Known<'_>, eventful: &Eventful, checks: Checks) -> Kept {
    let seeds = seeds(&known, eventful);
    let mut keeper = Keeper {
        arrivals: arrivals(&known),
        definitions: Definitions::of(known.program),
        known,
        kept: Kept::default(),
        registers: HashSet::new(),
        unread: HashMap::new(),
        read_up: HashSet::new(),
        whole: HashSet::new(),
        whole_calls: HashSet::new(),
        waiting: Vec::new(),
        waiting_reads: Vec::new(),
        waiting_effects: seeds,
    };
    keeper.settle();
    keeper.cheap_checks();
    keeper.settle();
    keeper.cheap_deaths();
    keeper.settle();
    if checks == Checks::All {
        keeper.keep_checks(eventful);
        keeper.settle();
    }
    keeper.kept.unchecked = keeper.unchecked(eventful);
    keeper.kept
}

/// The walk on its way.
pub struct Keeper<'a> {
    pub(super) known: Known<'a>,
    pub(super) definitions: Definitions<'a>,
    pub(super) kept: Kept,
    pub(super) arrivals: Arrivals,
    registers: HashSet<(FunctionId, Reg)>,
    /// Per object that something kept reads, the writers that come before none of its readers so far.
    unread: HashMap<ObjectId, Vec<Position>>,
    /// Groups of objects all of whose writers are kept.
    read_up: HashSet<GroupId>,
    pub(super) whole: HashSet<FunctionId>,
    pub(super) whole_calls: HashSet<Position>,
    waiting: Vec<(FunctionId, Reg)>,
    waiting_reads: Vec<(GroupId, Position)>,
    pub(super) waiting_effects: Vec<Position>,
}

impl Keeper<'_> {
    /// Follows everything that waits, until no jump needs repair.
    fn settle(&mut self) {
        self.drain();
        while self.repair() {
            self.drain();
        }
    }

    fn drain(&mut self) {
        loop {
            if let Some(at) = self.waiting_effects.pop() {
                self.effect(at);
            } else if let Some((function, register)) = self.waiting.pop() {
                self.register(function, register);
            } else if let Some((group, reader)) = self.waiting_reads.pop() {
                self.group(group, reader);
            } else {
                return;
            }
        }
    }

    /// A value is needed.
    pub(super) fn need(&mut self, function: FunctionId, value: Operand) {
        match value {
            Operand::Reg(register) => {
                if self.registers.insert((function, register)) {
                    self.waiting.push((function, register));
                }
            }
            Operand::Global(id, _) => self.global(id),
            Operand::Const(_) | Operand::Function(_) | Operand::Undef => {}
        }
    }

    /// A global and those whose addresses its initial bytes hold.
    fn global(&mut self, id: GlobalId) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            let Some(global) = self.known.program.globals.get(id as usize) else {
                continue;
            };
            if self.kept.globals.insert(id) {
                let inner = global
                    .addresses
                    .iter()
                    .filter_map(|(_, address)| match address {
                        Operand::Global(inner, _) => Some(*inner),
                        _ => None,
                    });
                waiting.extend(inner);
            }
        }
    }

    fn register(&mut self, function: FunctionId, register: Reg) {
        match self.definitions.get(function, register) {
            Some(Definition::Op(at, op, _)) => self.value(at, op, register),
            Some(Definition::Phi(block, phi)) => self.phi(function, block, phi),
            Some(Definition::Parameter(index)) => self.parameter(function, index),
            None => {}
        }
    }

    /// Keeps an instruction for what it does.
    pub(super) fn effect(&mut self, at: Position) {
        if let Some(found) = instruction(self.known.program, at) {
            if self.kept.ops.contains(&at) {
                return;
            }
            self.keep_op(at, &found.op);
            self.control(at.function, at.block);
            self.activate(at.function);
        }
    }

    /// Keeps an instruction with what it reads.
    pub(super) fn keep_op(&mut self, at: Position, op: &Op) {
        if !self.kept.ops.insert(at) {
            return;
        }
        if self.is_bare(at, op) {
            self.kept.bare.insert(at);
            return;
        }
        let needless = |index| match op {
            Op::Call {
                callee: Callee::External(name),
                ..
            } => needless_argument(self.known.program, name, index) || is_destination(op, index),
            _ => false,
        };
        for (index, value) in read(op).into_iter().enumerate() {
            if !needless(index) {
                self.need(at.function, value);
            }
        }
        self.callbacks(at, op);
        self.reads(at);
    }

    /// What an instruction reads from memory is needed.
    pub(super) fn reads(&mut self, at: Position) {
        if let Some(group) = self.known.memory.read_group(at)
            && !self.read_up.contains(&group)
        {
            self.waiting_reads.push((group, at));
        }
    }

    /// Writers of a group's objects from which control may come to the reader.
    fn group(&mut self, group: GroupId, reader: Position) {
        let memory = self.known.memory;
        let mut all_read = true;
        for object in memory.in_group(group) {
            all_read &= self.object(*object, reader);
        }
        if all_read {
            self.read_up.insert(group);
        }
    }

    /// Writers of an object from which control may come to the reader; says whether none is left.
    fn object(&mut self, object: ObjectId, reader: Position) -> bool {
        let memory = self.known.memory;
        let left = self.unread.remove(&object);
        let left = left.unwrap_or_else(|| memory.writers(object).copied().collect());
        let (before, after): (Vec<Position>, Vec<Position>) = left
            .into_iter()
            .partition(|writer| self.may_come_before(*writer, reader));
        for writer in before {
            self.waiting_effects.push(writer);
            self.destination(writer, object);
            self.whole_call(writer);
        }
        let none_left = after.is_empty();
        self.unread.insert(object, after);
        none_left
    }

    pub(super) fn may_come_before(&self, first: Position, second: Position) -> bool {
        if first.function != second.function {
            return true;
        }
        let later = first.block == second.block && first.index < second.index;
        let flow = self.known.graphs.flow(first.function);
        // A function other than `main` may run again, so its last store may be seen by its first load.
        let called_again = self.known.program.main != Some(first.function);
        later || flow.reaches(first.block, second.block) || called_again
    }
}
