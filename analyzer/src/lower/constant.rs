//! Constants of LLVM in, operands out: numbers by their bits, addresses as a global or function plus an offset.

use super::lanes::Lanes;
use super::memory::{Steps, steps};
use super::program::Lowering;
use crate::ir::view::constant::{Constant, ConstantKind, Expression};
use crate::ir::view::types::TyKind;
use crate::ir::view::value::{Value, ValueKind};
use migfit_schema::program::Operand;

/// A scalar constant as an operand.
///
/// # Errors
/// When it has no form as an operand.
pub(super) fn scalar<'m>(
    program: &mut Lowering<'m>,
    constant: Constant<'m>,
) -> Result<Operand, String> {
    match constant.kind() {
        ConstantKind::Int(bits) | ConstantKind::Float(bits) => Ok(Operand::Const(bits)),
        ConstantKind::Zero => Ok(Operand::Const(0)),
        ConstantKind::Undefined => Ok(Operand::Undef),
        ConstantKind::Global(global) => Ok(Operand::Global(program.global(global), 0)),
        ConstantKind::Function(function) => Ok(Operand::Function(program.function(function))),
        ConstantKind::Alias(value) => scalar_value(program, value),
        ConstantKind::Expression(expression) => evaluate(program, expression),
        ConstantKind::Aggregate => Err("aggregate where one value was wanted".to_owned()),
        ConstantKind::Other(what) => Err(what.to_owned()),
    }
}

fn scalar_value<'m>(program: &mut Lowering<'m>, value: Value<'m>) -> Result<Operand, String> {
    match value.kind() {
        ValueKind::Constant(constant) => scalar(program, constant),
        _ => Err("constant made of something that is none".to_owned()),
    }
}

fn evaluate<'m>(program: &mut Lowering<'m>, expression: Expression<'m>) -> Result<Operand, String> {
    match expression {
        Expression::Same(value) => scalar_value(program, value),
        Expression::Add(a, b) => match (scalar_value(program, a)?, scalar_value(program, b)?) {
            (base, Operand::Const(bytes)) | (Operand::Const(bytes), base) => {
                displaced(base, bytes.cast_signed())
            }
            _ => Err("sum of two addresses".to_owned()),
        },
        Expression::Sub(a, b) => match (scalar_value(program, a)?, scalar_value(program, b)?) {
            (base, Operand::Const(bytes)) => displaced(base, bytes.cast_signed().wrapping_neg()),
            (Operand::Global(a, at), Operand::Global(b, from)) if a == b => {
                Ok(Operand::Const(at.wrapping_sub(from).cast_unsigned()))
            }
            _ => Err("distance between two objects".to_owned()),
        },
        Expression::Address(arithmetic) => {
            let base = arithmetic.base().ok_or("address arithmetic without base")?;
            let base = scalar_value(program, base)?;
            match steps(program.layout, arithmetic)? {
                Steps { constant, terms } if terms.is_empty() => displaced(base, constant),
                _ => Err("constant address with an index that is no number".to_owned()),
            }
        }
        Expression::Other => Err("constant expression without form".to_owned()),
    }
}

/// `base + bytes`.
fn displaced(base: Operand, bytes: i64) -> Result<Operand, String> {
    match base {
        Operand::Const(address) => Ok(Operand::Const(address.wrapping_add_signed(bytes))),
        Operand::Global(global, at) => Ok(Operand::Global(global, at.wrapping_add(bytes))),
        _ if bytes == 0 => Ok(base),
        _ => Err("address inside a function".to_owned()),
    }
}

/// A constant of any type as one operand for each of its scalars; those without form carry the reason.
pub(super) fn operands<'m>(
    program: &mut Lowering<'m>,
    constant: Constant<'m>,
) -> Vec<Result<Operand, String>> {
    let lanes = Lanes::of(program.layout, constant.ty());
    let all = |operand| vec![Ok(operand); lanes.scalars.len()];
    match constant.kind() {
        ConstantKind::Undefined => all(Operand::Undef),
        ConstantKind::Zero => all(Operand::Const(0)),
        ConstantKind::Aggregate => parts(constant)
            .into_iter()
            .flat_map(|part| operands(program, part))
            .take(lanes.scalars.len())
            .collect(),
        _ => vec![scalar(program, constant)],
    }
}

/// Fields, elements or lanes in order.
pub(super) fn parts(constant: Constant<'_>) -> Vec<Constant<'_>> {
    let count = match constant.ty().kind() {
        TyKind::Struct(fields) => fields.len() as u64,
        TyKind::Array(_, length) => length,
        TyKind::Vector(_, length) => u64::from(length),
        _ => 0,
    };
    (0..u32::try_from(count).unwrap_or(u32::MAX))
        .map_while(|index| match constant.element(index)?.kind() {
            ValueKind::Constant(part) => Some(part),
            _ => None,
        })
        .collect()
}
