//! What a slice keeps: backwards from the CUDA calls over operands, memory objects and control dependence.

use crate::slice::choice::Choice;
use crate::slice::control::Control;
use crate::slice::effects::{Returns, effect};
use crate::slice::event::{is_event, needless_argument};
use crate::slice::flow::Flow;
use crate::slice::memory::Memory;
use crate::slice::objects::ObjectId;
use crate::slice::points_to::{PointsTo, returned};
use crate::slice::position::{Position, instruction, instructions, read, written};
use migfit_schema::program::{
    BlockId, Callee, FunctionId, GlobalId, Op, Operand, Reg, SizeProgram, Terminator,
};
use std::collections::{HashMap, HashSet};

/// What is kept.
#[derive(Default)]
pub struct Kept {
    /// Instructions kept as they are.
    pub ops: HashSet<Position>,
    /// CUDA calls of which only the status is needed: they become "success".
    pub statuses: HashSet<Position>,
    /// Phis.
    pub phis: HashSet<(FunctionId, Reg)>,
    /// Branches and switches.
    pub branches: HashSet<(FunctionId, BlockId)>,
    /// Results of functions.
    pub results: HashSet<(FunctionId, usize)>,
    /// Functions with an effect that is kept.
    pub active: HashSet<FunctionId>,
    /// Globals that something kept refers to.
    pub globals: HashSet<GlobalId>,
}

/// Where a register gets its value.
#[derive(Clone, Copy)]
enum Definition {
    Op(Position),
    Phi(BlockId, usize),
    Parameter(usize),
}

struct Keeper<'a> {
    program: &'a SizeProgram,
    flows: &'a [Flow],
    controls: &'a [Control],
    memory: &'a Memory,
    definitions: HashMap<(FunctionId, Reg), Definition>,
    calls: HashMap<FunctionId, Vec<Position>>,
    kept: Kept,
    registers: HashSet<(FunctionId, Reg)>,
    readers: HashSet<(ObjectId, Position)>,
    whole: HashSet<FunctionId>,
    waiting: Vec<(FunctionId, Reg)>,
    waiting_reads: Vec<(ObjectId, Position)>,
}

/// Decides what is kept.
pub fn keep(
    program: &SizeProgram,
    flows: &[Flow],
    controls: &[Control],
    memory: &Memory,
    pointers: &PointsTo,
) -> Kept {
    let mut keeper = Keeper {
        program,
        flows,
        controls,
        memory,
        definitions: definitions(program),
        calls: calls(program, pointers),
        kept: Kept::default(),
        registers: HashSet::new(),
        readers: HashSet::new(),
        whole: HashSet::new(),
        waiting: Vec::new(),
        waiting_reads: Vec::new(),
    };
    for (at, instruction) in instructions(program) {
        if is_event(&instruction.op) {
            keeper.effect(at);
        }
    }
    keeper.drain();
    while keeper.repair() {
        keeper.drain();
    }
    keeper.kept
}

