//! Bitcasts: the same bits seen as other scalars, also where lanes become fewer and wider or more and narrower.

use super::function::{Body, lane_number};
use super::lanes::{Lane, width};
use crate::ir::view::instruction::Instruction;
use migfit_schema::program::{BinaryOp, Cast, Op, Operand, Reg, Type};

/// Lowers a bitcast.
pub(super) fn bitcast<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let source = instruction.operand(0).ok_or("conversion of nothing")?;
    // Halves of 128-bit integers are parts like any other: bits only move.
    let types = |body: &Body<'_, 'm>, ty| {
        Ok::<_, String>(
            body.lanes(ty)
                .movable()?
                .iter()
                .map(type_of)
                .collect::<Vec<Type>>(),
        )
    };
    let from = types(body, source.ty())?;
    let a = body.operands(source);
    let to = types(body, instruction.ty())?;
    let to: Vec<(Reg, Type)> = body
        .registers_of(instruction.value())
        .into_iter()
        .zip(to)
        .collect();
    let a: Vec<(Operand, Type)> = a.into_iter().zip(from).collect();
    if a.len() == to.len() {
        for ((dst, to), (a, from)) in to.into_iter().zip(a) {
            same_width(body, dst, to, a, from);
        }
        return Ok(());
    }
    if to.is_empty() || a.is_empty() {
        return Err("bitcast of nothing".to_owned());
    }
    if a.len().is_multiple_of(to.len()) {
        let together = a.len() / to.len();
        for ((dst, to), parts) in to.into_iter().zip(a.chunks(together)) {
            join(body, dst, to, parts);
        }
        return Ok(());
    }
    if to.len().is_multiple_of(a.len()) {
        let apart = to.len() / a.len();
        for (parts, (a, from)) in to.chunks(apart).zip(a) {
            split(body, parts, a, from);
        }
        return Ok(());
    }
    Err("bitcast between lanes that do not divide".to_owned())
}

fn type_of(lane: &Lane) -> Type {
    lane.ty
}

fn same_width(body: &mut Body<'_, '_>, dst: Reg, to: Type, a: Operand, from: Type) {
    body.emit(if from == to {
        Op::Copy { dst, ty: to, a }
    } else {
        Op::Cast {
            dst,
            kind: Cast::Bits,
            from,
            to,
            a,
        }
    });
}

/// Narrow lanes, lowest first, become one wide scalar.
fn join(body: &mut Body<'_, '_>, dst: Reg, to: Type, parts: &[(Operand, Type)]) {
    let wide = Type::Int(width(to));
    let mut sum = Operand::Const(0);
    let mut shift = 0;
    for (a, from) in parts {
        let part = body.fresh();
        body.emit(Op::Cast {
            dst: part,
            kind: Cast::Bits,
            from: *from,
            to: wide,
            a: *a,
        });
        let placed = shifted(body, wide, BinaryOp::Shl, Operand::Reg(part), shift);
        let joined = body.fresh();
        body.emit(Op::Binary {
            dst: joined,
            ty: wide,
            op: BinaryOp::Or,
            a: sum,
            b: placed,
            no_wrap: false,
        });
        sum = Operand::Reg(joined);
        shift += u64::from(width(*from));
    }
    same_width(body, dst, to, sum, wide);
}

/// One wide scalar becomes narrow lanes, lowest first.
fn split(body: &mut Body<'_, '_>, parts: &[(Reg, Type)], a: Operand, from: Type) {
    let wide = Type::Int(width(from));
    let whole = body.fresh();
    same_width(body, whole, wide, a, from);
    for (position, (dst, to)) in parts.iter().enumerate() {
        let shift = lane_number(position) * u64::from(width(*to));
        let part = shifted(body, wide, BinaryOp::LShr, Operand::Reg(whole), shift);
        body.emit(Op::Cast {
            dst: *dst,
            kind: Cast::Bits,
            from: wide,
            to: *to,
            a: part,
        });
    }
}

/// A shift; none at all where it is by nothing.
fn shifted(body: &mut Body<'_, '_>, ty: Type, op: BinaryOp, a: Operand, b: u64) -> Operand {
    if b == 0 {
        return a;
    }
    let dst = body.fresh();
    body.emit(Op::Binary {
        dst,
        ty,
        op,
        a,
        b: Operand::Const(b),
        no_wrap: false,
    });
    Operand::Reg(dst)
}
