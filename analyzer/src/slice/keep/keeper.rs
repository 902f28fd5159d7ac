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
use crate::slice::memory::Memory;
use crate::slice::objects::ObjectId;
use crate::slice::points_to::PointsTo;
use crate::slice::position::{Position, instruction, read};
use migfit_schema::program::{Callee, FunctionId, GlobalId, Op, Operand, Reg, SizeProgram};
use std::collections::HashSet;

/// What is known of the program.
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

/// Decides what is kept.
pub fn keep(known: Known<'_>, eventful: &Eventful) -> Kept {
    let seeds = seeds(&known, eventful);
    let mut keeper = Keeper {
        arrivals: arrivals(&known),
        definitions: Definitions::of(known.program),
        known,
        kept: Kept::default(),
        registers: HashSet::new(),
        readers: HashSet::new(),
        whole: HashSet::new(),
        whole_calls: HashSet::new(),
        waiting: Vec::new(),
        waiting_reads: Vec::new(),
        waiting_effects: seeds,
    };
    keeper.settle();
    keeper.cheap_checks();
    keeper.settle();
    keeper.kept
}

/// The walk on its way.
pub struct Keeper<'a> {
    pub(super) known: Known<'a>,
    pub(super) definitions: Definitions<'a>,
    pub(super) kept: Kept,
    pub(super) arrivals: Arrivals,
    registers: HashSet<(FunctionId, Reg)>,
    readers: HashSet<(ObjectId, Position)>,
    pub(super) whole: HashSet<FunctionId>,
    pub(super) whole_calls: HashSet<Position>,
    waiting: Vec<(FunctionId, Reg)>,
    waiting_reads: Vec<(ObjectId, Position)>,
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
            } else if let Some((object, reader)) = self.waiting_reads.pop() {
                self.object(object, reader);
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
            } => needless_argument(name, index) || is_destination(op, index),
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
        for object in self.known.memory.reads(at) {
            if self.readers.insert((*object, at)) {
                self.waiting_reads.push((*object, at));
            }
        }
    }

    /// Writers of an object from which control may come to the reader.
    fn object(&mut self, object: ObjectId, reader: Position) {
        let memory = self.known.memory;
        for writer in memory.writers(object) {
            if self.may_come_before(*writer, reader) {
                self.waiting_effects.push(*writer);
                self.destination(*writer, object);
                self.whole_call(*writer);
            }
        }
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