impl Keeper<'_> {
    fn drain(&mut self) {
        loop {
            if let Some((function, register)) = self.waiting.pop() {
                self.register(function, register);
            } else if let Some((object, reader)) = self.waiting_reads.pop() {
                self.object(object, reader);
            } else {
                return;
            }
        }
    }

    /// A jump over dropped blocks must not enter a block whose kept phi does not know where it comes from.
    fn repair(&mut self) -> bool {
        let mut missing = Vec::new();
        for (function, body) in (0u32..).zip(&self.program.functions) {
            let control = &self.controls[function as usize];
            for block in 0..u32::try_from(body.blocks.len()).unwrap_or(0) {
                let dropped = control.ways(block).len() > 1
                    && !self.kept.branches.contains(&(function, block));
                if dropped && self.join_has_foreign_phi(function, block) {
                    missing.push((function, block));
                }
            }
        }
        missing
            .iter()
            .for_each(|(function, block)| self.branch(*function, *block));
        !missing.is_empty()
    }

    fn join_has_foreign_phi(&self, function: FunctionId, block: BlockId) -> bool {
        let Some(join) = self.controls[function as usize].join(block) else {
            return false;
        };
        let phis = &self.program.functions[function as usize].blocks[join as usize].phis;
        let mut kept = phis
            .iter()
            .filter(|phi| self.kept.phis.contains(&(function, phi.dst)));
        kept.any(|phi| phi.incoming.iter().all(|(from, _)| *from != block))
    }

    fn need(&mut self, function: FunctionId, value: Operand) {
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
        if self.kept.globals.insert(id)
            && let Some(global) = self.program.globals.get(id as usize)
        {
            for (_, address) in &global.addresses {
                self.need(0, *address);
            }
        }
    }

    fn register(&mut self, function: FunctionId, register: Reg) {
        match self.definitions.get(&(function, register)).copied() {
            Some(Definition::Op(at)) => self.value(at, register),
            Some(Definition::Phi(block, index)) => self.phi(function, block, index),
            Some(Definition::Parameter(index)) => self.parameter(function, index),
            None => {}
        }
    }

    fn phi(&mut self, function: FunctionId, block: BlockId, index: usize) {
        let phi = &self.program.functions[function as usize].blocks[block as usize].phis[index];
        self.kept.phis.insert((function, phi.dst));
        let incoming: Vec<BlockId> = phi.incoming.iter().map(|(from, _)| *from).collect();
        for (_, value) in &phi.incoming {
            self.need(function, *value);
        }
        for from in &incoming {
            if self.flows[function as usize].reaches(block, *from) {
                self.back_edge(function, *from);
            }
        }
        let choice = Choice { block, incoming };
        for branch in choice.deciders(
            &self.flows[function as usize],
            &self.controls[function as usize],
        ) {
            self.branch(function, branch);
        }
    }

    /// What decides whether a loop goes round again decides the value that its head carries.
    fn back_edge(&mut self, function: FunctionId, from: BlockId) {
        if self.controls[function as usize].ways(from).len() > 1 {
            self.branch(function, from);
        }
        self.control(function, from);
    }

    fn control(&mut self, function: FunctionId, block: BlockId) {
        let controls = self.controls;
        for branch in controls[function as usize].controllers(block) {
            self.branch(function, *branch);
        }
    }

    fn branch(&mut self, function: FunctionId, block: BlockId) {
        if !self.kept.branches.insert((function, block)) {
            return;
        }
        match &self.program.functions[function as usize].blocks[block as usize].end {
            Terminator::Branch { condition, .. } => self.need(function, *condition),
            Terminator::Switch { value, .. } => self.need(function, *value),
            _ => {}
        }
        self.control(function, block);
    }

    fn parameter(&mut self, function: FunctionId, index: usize) {
        for at in self.calls.get(&function).cloned().unwrap_or_default() {
            if let Some(Op::Call { args, .. }) =
                instruction(self.program, at).map(|found| &found.op)
                && let Some((value, _)) = args.get(index)
            {
                self.need(at.function, *value);
            }
        }
    }

    /// Keeps an instruction for the value that it leaves in a register.
    fn value(&mut self, at: Position, register: Reg) {
        let Some(found) = instruction(self.program, at) else {
            return;
        };
        match &found.op {
            Op::Call {
                callee: Callee::External(name),
                ..
            } => {
                if effect(name).is_some_and(|effect| effect.returns == Returns::Status) {
                    self.kept.statuses.insert(at);
                } else {
                    self.effect(at);
                }
            }
            Op::Call { dst, .. } => {
                let index = dst.iter().position(|one| *one == register).unwrap_or(0);
                self.transfer(at);
                for target in self.targets(at) {
                    self.result(target, index);
                }
            }
            op => self.keep_op(at, op),
        }
    }

    /// Keeps an instruction for what it does.
    fn effect(&mut self, at: Position) {
        if let Some(found) = instruction(self.program, at) {
            if self.kept.ops.contains(&at) {
                return;
            }
            self.keep_op(at, &found.op);
            self.control(at.function, at.block);
            self.activate(at.function);
        }
    }

    fn keep_op(&mut self, at: Position, op: &Op) {
        if !self.kept.ops.insert(at) {
            return;
        }
        for (index, value) in read(op).into_iter().enumerate() {
            let needless = matches!(op, Op::Call { callee: Callee::External(name), .. } if needless_argument(name, index));
            if !needless {
                self.need(at.function, value);
                self.callback(at, op, value);
            }
        }
        for object in self.memory.reads(at) {
            if self.readers.insert((*object, at)) {
                self.waiting_reads.push((*object, at));
            }
        }
    }

    /// A function whose address goes to a library (qsort's comparison) is kept whole.
    fn callback(&mut self, at: Position, op: &Op, value: Operand) {
        if let Op::Call {
            callee: Callee::External(_),
            ..
        } = op
            && let Operand::Function(target) = value
            && self.whole.insert(target)
        {
            self.keep_whole(target);
            self.control(at.function, at.block);
        }
    }

    fn keep_whole(&mut self, function: FunctionId) {
        let Some(body) = self.program.functions.get(function as usize) else {
            return;
        };
        self.kept.active.insert(function);
        (0..body.results.len()).for_each(|index| self.result(function, index));
        for (block, contents) in (0u32..).zip(&body.blocks) {
            self.branch(function, block);
            for index in 0..u32::try_from(contents.ops.len()).unwrap_or(0) {
                self.effect(Position {
                    function,
                    block,
                    index,
                });
            }
        }
    }

    /// Writers of an object from which control may come to the reader.
    fn object(&mut self, object: ObjectId, reader: Position) {
        let memory = self.memory;
        for writer in memory.writers(object) {
            if self.may_come_before(*writer, reader) {
                self.effect(*writer);
            }
        }
    }

    fn may_come_before(&self, first: Position, second: Position) -> bool {
        if first.function != second.function {
            return true;
        }
        let later = first.block == second.block && first.index < second.index;
        later
            || self.flows[first.function as usize].reaches(first.block, second.block)
            || self.called_again(first.function)
    }

    /// A function other than `main` may run again, so its last store may be seen by its first load.
    fn called_again(&self, function: FunctionId) -> bool {
        self.program.main != Some(function)
    }

    fn activate(&mut self, function: FunctionId) {
        if self.kept.active.insert(function) {
            for at in self.calls.get(&function).cloned().unwrap_or_default() {
                self.transfer(at);
            }
        }
    }

    /// Keeps a call of a function with a body, without a need of its arguments.
    fn transfer(&mut self, at: Position) {
        if self.kept.ops.insert(at) {
            if let Some(Op::Call {
                callee: Callee::Indirect(pointer),
                ..
            }) = instruction(self.program, at).map(|found| &found.op)
            {
                self.need(at.function, *pointer);
            }
            self.control(at.function, at.block);
            self.activate(at.function);
        }
    }

    fn targets(&self, at: Position) -> Vec<FunctionId> {
        self.calls
            .iter()
            .filter(|(_, sites)| sites.contains(&at))
            .map(|(target, _)| *target)
            .collect()
    }

    fn result(&mut self, function: FunctionId, index: usize) {
        if !self.kept.results.insert((function, index)) {
            return;
        }
        let Some(body) = self.program.functions.get(function as usize) else {
            return;
        };
        for value in returned(body, index) {
            self.need(function, value);
        }
        let ends = (0u32..)
            .zip(&body.blocks)
            .filter(|(_, block)| matches!(block.end, Terminator::Return(_)));
        let ends: Vec<BlockId> = ends.map(|(block, _)| block).collect();
        if ends.len() > 1 {
            ends.iter().for_each(|block| self.control(function, *block));
        }
    }
}

