//! What the formula builder looks things up in: definitions of registers, control flow, memory, loops.

use crate::formula::expression::take;
use crate::slice::calls::Calls;
use crate::slice::definitions::{Definition, Definitions};
use crate::slice::graphs::Graphs;
use crate::slice::memory::Memory;
use crate::slice::objects::{Object, ObjectId, Objects};
use crate::slice::points_to::{PointsTo, solve};
use crate::slice::position::{Position, instruction};
use migfit_schema::program::{Callee, Function, FunctionId, Op, Operand, Place, Reg, SizeProgram};
use migfit_schema::site::Site;
use std::cell::Cell;

/// Values and writes looked at for all formulas of a program together: beyond that they say "a long computation".
/// About a second; the evaluation does not need them.
const BUDGET: usize = 1 << 24;

/// Everything that is known of a program.
pub struct Scene<'a> {
    /// The program.
    pub program: &'a SizeProgram,
    /// Control flow, control dependence and loops.
    pub graphs: Graphs,
    /// Who writes which object.
    pub memory: Memory,
    /// What pointers lead to.
    pub pointers: PointsTo,
    objects: Objects,
    definitions: Definitions<'a>,
    calls: Calls,
    budget: Cell<usize>,
}

impl<'a> Scene<'a> {
    /// Looks a program through.
    pub fn of(program: &'a SizeProgram) -> Scene<'a> {
        let objects = Objects::of(program);
        let pointers = solve(program, &objects);
        let memory = Memory::of(program, &objects, &pointers);
        Scene {
            program,
            graphs: Graphs::of(program),
            memory,
            objects,
            definitions: Definitions::of(program),
            calls: Calls::of(program, &pointers),
            pointers,
            budget: Cell::new(BUDGET),
        }
    }

    /// Pays for looking at so many things, if the formulas of the program can still afford it.
    pub fn spend(&self, count: usize) -> bool {
        take(&self.budget, count)
    }

    /// Where a register gets its value.
    pub fn definition(&self, function: FunctionId, register: Reg) -> Option<Definition<'a>> {
        self.definitions.get(function, register)
    }

    /// Who calls whom.
    pub fn all_calls(&self) -> &Calls {
        &self.calls
    }

    /// The call that made a memory object.
    pub fn made_at(&self, object: ObjectId) -> Option<Position> {
        match self.objects.get(object) {
            Some(Object::Fresh(at)) => Some(at),
            _ => None,
        }
    }

    /// Where a function is called.
    pub fn calls(&self, function: FunctionId) -> &[Position] {
        self.calls.sites(function)
    }

    /// The only call of a function, if there is just one.
    pub fn only_call(&self, function: FunctionId) -> Option<Position> {
        match self.calls.sites(function) {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The instruction at a position.
    pub fn op(&self, at: Position) -> Option<&'a Op> {
        instruction(self.program, at).map(|found| &found.op)
    }

    /// The memory object that a call makes.
    pub fn memory_made_by(&self, at: Position) -> Option<ObjectId> {
        self.objects.fresh(at)
    }

    /// Whether a register is the parameter `argv` of `main`.
    pub fn is_argv(&self, function: FunctionId, register: Reg) -> bool {
        let is_main = Some(function) == self.program.main;
        let argv = self.body(function).and_then(|body| body.params.get(1));
        is_main && argv.is_some_and(|(argv, _)| *argv == register)
    }

    /// The body of a function.
    pub fn body(&self, function: FunctionId) -> Option<&'a Function> {
        self.program.functions.get(function as usize)
    }

    /// The source's name of a register.
    pub fn name(&self, function: FunctionId, register: Reg) -> Option<&'a str> {
        let names = &self.body(function)?.names;
        names
            .iter()
            .find(|(named, _)| *named == register)
            .map(|(_, name)| name.as_str())
    }

    /// A place as people read it; `None` where the compiler gave none.
    pub fn site(&self, place: Place) -> Option<Site> {
        let file = self.program.files.get(place.file as usize)?;
        (place.line > 0).then(|| Site {
            file: file.clone(),
            line: place.line,
        })
    }

    /// The text of a string constant.
    pub fn text(&self, value: Operand) -> Option<String> {
        let Operand::Global(id, 0) = value else {
            return None;
        };
        let global = self
            .program
            .globals
            .get(id as usize)
            .filter(|global| global.constant)?;
        let bytes = global.bytes.split(|byte| *byte == 0).next()?;
        String::from_utf8(bytes.to_vec()).ok()
    }

    /// The function, outside the program, that an instruction calls, and its arguments.
    pub fn external(op: &'a Op) -> Option<(&'a str, Vec<Operand>)> {
        match op {
            Op::Call {
                callee: Callee::External(name),
                args,
                ..
            } => Some((
                name.as_str(),
                args.iter().map(|(value, _)| *value).collect(),
            )),
            _ => None,
        }
    }
}
