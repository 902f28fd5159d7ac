//! Parts of structures and lanes of vectors. Taking one out or putting one in by a constant index only renames
//! registers; an index that is computed chooses among the lanes.

use super::function::{Body, lane_number};
use super::lanes::Lanes;
use crate::ir::view::constant::ConstantKind;
use crate::ir::view::instruction::Instruction;
use crate::ir::view::types::{Layout, Ty, TyKind};
use crate::ir::view::value::{Value, ValueKind};
use llvm_sys::LLVMOpcode;
use migfit_schema::program::{Compare, Op, Operand, Type};
use std::ops::Range;

/// True where an instruction only renames registers, so that it needs none of its own.
pub(super) fn is_renaming(instruction: Instruction<'_>) -> bool {
    match instruction.opcode() {
        LLVMOpcode::LLVMExtractValue
        | LLVMOpcode::LLVMInsertValue
        | LLVMOpcode::LLVMShuffleVector => true,
        LLVMOpcode::LLVMExtractElement => fixed_lane(instruction.operand(1)).is_some(),
        LLVMOpcode::LLVMInsertElement => fixed_lane(instruction.operand(2)).is_some(),
        _ => false,
    }
}

/// The operands that a renaming instruction stands for.
pub(super) fn rename<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Vec<Operand> {
    let (Some(first), second) = (instruction.operand(0), instruction.operand(1)) else {
        return Vec::new();
    };
    let mut whole = body.operands(first);
    match (instruction.opcode(), second) {
        (LLVMOpcode::LLVMExtractValue, _) => {
            let range = field(body.layout, first.ty(), &instruction.indices());
            range
                .and_then(|range| whole.get(range))
                .unwrap_or_default()
                .to_vec()
        }
        (LLVMOpcode::LLVMInsertValue, Some(part)) => {
            let range = field(body.layout, first.ty(), &instruction.indices());
            replace(&mut whole, range, body.operands(part))
        }
        (LLVMOpcode::LLVMExtractElement, index) => fixed_lane(index)
            .and_then(|lane| whole.get(lane))
            .map(|operand| vec![*operand])
            .unwrap_or_default(),
        (LLVMOpcode::LLVMInsertElement, Some(part)) => {
            let range = fixed_lane(instruction.operand(2)).map(|lane| lane..lane + 1);
            replace(&mut whole, range, body.operands(part))
        }
        (LLVMOpcode::LLVMShuffleVector, Some(other)) => {
            whole.extend(body.operands(other));
            let picked = |lane: Option<usize>| lane.and_then(|lane| whole.get(lane).copied());
            instruction
                .mask()
                .into_iter()
                .map(|lane| picked(lane).unwrap_or(Operand::Undef))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Lowers lane access by a computed index; renaming instructions need nothing.
pub(super) fn lower<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    if is_renaming(instruction) {
        return Ok(());
    }
    let vector = instruction.operand(0).ok_or("lane access without vector")?;
    let lanes = body.lanes(vector.ty()).usable()?;
    let whole = body.operands(vector);
    let registers = body.registers_of(instruction.value());
    if instruction.opcode() == LLVMOpcode::LLVMExtractElement {
        let index = Index::of(body, instruction.operand(1))?;
        let mut chosen = Operand::Undef;
        for (position, (lane, operand)) in lanes.iter().zip(whole).enumerate() {
            let condition = index.equals(body, position);
            let is_last = position + 1 == lanes.len();
            let dst = registers.first().copied().filter(|_| is_last);
            let dst = dst.unwrap_or_else(|| body.fresh());
            body.emit(Op::Select {
                dst,
                ty: lane.ty,
                condition,
                a: operand,
                b: chosen,
            });
            chosen = Operand::Reg(dst);
        }
        return Ok(());
    }
    let part = body.scalar(instruction.operand(1))?;
    let index = Index::of(body, instruction.operand(2))?;
    for (position, ((lane, operand), dst)) in lanes.iter().zip(whole).zip(registers).enumerate() {
        let condition = index.equals(body, position);
        body.emit(Op::Select {
            dst,
            ty: lane.ty,
            condition,
            a: part,
            b: operand,
        });
    }
    Ok(())
}

/// A computed lane number.
struct Index {
    value: Operand,
    ty: Type,
}

impl Index {
    fn of<'m>(body: &mut Body<'_, 'm>, index: Option<Value<'m>>) -> Result<Self, String> {
        let value = index.ok_or("lane access without index")?;
        let lanes = body.lanes(value.ty()).usable()?;
        let ty = lanes.first().ok_or("lane index of no type")?.ty;
        let value = body.scalar(Some(value))?;
        Ok(Index { value, ty })
    }

    fn equals(&self, body: &mut Body<'_, '_>, position: usize) -> Operand {
        let dst = body.fresh();
        body.emit(Op::Compare {
            dst,
            ty: self.ty,
            op: Compare::Eq,
            a: self.value,
            b: Operand::Const(lane_number(position)),
        });
        Operand::Reg(dst)
    }
}

/// The lane that a constant index names.
fn fixed_lane(index: Option<Value<'_>>) -> Option<usize> {
    match index?.kind() {
        ValueKind::Constant(constant) => match constant.kind() {
            ConstantKind::Int(lane) => usize::try_from(lane).ok(),
            ConstantKind::Zero => Some(0),
            _ => None,
        },
        _ => None,
    }
}

/// Which scalars of a structure or array a path of indices names.
fn field<'m>(layout: Layout<'m>, ty: Ty<'m>, path: &[u32]) -> Option<Range<usize>> {
    let count = |ty| Lanes::of(layout, ty).scalars.len();
    let mut start = 0;
    let mut ty = ty;
    for index in path {
        let index = *index as usize;
        ty = match ty.kind() {
            TyKind::Struct(fields) => {
                start += fields
                    .iter()
                    .take(index)
                    .map(|field| count(*field))
                    .sum::<usize>();
                *fields.get(index)?
            }
            TyKind::Array(element, _) => {
                start += count(element) * index;
                element
            }
            _ => return None,
        };
    }
    Some(start..start + count(ty))
}

/// `whole` with a part exchanged; nothing where the part does not fit.
fn replace(whole: &mut [Operand], range: Option<Range<usize>>, part: Vec<Operand>) -> Vec<Operand> {
    match range.and_then(|range| whole.get_mut(range)) {
        Some(room) if room.len() == part.len() => {
            room.copy_from_slice(&part);
            whole.to_vec()
        }
        _ => Vec::new(),
    }
}
