//! A function of LLVM in, its blocks of register code out. Every value gets one register for each of its scalars.

use super::aggregate;
use super::constant;
use super::instruction;
use super::lanes::Lanes;
use super::looseness;
use super::program::{Lowering, index};
use super::terminator;
use super::threads;
use super::unwind::Throwers;
use super::variadic::{self, Further};
use crate::ir::names;
use crate::ir::view::function::{Block, Function};
use crate::ir::view::instruction::Instruction;
use crate::ir::view::types::{Layout, Ty};
use crate::ir::view::value::{Value, ValueKind};
use llvm_sys::LLVMOpcode;
use migfit_schema::program::{
    self as schema, BlockId, Callee, Op, Operand, Phi, Place, Reg, Terminator, Type,
};
use std::collections::{HashMap, HashSet};

/// Lowers one function; one without body becomes a call of itself, so that its address can be taken.
pub(super) fn lower<'m>(program: &mut Lowering<'m>, function: Function<'m>) -> schema::Function {
    let mut body = Body::new(program, function);
    let blocks = if function.has_body() {
        body.blocks(function)
    } else {
        vec![body.forwarding_block(function)]
    };
    let names = body.names(function);
    schema::Function {
        name: function.name(),
        params: body.params,
        results: body.results,
        registers: body.next,
        blocks,
        names,
    }
}

/// What is known while a function is lowered.
pub(super) struct Body<'p, 'm> {
    pub(super) program: &'p mut Lowering<'m>,
    pub(super) layout: Layout<'m>,
    pub(super) ops: Vec<schema::Instruction>,
    params: Vec<(Reg, Type)>,
    results: Vec<Type>,
    registers: HashMap<Value<'m>, Vec<Reg>>,
    /// What values that only rename registers stand for, and constants.
    renamed: HashMap<Value<'m>, Vec<Operand>>,
    next: Reg,
    block_ids: HashMap<Block<'m>, BlockId>,
    /// Goes to the start of the function: memory for copies of arguments, constants without form.
    prelude: Vec<schema::Instruction>,
    place: Place,
    /// Where the arguments behind the named ones lie, in a function that takes such.
    pub(super) further: Option<Further>,
}

impl<'p, 'm> Body<'p, 'm> {
    fn new(program: &'p mut Lowering<'m>, function: Function<'m>) -> Self {
        let layout = program.layout;
        let results = Lanes::of(layout, function.signature().result()).types();
        let mut body = Body {
            program,
            layout,
            ops: Vec::new(),
            params: Vec::new(),
            results,
            registers: HashMap::new(),
            renamed: HashMap::new(),
            next: 0,
            block_ids: HashMap::new(),
            prelude: Vec::new(),
            place: Place::default(),
            further: None,
        };
        for param in function.params() {
            let types = body.lanes(param.ty()).types();
            let registers = body.assign(param);
            body.params.extend(registers.into_iter().zip(types));
        }
        if variadic::is_told(function) {
            let register = body.fresh();
            body.params.push((register, Type::Ptr));
            body.further = Some(variadic::further(&body, function, register));
        }
        body
    }

    fn blocks(&mut self, function: Function<'m>) -> Vec<schema::Block> {
        let reachable = reachable(function, self.program.throwers.as_ref());
        let blocks: Vec<Block<'m>> = function
            .blocks()
            .into_iter()
            .filter(|block| reachable.contains(block))
            .collect();
        self.block_ids = blocks.iter().copied().zip(0..).collect();
        if self.program.loose_floats.is_none() {
            let all = blocks.iter().flat_map(|block| block.instructions());
            self.program.loose_floats = looseness::reason(function, all);
        }
        for instruction in blocks.iter().flat_map(|block| block.instructions()) {
            if !aggregate::is_renaming(instruction) {
                self.assign(instruction.value());
            }
        }
        let mut lowered: Vec<schema::Block> =
            blocks.into_iter().map(|block| self.block(block)).collect();
        if let Some(entry) = lowered.first_mut() {
            let prelude = std::mem::take(&mut self.prelude);
            entry.ops.splice(0..0, prelude);
        }
        lowered
    }

    fn block(&mut self, block: Block<'m>) -> schema::Block {
        let mut phis = Vec::new();
        for instruction in block.instructions() {
            if instruction.opcode() == LLVMOpcode::LLVMPHI {
                self.phi(instruction, &mut phis);
            } else {
                self.place = self.program.place(instruction.location());
                instruction::lower(self, instruction);
            }
        }
        let end = match block.terminator() {
            Some(terminator) => terminator::lower(self, terminator),
            None => Terminator::Unreachable,
        };
        schema::Block {
            phis,
            ops: std::mem::take(&mut self.ops),
            end,
            end_place: self.place,
        }
    }

    fn phi(&mut self, phi: Instruction<'m>, phis: &mut Vec<Phi>) {
        let types = self.lanes(phi.ty()).types();
        let mut lanes: Vec<Phi> = self
            .registers_of(phi.value())
            .into_iter()
            .zip(types)
            .map(|(dst, ty)| Phi {
                dst,
                ty,
                incoming: Vec::new(),
            })
            .collect();
        for (from, value) in phi.incoming() {
            // Edges from exception handlers have no block here.
            let Some(from) = self.block_id(from) else {
                continue;
            };
            for (lane, operand) in lanes.iter_mut().zip(self.operands(value)) {
                // A switch may come from one block over several edges, with one value.
                if lane.incoming.iter().all(|(known, _)| *known != from) {
                    lane.incoming.push((from, operand));
                }
            }
        }
        phis.append(&mut lanes);
    }

