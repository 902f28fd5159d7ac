//! Constants of LLVM in, operands out: numbers by their bits, addresses as a global or function plus an offset.

use super::arithmetic::binary_op;
use super::function::Body;
use super::memory::{Steps, steps};
use super::program::Lowering;
use super::wide;
use crate::ir::view::constant::{Constant, ConstantKind, Expression};
use crate::ir::view::types::{Ty, TyKind};
use crate::ir::view::value::{Value, ValueKind};
use llvm_sys::LLVMOpcode;
use migfit_schema::program::{Cast, Op, Operand, Type};

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
        ConstantKind::Function(function) if function.may_be_missing() => Err(format!(
            "the address of `{}`, a weak symbol that may be undefined",
            function.name()
        )),
        ConstantKind::Function(function) => Ok(Operand::Function(program.function(function))),
        ConstantKind::Alias(value) => scalar_value(program, value),
        ConstantKind::Expression(expression) => evaluate(program, constant, expression),
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

fn evaluate<'m>(
    program: &mut Lowering<'m>,
    constant: Constant<'m>,
    expression: Expression<'m>,
) -> Result<Operand, String> {
    match expression {
        Expression::Address(arithmetic) => {
            let base = arithmetic.base().ok_or("address arithmetic without base")?;
            let base = scalar_value(program, base)?;
            match steps(program.layout, arithmetic)? {
                Steps { constant, terms } if terms.is_empty() => displaced(base, constant),
                _ => Err("constant address with an index that is no number".to_owned()),
            }
        }
        Expression::Cast(value) if is_word(constant.ty()) && is_word(value.ty()) => {
            scalar_value(program, value)
        }
        Expression::Binary(opcode, a, b) if is_word(constant.ty()) => {
            let (a, b) = (scalar_value(program, a)?, scalar_value(program, b)?);
            sum(opcode, a, b)
        }
        _ => Err(format!("constant expression {constant}")),
    }
}

/// A sum or difference that is again a number or an address.
fn sum(opcode: LLVMOpcode, a: Operand, b: Operand) -> Result<Operand, String> {
    match (opcode, a, b) {
        (LLVMOpcode::LLVMAdd, base, Operand::Const(bytes))
        | (LLVMOpcode::LLVMAdd, Operand::Const(bytes), base) => {
            displaced(base, bytes.cast_signed())
        }
        (LLVMOpcode::LLVMSub, base, Operand::Const(bytes)) => {
            displaced(base, bytes.cast_signed().wrapping_neg())
        }
        (LLVMOpcode::LLVMSub, Operand::Global(a, at), Operand::Global(b, from)) if a == b => {
            Ok(Operand::Const(at.wrapping_sub(from).cast_unsigned()))
        }
        _ => Err("constant arithmetic on two addresses".to_owned()),
    }
}

/// A constant that is no operand by itself, computed at the start of the function.
///
/// # Errors
/// When it has no form at all.
pub(super) fn computed<'m>(
    body: &mut Body<'_, 'm>,
    constant: Constant<'m>,
) -> Result<Operand, String> {
    let ConstantKind::Expression(expression) = constant.kind() else {
        return scalar(body.program, constant);
    };
    let to = only_type(body, constant.ty())?;
    let dst = match expression {
        Expression::Cast(value) => {
            let from = only_type(body, value.ty())?;
            let a = body.scalar(Some(value))?;
            let (dst, kind) = (body.fresh(), Cast::Bits);
            body.emit_at_entry(Op::Cast {
                dst,
                kind,
                from,
                to,
                a,
            });
            dst
        }
        Expression::Binary(opcode, a, b) => {
            let op = binary_op(opcode).ok_or_else(|| format!("constant expression {constant}"))?;
            let (a, b) = (body.scalar(Some(a))?, body.scalar(Some(b))?);
            let dst = body.fresh();
            body.emit_at_entry(Op::Binary {
                dst,
                ty: to,
                op,
                a,
                b,
                no_wrap: false,
            });
            dst
        }
        _ => return evaluate(body.program, constant, expression),
    };
    Ok(Operand::Reg(dst))
}

fn only_type<'m>(body: &Body<'_, 'm>, ty: Ty<'m>) -> Result<Type, String> {
    match body.lanes(ty).usable()?[..] {
        [lane] => Ok(lane.ty),
        _ => Err("constant expression on an aggregate".to_owned()),
    }
}

/// True for types whose values fill one 64-bit register.
fn is_word(ty: Ty<'_>) -> bool {
    matches!(ty.kind(), TyKind::Pointer | TyKind::Int(64))
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

/// A constant of any type as one operand for each of its scalars.
pub(super) fn operands<'m>(body: &mut Body<'_, 'm>, constant: Constant<'m>) -> Vec<Operand> {
    let count = body.lanes(constant.ty()).scalars.len();
    match constant.kind() {
        ConstantKind::Undefined => vec![Operand::Undef; count],
        ConstantKind::Zero => vec![Operand::Const(0); count],
        ConstantKind::Aggregate => parts(constant)
            .into_iter()
            .flat_map(|part| operands(body, part))
            .take(count)
            .collect(),
        _ => {
            if let Some(halves) = wide::constant(constant) {
                return halves.to_vec();
            }
            let operand = scalar(body.program, constant);
            let operand = operand.or_else(|_| computed(body, constant));
            vec![operand.unwrap_or_else(|reason| body.unknown(reason))]
        }
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
