//! The sliced program: what is kept, in its old blocks; a branch that is not kept becomes a jump to its join.

use crate::slice::control::{Control, is_exit};
use crate::slice::event::{is_event, needless_argument};
use crate::slice::flow::Flow;
use crate::slice::keep::Kept;
use crate::slice::position::{Position, successors, written};
use crate::slice::unknown_branch::advice;
use migfit_schema::program::{
    Block, BlockId, Callee, Function, FunctionId, Global, Instruction, Op, Operand, SizeProgram,
    Terminator, Type,
};
use std::collections::HashSet;

/// Builds it.
pub fn rebuild(
    program: &SizeProgram,
    flows: &[Flow],
    controls: &[Control],
    kept: &Kept,
) -> SizeProgram {
    let calling = functions_with_events(program);
    let functions: Vec<Function> = (0u32..)
        .zip(&program.functions)
        .map(|(id, body)| {
            let scene = Scene {
                id,
                body,
                flow: &flows[id as usize],
                control: &controls[id as usize],
                kept,
                calling: &calling,
            };
            scene.function()
        })
        .collect();
    let constructors = program
        .constructors
        .iter()
        .copied()
        .filter(|id| kept.active.contains(id))
        .collect();
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
        constructors,
        main: program.main,
        kernels: program.kernels.clone(),
    }
}

/// Its name and size stay, so that ids stay; its bytes are not needed.
fn emptied(global: &Global) -> Global {
    Global {
        bytes: Vec::new(),
        addresses: Vec::new(),
        ..global.clone()
    }
}

/// Functions from which a CUDA call that counts can be reached.
fn functions_with_events(program: &SizeProgram) -> HashSet<FunctionId> {
    let mut calling = HashSet::new();
    let mut grown = true;
    while grown {
        let before = calling.len();
        for (id, body) in (0u32..).zip(&program.functions) {
            let ops = body.blocks.iter().flat_map(|block| &block.ops);
            if ops
                .into_iter()
                .any(|instruction| counts(&instruction.op, &calling))
            {
                calling.insert(id);
            }
        }
        grown = calling.len() > before;
    }
    calling
}

fn counts(op: &Op, calling: &HashSet<FunctionId>) -> bool {
    match op {
        Op::Call {
            callee: Callee::Function(target),
            ..
        } => calling.contains(target),
        Op::Call {
            callee: Callee::Indirect(_),
            ..
        } => true,
        op => is_event(op),
    }
}

struct Scene<'a> {
    id: FunctionId,
    body: &'a Function,
    flow: &'a Flow,
    control: &'a Control,
    kept: &'a Kept,
    calling: &'a HashSet<FunctionId>,
}