    /// Calls the function outside that a declaration stands for, and returns what it returns.
    fn forwarding_block(&mut self, function: Function<'m>) -> schema::Block {
        let name = function.name();
        let results = self.results.clone();
        let dst: Vec<Reg> = results.iter().map(|_| self.fresh()).collect();
        let returned = dst.iter().copied().map(Operand::Reg).collect();
        if results.is_empty() && threads::forward(self, &name) {
            return self.returning(Vec::new());
        }
        self.emit(match self.program.facts.stubs.get(&name) {
            Some(kernel) => Op::Launch { kernel: *kernel },
            None => Op::Call {
                dst,
                results,
                callee: Callee::External(name),
                args: self
                    .params
                    .iter()
                    .map(|(register, ty)| (Operand::Reg(*register), *ty))
                    .collect(),
            },
        });
        self.returning(returned)
    }

    fn returning(&mut self, results: Vec<Operand>) -> schema::Block {
        schema::Block {
            phis: Vec::new(),
            ops: std::mem::take(&mut self.ops),
            end: Terminator::Return(results),
            end_place: Place::default(),
        }
    }

    fn names(&mut self, function: Function<'m>) -> Vec<(Reg, String)> {
        let mut names: Vec<(Reg, String)> = names::of_values(function)
            .into_iter()
            .filter_map(
                |(value, name)| match self.registers.get(&value)?.as_slice() {
                    [register] => Some((*register, name)),
                    _ => None,
                },
            )
            .collect();
        names.sort();
        names
    }

    /// Gives a value its registers.
    fn assign(&mut self, value: Value<'m>) -> Vec<Reg> {
        let count = self.lanes(value.ty()).scalars.len();
        let registers: Vec<Reg> = (0..count).map(|_| self.fresh()).collect();
        self.registers.insert(value, registers.clone());
        registers
    }

    /// The registers that a value was given; none for one that renames others.
    pub(super) fn registers_of(&self, value: Value<'m>) -> Vec<Reg> {
        self.registers.get(&value).cloned().unwrap_or_default()
    }

    /// The registers of a value, with their types.
    ///
    /// # Errors
    /// When its type has no form here.
    pub(super) fn typed_registers(&self, value: Value<'m>) -> Result<Vec<(Reg, Type)>, String> {
        let lanes = self.lanes(value.ty()).usable()?;
        let types = lanes.into_iter().map(|lane| lane.ty);
        Ok(self.registers_of(value).into_iter().zip(types).collect())
    }

    pub(super) fn lanes(&self, ty: Ty<'m>) -> Lanes {
        Lanes::of(self.layout, ty)
    }

    pub(super) fn fresh(&mut self) -> Reg {
        let register = self.next;
        self.next += 1;
        register
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.ops.push(schema::Instruction {
            op,
            place: self.place,
        });
    }

    /// Puts an instruction at the start of the function.
    pub(super) fn emit_at_entry(&mut self, op: Op) {
        self.prelude.push(schema::Instruction {
            op,
            place: self.place,
        });
    }

    /// A value that is unknown for a reason.
    pub(super) fn unknown(&mut self, what: String) -> Operand {
        let register = self.fresh();
        let dst = vec![register];
        self.emit_at_entry(Op::Unsupported { dst, what });
        Operand::Reg(register)
    }

    pub(super) fn block_id(&self, block: Block<'m>) -> Option<BlockId> {
        self.block_ids.get(&block).copied()
    }

    /// A value's scalars as operands; exactly as many as its type has.
    pub(super) fn operands(&mut self, value: Value<'m>) -> Vec<Operand> {
        if let Some(registers) = self.registers.get(&value) {
            return registers.iter().copied().map(Operand::Reg).collect();
        }
        if let Some(known) = self.renamed.get(&value) {
            return known.clone();
        }
        let mut operands = match value.kind() {
            ValueKind::Instruction(instruction) => aggregate::rename(self, instruction),
            ValueKind::Constant(constant) => constant::operands(self, constant),
            _ => Vec::new(),
        };
        let wanted = self.lanes(value.ty()).scalars.len();
        operands.truncate(wanted);
        while operands.len() < wanted {
            let unknown = self.unknown("value without form".to_owned());
            operands.push(unknown);
        }
        self.renamed.insert(value, operands.clone());
        operands
    }

    /// The one scalar of a value.
    ///
    /// # Errors
    /// When it has none or several.
    pub(super) fn scalar(&mut self, value: Option<Value<'m>>) -> Result<Operand, String> {
        let value = value.ok_or("instruction without the operand it needs")?;
        match self.operands(value)[..] {
            [operand] => Ok(operand),
            _ => Err("aggregate where one value was wanted".to_owned()),
        }
    }
}

/// Blocks that control can reach; landings of exceptions only where something may throw.
fn reachable<'m>(function: Function<'m>, throwers: Option<&Throwers<'m>>) -> HashSet<Block<'m>> {
    let mut found = HashSet::new();
    let mut waiting: Vec<Block<'m>> = function.blocks().into_iter().take(1).collect();
    while let Some(block) = waiting.pop() {
        if found.insert(block) {
            waiting.extend(
                block
                    .terminator()
                    .into_iter()
                    .flat_map(|end| Throwers::successors(throwers, end)),
            );
        }
    }
    found
}

/// Position of a lane in its value.
pub(super) fn lane_number(position: usize) -> u64 {
    u64::from(index(position))
}
