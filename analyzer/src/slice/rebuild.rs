//! The program cut down to what is kept, block for block: ids of functions, blocks, registers and globals stay, so
//! that its trace can be compared with the whole program's. A branch that is not kept becomes a jump to its join.

use crate::slice::control::Control;
use crate::slice::event::needless_argument;
use crate::slice::eventful::Eventful;
use crate::slice::graphs::Graphs;
use crate::slice::keep::{Check, Kept, is_destination};
use crate::slice::position::{Position, successors};
use crate::slice::remains::remains;
use crate::slice::unknown_branch::Surroundings;
use migfit_schema::program::{
    Block, BlockId, Callee, Function, FunctionId, Global, Instruction, OnUnknown, Op, Operand,
    Place, SizeProgram, Terminator, Type, UNCHECKED,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Builds it.
pub fn rebuild(
    program: &SizeProgram,
    graphs: &Graphs,
    eventful: &Eventful,
    kept: &Kept,
) -> SizeProgram {
    let functions = (0u32..).zip(&program.functions).map(|(id, body)| {
        let scene = Scene {
            id,
            body,
            graphs,
            kept,
            eventful,
            program,
            is_main: program.main == Some(id),
        };
        scene.function()
    });
    let functions = functions.collect();
    let constructors = program.constructors.iter().copied();
    let globals = (0u32..).zip(&program.globals).map(|(id, global)| {
        if kept.globals.contains(&id) {
            global.clone()
        } else {
            emptied(global)
        }
    });
    SizeProgram {
        files: program.files.clone(),
        functions,
        globals: globals.collect(),
        constructors: constructors.filter(|id| kept.active.contains(id)).collect(),
        main: program.main,
        kernels: program.kernels.clone(),
        opaque: program.opaque.clone(),
        captures: program.captures,
        kernel_names: program.kernel_names.clone(),
        catches: program.catches.clone(),
        loose_floats: program.loose_floats.clone(),
    }
}

/// The whole program, with advice for every branch: what a slice is compared with.
pub fn advise(program: &SizeProgram, graphs: &Graphs, eventful: &Eventful) -> SizeProgram {
    let mut advised = program.clone();
    for ((id, body), new) in (0u32..).zip(&program.functions).zip(&mut advised.functions) {
        let has_events = |block| eventful.block(id, block);
        let surroundings = Surroundings {
            body,
            flow: graphs.flow(id),
            control: graphs.control(id),
            loops: graphs.loops(id),
            has_events: &has_events,
            is_main: program.main == Some(id),
        };
        for (block, new) in (0u32..).zip(&mut new.blocks) {
            if let Terminator::Branch { unknown, .. } | Terminator::Switch { unknown, .. } =
                &mut new.end
            {
                *unknown = surroundings.advice(block);
            }
        }
    }
    advised
}

/// Its name and size stay; its bytes are not needed.
fn emptied(global: &Global) -> Global {
    Global {
        bytes: Vec::new(),
        addresses: Vec::new(),
        ..global.clone()
    }
}

struct Scene<'a> {
    id: FunctionId,
    body: &'a Function,
    graphs: &'a Graphs,
    kept: &'a Kept,
    eventful: &'a Eventful,
    program: &'a SizeProgram,
    is_main: bool,
}

