//! Stack memory, loads, stores and address arithmetic.

use super::function::Body;
use crate::ir::view::constant::ConstantKind;
use crate::ir::view::instruction::{AddressArithmetic, Instruction};
use crate::ir::view::types::{Layout, Ty, TyKind};
use crate::ir::view::value::{Value, ValueKind};
use migfit_schema::program::{Op, Operand, Type};

/// Bytes that a store without form marks as unknown, one by one; long double has 16.
const MOST_BLOTTED: u64 = 64;

/// Room on the stack.
pub(super) fn alloca<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let size = body.layout.size(instruction.allocated());
    let count = body.scalar(instruction.operand(0))?;
    let align = instruction.align();
    for dst in body.registers_of(instruction.value()) {
        body.emit(Op::Alloca {
            dst,
            size,
            count,
            align,
        });
    }
    Ok(())
}

/// Reads each scalar at its offset.
pub(super) fn load<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let lanes = body.lanes(instruction.ty()).in_memory()?;
    let base = body.scalar(instruction.operand(0))?;
    for (dst, lane) in body
        .registers_of(instruction.value())
        .into_iter()
        .zip(lanes)
    {
        let address = at(body, base, lane.offset);
        body.emit(Op::Load {
            dst,
            ty: lane.ty,
            address,
        });
    }
    Ok(())
}

/// Writes each scalar at its offset.
pub(super) fn store<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let value = instruction.operand(0).ok_or("store of nothing")?;
    let base = body.scalar(instruction.operand(1))?;
    let lanes = match body.lanes(value.ty()).in_memory() {
        Ok(lanes) => lanes,
        Err(what) => return blot(body, base, body.layout.size(value.ty()), what),
    };
    for (value, lane) in body.operands(value).into_iter().zip(lanes) {
        let address = at(body, base, lane.offset);
        body.emit(Op::Store {
            ty: lane.ty,
            value,
            address,
        });
    }
    Ok(())
}

/// A value without form was stored: what lies there from now on is unknown, and must not read as what lay there before.
fn blot(body: &mut Body<'_, '_>, base: Operand, size: u64, what: String) -> Result<(), String> {
    if size > MOST_BLOTTED {
        return Err(format!("store of {what}"));
    }
    let unknown = body.fresh();
    body.emit(Op::Unsupported {
        dst: vec![unknown],
        what,
    });
    for offset in 0..size {
        let address = at(body, base, offset);
        let (ty, value) = (Type::Int(8), Operand::Reg(unknown));
        body.emit(Op::Store { ty, value, address });
    }
    Ok(())
}

/// `base + bytes`.
pub(super) fn at(body: &mut Body<'_, '_>, base: Operand, bytes: u64) -> Operand {
    let bytes = bytes.cast_signed();
    match base {
        _ if bytes == 0 => base,
        Operand::Global(global, offset) => Operand::Global(global, offset.wrapping_add(bytes)),
        _ => {
            let dst = body.fresh();
            body.emit(Op::Offset {
                dst,
                base,
                constant: bytes,
                terms: Vec::new(),
            });
            Operand::Reg(dst)
        }
    }
}

/// Address arithmetic; with vectors of pointers or indices lane by lane.
pub(super) fn address<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let arithmetic = AddressArithmetic::of(instruction.value());
    let base = arithmetic.base().ok_or("address arithmetic without base")?;
    let bases = body.operands(base);
    let steps = steps(body.layout, arithmetic)?;
    let mut columns = Vec::new();
    for (value, scale) in steps.terms {
        let lanes = body.lanes(value.ty()).usable()?;
        let ty = lanes.first().ok_or("index of no type")?.ty;
        columns.push((body.operands(value), ty, scale));
    }
    for (lane, dst) in body
        .registers_of(instruction.value())
        .into_iter()
        .enumerate()
    {
        let base = pick(&bases, lane)?;
        let terms: Result<Vec<_>, String> = columns
            .iter()
            .map(|(operands, ty, scale)| Ok((pick(operands, lane)?, *ty, *scale)))
            .collect();
        let (constant, terms) = (steps.constant, terms?);
        body.emit(Op::Offset {
            dst,
            base,
            constant,
            terms,
        });
    }
    Ok(())
}

/// The operand of a lane, or the one for all lanes.
fn pick(operands: &[Operand], lane: usize) -> Result<Operand, String> {
    match operands {
        [one] => Ok(*one),
        many => many
            .get(lane)
            .copied()
            .ok_or_else(|| "fewer addresses than lanes".to_owned()),
    }
}

/// Address arithmetic as a number of bytes plus indices times bytes.
pub(super) struct Steps<'m> {
    pub(super) constant: i64,
    pub(super) terms: Vec<(Value<'m>, i64)>,
}

/// What the indices of address arithmetic add up to.
///
/// # Errors
/// When an index goes into a type that has no parts.
pub(super) fn steps<'m>(
    layout: Layout<'m>,
    arithmetic: AddressArithmetic<'m>,
) -> Result<Steps<'m>, String> {
    let mut steps = Steps {
        constant: 0,
        terms: Vec::new(),
    };
    let mut indices = arithmetic.indices().into_iter();
    let mut ty = arithmetic.element();
    if let Some(first) = indices.next() {
        steps.add(first, layout.size(ty));
    }
    for index in indices {
        ty = match ty.kind() {
            TyKind::Struct(fields) => {
                let number = signed(index).and_then(|number| u32::try_from(number).ok());
                let number = number.ok_or("field number that is no constant")?;
                let field = fields
                    .get(number as usize)
                    .ok_or("field that does not exist")?;
                let offset = layout.field_offset(ty, number).cast_signed();
                steps.constant = steps.constant.wrapping_add(offset);
                *field
            }
            TyKind::Array(element, _) | TyKind::Vector(element, _) => {
                steps.add(index, layout.size(element));
                element
            }
            _ => return Err("index into a type without parts".to_owned()),
        };
    }
    Ok(steps)
}

impl<'m> Steps<'m> {
    fn add(&mut self, index: Value<'m>, size: u64) {
        let size = size.cast_signed();
        match signed(index) {
            Some(number) => {
                self.constant = self.constant.wrapping_add(number.wrapping_mul(size));
            }
            None => self.terms.push((index, size)),
        }
    }
}

/// A constant index; also one that is the same in all lanes of a vector.
fn signed(index: Value<'_>) -> Option<i64> {
    let ValueKind::Constant(constant) = index.kind() else {
        return None;
    };
    match constant.kind() {
        ConstantKind::Int(bits) => Some(extend(bits, constant.ty())),
        ConstantKind::Zero => Some(0),
        _ => None,
    }
}

/// Sign extension from the type's width.
fn extend(bits: u64, ty: Ty<'_>) -> i64 {
    match ty.kind() {
        TyKind::Int(width @ 1..=63) => {
            let unused = 64 - width;
            (bits << unused).cast_signed() >> unused
        }
        _ => bits.cast_signed(),
    }
}