impl Scene<'_> {
    fn function(&self) -> Function {
        let needed = self.kept.active.contains(&self.id)
            || Some(self.id) == self.main_like()
            || (0..self.body.results.len())
                .any(|index| self.kept.results.contains(&(self.id, index)));
        let mut blocks: Vec<Block> = if needed {
            (0u32..)
                .zip(&self.body.blocks)
                .map(|(id, block)| self.block(id, block))
                .collect()
        } else {
            vec![empty(Terminator::Return(vec![
                Operand::Undef;
                self.body.results.len()
            ]))]
        };
        clear_unreached(&mut blocks);
        let registers = registers_of(&blocks);
        let names = self
            .body
            .names
            .iter()
            .filter(|(register, _)| registers.contains(register))
            .cloned()
            .collect();
        Function {
            blocks,
            names,
            ..self.body.clone()
        }
    }

    /// `main` stays even when nothing in it is kept: a program without CUDA calls needs nothing, exactly.
    fn main_like(&self) -> Option<FunctionId> {
        (self.body.name == "main").then_some(self.id)
    }

    fn block(&self, id: BlockId, block: &Block) -> Block {
        let phis = block
            .phis
            .iter()
            .filter(|phi| self.kept.phis.contains(&(self.id, phi.dst)))
            .cloned()
            .collect();
        let ops = (0u32..).zip(&block.ops).filter_map(|(index, instruction)| {
            self.instruction(
                Position {
                    function: self.id,
                    block: id,
                    index,
                },
                instruction,
            )
        });
        Block {
            phis,
            ops: ops.collect(),
            end: self.terminator(id, &block.end),
            end_place: block.end_place,
        }
    }

    fn instruction(&self, at: Position, instruction: &Instruction) -> Option<Instruction> {
        let place = instruction.place;
        if self.kept.ops.contains(&at) {
            return Some(Instruction {
                op: without_needless(&instruction.op),
                place,
            });
        }
        if self.kept.statuses.contains(&at) {
            let dst = *written(&instruction.op).first()?;
            return Some(Instruction {
                op: Op::Copy {
                    dst,
                    ty: Type::Int(32),
                    a: Operand::Const(0),
                },
                place,
            });
        }
        exit(&instruction.op).map(|op| Instruction { op, place })
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

    /// Where control goes on without deciding.
    fn bypass(&self, id: BlockId, end: &Terminator) -> Terminator {
        if !self.control.is_live(id) {
            return self
                .control
                .out(id)
                .map_or(Terminator::Unreachable, Terminator::Jump);
        }
        let next = match self.control.ways(id) {
            [only] => Some(*only),
            _ => self.control.join(id),
        };
        match next {
            Some(next) => Terminator::Jump(next),
            None if successors(end).is_empty() => Terminator::Unreachable,
            None => Terminator::Return(vec![Operand::Undef; self.body.results.len()]),
        }
    }

    fn advised(&self, id: BlockId, end: &Terminator) -> Terminator {
        let has_events = |block: BlockId| {
            let block = self.body.blocks.get(block as usize);
            block.is_some_and(|block| {
                block
                    .ops
                    .iter()
                    .any(|instruction| counts(&instruction.op, self.calling))
            })
        };
        let advice = advice(id, self.flow, self.control, &has_events);
        match end.clone() {
            Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } => Terminator::Branch {
                condition,
                then,
                otherwise,
                unknown: advice,
            },
            Terminator::Switch {
                ty,
                value,
                cases,
                default,
                ..
            } => Terminator::Switch {
                ty,
                value,
                cases,
                default,
                unknown: advice,
            },
            other => other,
        }
    }
}

fn empty(end: Terminator) -> Block {
    Block {
        phis: Vec::new(),
        ops: Vec::new(),
        end,
        end_place: migfit_schema::program::Place::default(),
    }
}

/// Arguments that an evaluator does not need are not computed either.
fn without_needless(op: &Op) -> Op {
    let mut op = op.clone();
    if let Op::Call {
        callee: Callee::External(name),
        args,
        ..
    } = &mut op
    {
        for (index, (value, _)) in args.iter_mut().enumerate() {
            if needless_argument(name, index) {
                *value = Operand::Const(0);
            }
        }
    }
    op
}

/// An exit that control may still come to stays, with its status where that is a constant.
fn exit(op: &Op) -> Option<Op> {
    match op {
        Op::Call {
            callee: Callee::External(name),
            args,
            results,
            ..
        } if is_exit(name) || name == "abort" => {
            let status = |(value, ty): &(Operand, Type)| match value {
                Operand::Const(_) => (*value, *ty),
                _ => (Operand::Undef, *ty),
            };
            let args = args.iter().map(status).collect();
            Some(Op::Call {
                dst: Vec::new(),
                results: results.clone(),
                callee: Callee::External(name.clone()),
                args,
            })
        }
        _ => None,
    }
}

/// Blocks that nothing leads to any more become empty; ids stay.
fn clear_unreached(blocks: &mut [Block]) {
    let mut seen = HashSet::new();
    let mut waiting = vec![0u32];
    while let Some(id) = waiting.pop() {
        if let Some(block) = blocks.get(id as usize)
            && seen.insert(id)
        {
            waiting.extend(successors(&block.end));
        }
    }
    for (id, block) in (0u32..).zip(blocks.iter_mut()) {
        if !seen.contains(&id) {
            *block = empty(Terminator::Unreachable);
        }
    }
}

fn registers_of(blocks: &[Block]) -> HashSet<u32> {
    let phis = blocks
        .iter()
        .flat_map(|block| &block.phis)
        .map(|phi| phi.dst);
    let ops = blocks
        .iter()
        .flat_map(|block| &block.ops)
        .flat_map(|instruction| written(&instruction.op).to_vec());
    phis.chain(ops).collect()
}
