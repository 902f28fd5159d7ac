//! Assumed values of variables -> a size program that takes them where it would not know better: behind each definition
//! of such a variable stands a call of `MODEL`, and all uses take its result.

use super::given::{Assumption, Given};
use crate::report::people_name;
use migfit_schema::program::{
    Block, Callee, Function, Instruction, Op, Operand, Place, Reg, SizeProgram, Type,
};
use std::borrow::Cow;

/// Name of the call: (value, assumed bits, number of the assumption) -> the value where it is known, else the bits.
pub const MODEL: &str = "migfit.assumed";

/// The program with the assumed values in it.
#[must_use]
pub fn with_values<'p>(program: &'p SizeProgram, all: &[Given]) -> Cow<'p, SizeProgram> {
    let mut changed = Cow::Borrowed(program);
    for (number, given) in all.iter().enumerate() {
        let Assumption::Value { name, value } = &given.assumption else {
            continue;
        };
        let globals: Vec<Operand> = globals_named(program, name).collect();
        for function in &mut changed.to_mut().functions {
            let named = function.names.iter().filter(|(_, known)| known == name);
            let registers: Vec<Reg> = named.map(|(register, _)| *register).collect();
            for register in registers {
                assume(function, register, value.get(), number as u64);
                for loaded in loads_from(function, &Operand::Reg(register)) {
                    assume(function, loaded, value.get(), number as u64);
                }
            }
            for global in &globals {
                for loaded in loads_from(function, global) {
                    assume(function, loaded, value.get(), number as u64);
                }
            }
        }
    }
    changed
}

/// Global variables of this name.
pub fn globals_named<'p>(
    program: &'p SizeProgram,
    name: &'p str,
) -> impl Iterator<Item = Operand> + 'p {
    let named = (0u32..).zip(&program.globals);
    let named = named.filter(move |(_, global)| people_name(&global.name) == name);
    named.map(|(id, _)| Operand::Global(id, 0))
}

/// Registers that are read from a variable which lies in memory.
fn loads_from(function: &Function, variable: &Operand) -> Vec<Reg> {
    let ops = function.blocks.iter().flat_map(|block| &block.ops);
    let loads = ops.filter_map(|found| match &found.op {
        Op::Load { dst, address, .. } if address == variable => Some(*dst),
        _ => None,
    });
    loads.collect()
}

fn assume(function: &mut Function, register: Reg, value: f64, number: u64) {
    let Some((ty, place)) = defined(function, register) else {
        return;
    };
    let (Some(bits), known) = (bits(ty, value), function.registers) else {
        return;
    };
    for operand in function.operands_mut() {
        if *operand == Operand::Reg(register) {
            *operand = Operand::Reg(known);
        }
    }
    function.registers += 1;
    let call = Instruction {
        op: Op::Call {
            dst: vec![known],
            results: vec![ty],
            callee: Callee::External(MODEL.to_owned()),
            args: vec![
                (Operand::Reg(register), ty),
                (Operand::Const(bits), ty),
                (Operand::Const(number), Type::Int(64)),
            ],
        },
        place: place.line,
    };
    if let Some(block) = function.blocks.get_mut(place.block) {
        let at = place.at.min(block.ops.len());
        block.ops.insert(at, call);
    }
}

/// Where the instruction behind a definition stands.
struct Behind {
    block: usize,
    at: usize,
    line: Place,
}

fn defined(function: &Function, register: Reg) -> Option<(Type, Behind)> {
    let parameters = function.params.iter();
    if let Some((_, ty)) = parameters.clone().find(|(known, _)| *known == register) {
        let line = function.blocks.first().map(first_place).unwrap_or_default();
        let behind = Behind {
            block: 0,
            at: 0,
            line,
        };
        return Some((*ty, behind));
    }
    function
        .blocks
        .iter()
        .enumerate()
        .find_map(|(number, block)| {
            if let Some(phi) = block.phis.iter().find(|phi| phi.dst == register) {
                let behind = Behind {
                    block: number,
                    at: 0,
                    line: first_place(block),
                };
                return Some((phi.ty, behind));
            }
            block.ops.iter().enumerate().find_map(|(at, instruction)| {
                let ty = result(&instruction.op, register)?;
                let behind = Behind {
                    block: number,
                    at: at + 1,
                    line: instruction.place,
                };
                Some((ty, behind))
            })
        })
}

fn first_place(block: &Block) -> Place {
    let first = block.ops.first();
    first.map_or(block.end_place, |instruction| instruction.place)
}

/// The type of a register that an instruction writes.
fn result(op: &Op, register: Reg) -> Option<Type> {
    let one = |dst: &Reg, ty: Type| (*dst == register).then_some(ty);
    match op {
        Op::Binary { dst, ty, .. }
        | Op::Copy { dst, ty, .. }
        | Op::Select { dst, ty, .. }
        | Op::Unary { dst, ty, .. }
        | Op::Load { dst, ty, .. } => one(dst, *ty),
        Op::Cast { dst, to, .. } => one(dst, *to),
        Op::Compare { dst, .. } => one(dst, Type::Int(1)),
        Op::Call { dst, results, .. } => {
            let at = dst.iter().position(|known| *known == register)?;
            results.get(at).copied()
        }
        // An address is no number that a user could know; what has no form has no type here either.
        Op::Alloca { .. }
        | Op::Offset { .. }
        | Op::Store { .. }
        | Op::MemCopy { .. }
        | Op::MemSet { .. }
        | Op::Launch { .. }
        | Op::Unsupported { .. } => None,
    }
}

/// A value as bits of a type; none for a pointer.
fn bits(ty: Type, value: f64) -> Option<u64> {
    match ty {
        Type::F64 => Some(value.to_bits()),
        Type::F32 => Some(u64::from((value as f32).to_bits())),
        Type::Int(width) => {
            let mask = u64::MAX >> (64 - u32::from(width.clamp(1, 64)));
            Some((value as i64).cast_unsigned() & mask)
        }
        Type::Ptr => None,
    }
}