fn definitions(program: &SizeProgram) -> HashMap<(FunctionId, Reg), Definition> {
    let mut all = HashMap::new();
    for (function, body) in (0u32..).zip(&program.functions) {
        for (index, (register, _)) in body.params.iter().enumerate() {
            all.insert((function, *register), Definition::Parameter(index));
        }
        for (block, contents) in (0u32..).zip(&body.blocks) {
            for (index, phi) in contents.phis.iter().enumerate() {
                all.insert((function, phi.dst), Definition::Phi(block, index));
            }
        }
    }
    for (at, instruction) in instructions(program) {
        for register in written(&instruction.op) {
            all.insert((at.function, *register), Definition::Op(at));
        }
    }
    all
}

/// Call sites of each function, through pointers too.
fn calls(program: &SizeProgram, pointers: &PointsTo) -> HashMap<FunctionId, Vec<Position>> {
    let mut all: HashMap<FunctionId, Vec<Position>> = HashMap::new();
    for (at, instruction) in instructions(program) {
        match &instruction.op {
            Op::Call {
                callee: Callee::Function(target),
                ..
            } => all.entry(*target).or_default().push(at),
            Op::Call {
                callee: Callee::Indirect(pointer),
                ..
            } => {
                for target in pointers.functions(program, at.function, *pointer) {
                    all.entry(target).or_default().push(at);
                }
            }
            _ => {}
        }
    }
    all
}