impl Scene<'_> {
    fn function(&self) -> Function {
        // `main` stays even when nothing in it is kept: a program without CUDA calls needs nothing, exactly.
        let mut results = 0..self.body.results.len();
        let needed = self.is_main
            || self.kept.active.contains(&self.id)
            || results.any(|index| self.kept.results.contains(&(self.id, index)));
        let blocks = if needed {
            let passed = self.passed_over();
            let blocks = (0u32..).zip(&self.body.blocks);
            blocks
                .map(|(id, block)| self.block(id, block, passed.get(&id)))
                .collect()
        } else {
            vec![empty(Terminator::Return(self.unknown_results()))]
        };
        // Each block may need one more register, for a condition that is not known.
        let more = u32::try_from(self.body.blocks.len()).unwrap_or(0);
        let has_more = !self.kept.unknown_branches.is_empty();
        Function {
            blocks,
            registers: self.body.registers + if has_more { more } else { 0 },
            ..self.body.clone()
        }
    }

    /// Checks that are not kept, by the block at whose end control goes past them: where they stand, or where it jumps
    /// over them.
    fn passed_over(&self) -> HashMap<BlockId, Vec<Check>> {
        let unchecked = &self.kept.unchecked;
        let mut passed: HashMap<BlockId, Vec<Check>> = HashMap::new();
        let mut waiting: BTreeMap<BlockId, Vec<Check>> = BTreeMap::new();
        let branches = unchecked.branches.iter();
        let branches = branches.filter(|((function, _), _)| *function == self.id);
        let calls = unchecked.calls.iter();
        let calls = calls.filter(|(at, _)| at.function == self.id);
        let all = branches.map(|((_, block), check)| (*block, *check));
        for (block, check) in all.chain(calls.map(|(at, check)| (at.block, *check))) {
            waiting.entry(block).or_default().push(check);
        }
        if waiting.is_empty() {
            return passed;
        }
        let visited = self.visited();
        waiting.retain(|block, checks| {
            let stays = visited.contains(block);
            if stays {
                passed.entry(*block).or_default().append(checks);
            }
            !stays
        });
        for block in visited {
            for over in self.jumped_over(block, &waiting) {
                let checks = waiting.get(&over).into_iter().flatten();
                passed.entry(block).or_default().extend(checks);
            }
        }
        for checks in passed.values_mut() {
            checks.sort_unstable_by_key(|check| (check.place.file, check.place.line));
            checks.dedup();
        }
        passed
    }

    /// Blocks that control can come to when only what is kept decides.
    fn visited(&self) -> BTreeSet<BlockId> {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![0];
        while let Some(id) = waiting.pop() {
            if let Some(block) = self.body.blocks.get(id as usize)
                && seen.insert(id)
            {
                waiting.extend(successors(&self.terminator(id, &block.end)));
            }
        }
        seen
    }

    /// Of these blocks the ones that lie between a branch that is not kept and where its ways meet.
    fn jumped_over(&self, id: BlockId, blocks: &BTreeMap<BlockId, Vec<Check>>) -> Vec<BlockId> {
        let control = self.control();
        let ways = control.ways(id);
        let decides = ways.len() > 1 && !self.kept.branches.contains(&(self.id, id));
        if blocks.is_empty() || !decides {
            return Vec::new();
        }
        let join = control.join(id);
        let mut seen = BTreeSet::new();
        let mut waiting = ways.to_vec();
        while let Some(block) = waiting.pop() {
            if Some(block) != join && seen.insert(block) {
                waiting.extend(control.ways(block));
            }
        }
        seen.retain(|block| blocks.contains_key(block));
        seen.into_iter().collect()
    }

    fn block(&self, id: BlockId, block: &Block, passed: Option<&Vec<Check>>) -> Block {
        let phis = block.phis.iter();
        let phis = phis.filter(|phi| self.kept.phis.contains(&(self.id, phi.dst)));
        let ops = (0u32..).zip(&block.ops).filter_map(|(index, instruction)| {
            let at = Position {
                function: self.id,
                block: id,
                index,
            };
            self.instruction(at, instruction)
        });
        let mut ops: Vec<Instruction> = ops.collect();
        ops.extend(passed.into_iter().flatten().map(unchecked));
        let mut end = self.terminator(id, &block.end);
        if self.kept.unknown_branches.contains(&(self.id, id)) {
            let condition = self.body.registers + id;
            ops.push(Instruction {
                op: Op::Unsupported {
                    dst: vec![condition],
                    what: "a result of the device".to_owned(),
                },
                place: block.end_place,
            });
            ask(&mut end, Operand::Reg(condition));
        }
        Block {
            phis: phis.cloned().collect(),
            ops,
            end,
            end_place: block.end_place,
        }
    }

    fn instruction(&self, at: Position, instruction: &Instruction) -> Option<Instruction> {
        let place = instruction.place;
        if self.kept.ops.contains(&at) {
            return Some(Instruction {
                op: self.without_needless(at, &instruction.op),
                place,
            });
        }
        if self.kept.statuses.contains(&at) {
            let dst = *instruction.op.written().first()?;
            return Some(Instruction {
                op: Op::Copy {
                    dst,
                    ty: Type::Int(32),
                    a: Operand::Const(0),
                },
                place,
            });
        }
        remains(self.program, &instruction.op).map(|op| Instruction { op, place })
    }

    /// Arguments that an evaluator does not need are not computed either.
    fn without_needless(&self, at: Position, op: &Op) -> Op {
        let mut new = op.clone();
        if let Op::Call {
            callee: Callee::External(name),
            args,
            ..
        } = &mut new
        {
            for (index, (value, _)) in args.iter_mut().enumerate() {
                let unused =
                    is_destination(op, index) && !self.kept.destinations.contains(&(at, index));
                let dropped = unused || self.kept.bare.contains(&at);
                if dropped || needless_argument(self.program, name, index) {
                    *value = Operand::Const(0);
                }
            }
        }
        new
    }

    fn terminator(&self, id: BlockId, end: &Terminator) -> Terminator {
        match end {
            Terminator::Return(values) => Terminator::Return(self.results(values)),
            Terminator::Jump(_) | Terminator::Unreachable => end.clone(),
            Terminator::Branch { .. } | Terminator::Switch { .. }
                if self.kept.branches.contains(&(self.id, id)) =>
            {
                self.advised(id, end)
            }
            _ => self.bypass(id, end),
        }
    }

    fn results(&self, values: &[Operand]) -> Vec<Operand> {
        let kept = |index| self.kept.results.contains(&(self.id, index));
        // The value that `main` returns is its exit code: a constant costs nothing.
        let keep = |(index, value): (usize, &Operand)| match value {
            Operand::Const(_) => *value,
            value if kept(index) => *value,
            _ => Operand::Undef,
        };
        values.iter().enumerate().map(keep).collect()
    }

    fn unknown_results(&self) -> Vec<Operand> {
        vec![Operand::Undef; self.body.results.len()]
    }

    fn control(&self) -> &Control {
        self.graphs.control(self.id)
    }

    /// Where control goes on without deciding.
    fn bypass(&self, id: BlockId, end: &Terminator) -> Terminator {
        let control = self.control();
        if !control.is_live(id) {
            return control
                .out(id)
                .map_or(Terminator::Unreachable, Terminator::Jump);
        }
        let next = match control.ways(id) {
            [only] => Some(*only),
            _ => control.join(id),
        };
        match next {
            Some(next) => Terminator::Jump(next),
            None if successors(end).is_empty() => Terminator::Unreachable,
            None => Terminator::Return(self.unknown_results()),
        }
    }

    /// A branch that is kept, with what to do where its condition is unknown.
    fn advised(&self, id: BlockId, end: &Terminator) -> Terminator {
        let surroundings = Surroundings {
            body: self.body,
            flow: self.graphs.flow(self.id),
            control: self.control(),
            loops: self.graphs.loops(self.id),
            has_events: &|block| self.eventful.block(self.id, block),
            is_main: self.is_main,
        };
        with_advice(end.clone(), surroundings.advice(id))
    }
}

/// What tells the evaluator that control goes past a check.
fn unchecked(check: &Check) -> Instruction {
    let on_device = Operand::Const(u64::from(check.on_device));
    Instruction {
        op: Op::Call {
            dst: Vec::new(),
            results: Vec::new(),
            callee: Callee::External(UNCHECKED.to_owned()),
            args: vec![(on_device, Type::Int(1))],
        },
        place: check.place,
    }
}

/// Another question at the end of a block.
fn ask(end: &mut Terminator, question: Operand) {
    match end {
        Terminator::Branch { condition, .. } => *condition = question,
        Terminator::Switch { value, .. } => *value = question,
        _ => {}
    }
}

fn with_advice(mut end: Terminator, advice: OnUnknown) -> Terminator {
    if let Terminator::Branch { unknown, .. } | Terminator::Switch { unknown, .. } = &mut end {
        *unknown = advice;
    }
    end
}

/// A block that does nothing.
pub fn empty(end: Terminator) -> Block {
    Block {
        phis: Vec::new(),
        ops: Vec::new(),
        end,
        end_place: Place::default(),
    }
}
