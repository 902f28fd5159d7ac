//! What the formula builder looks things up in: definitions of registers, control flow, memory, loops.

use crate::formula::loops::Loops;
use crate::slice::control::{Control, controls};
use crate::slice::flow::{Flow, flows};
use crate::slice::memory::Memory;
use crate::slice::objects::{ObjectId, Objects};
use crate::slice::points_to::{PointsTo, solve};
use crate::slice::position::{Position, instruction, instructions, written};
use migfit_schema::program::{
    BlockId, Callee, Function, FunctionId, Op, Operand, Phi, Place, Reg, SizeProgram,
};
use migfit_schema::site::Site;
use std::collections::HashMap;

/// Everything that is known of a program.
pub struct Scene<'a> {
    /// The program.
    pub program: &'a SizeProgram,
    /// Control flow, by function.
    pub flows: Vec<Flow>,
    /// Control dependence, by function.
    pub controls: Vec<Control>,
    /// Loops, by function.
    pub loops: Vec<Loops>,
    /// Who writes which object.
    pub memory: Memory,
    /// What pointers lead to.
    pub pointers: PointsTo,
    objects: Objects,
    definitions: HashMap<(FunctionId, Reg), Definition<'a>>,
    calls: HashMap<FunctionId, Vec<Position>>,
}

/// Where a register gets its value.
#[derive(Clone, Copy)]
pub enum Definition<'a> {
    /// An instruction, its position and place.
    Op(Position, &'a Op, Place),
    /// A phi in a block.
    Phi(BlockId, &'a Phi),
    /// The function's parameter of this index.
    Parameter(usize),
}

impl<'a> Scene<'a> {
    /// Looks a program through.
    pub fn of(program: &'a SizeProgram) -> Scene<'a> {
        let flows = flows(program);
        let objects = Objects::of(program);
        let pointers = solve(program, &objects);
        let memory = Memory::of(program, &objects, &pointers);
        let controls = controls(program, &flows);
        let loops = flows.iter().map(Loops::of).collect();
        let (definitions, calls) = (definitions(program), calls(program));
        Scene {
            program,
            flows,
            controls,
            loops,
            memory,
            pointers,
            objects,
            definitions,
            calls,
        }
    }

    /// Where a register gets its value.
    pub fn definition(&self, function: FunctionId, register: Reg) -> Option<Definition<'a>> {
        self.definitions.get(&(function, register)).copied()
    }

    /// The only call of a function, if there is just one.
    pub fn only_call(&self, function: FunctionId) -> Option<Position> {
        match self.calls.get(&function).map(Vec::as_slice) {
            Some([only]) => Some(*only),
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

fn definitions(program: &SizeProgram) -> HashMap<(FunctionId, Reg), Definition<'_>> {
    let mut all = HashMap::new();
    for (function, body) in (0u32..).zip(&program.functions) {
        for (index, (register, _)) in body.params.iter().enumerate() {
            all.insert((function, *register), Definition::Parameter(index));
        }
        for (block, contents) in (0u32..).zip(&body.blocks) {
            for phi in &contents.phis {
                all.insert((function, phi.dst), Definition::Phi(block, phi));
            }
        }
    }
    for (at, instruction) in instructions(program) {
        for register in written(&instruction.op) {
            all.insert(
                (at.function, *register),
                Definition::Op(at, &instruction.op, instruction.place),
            );
        }
    }
    all
}

fn calls(program: &SizeProgram) -> HashMap<FunctionId, Vec<Position>> {
    let mut all: HashMap<FunctionId, Vec<Position>> = HashMap::new();
    for (at, instruction) in instructions(program) {
        if let Op::Call {
            callee: Callee::Function(target),
            ..
        } = &instruction.op
        {
            all.entry(*target).or_default().push(at);
        }
    }
    all
}
