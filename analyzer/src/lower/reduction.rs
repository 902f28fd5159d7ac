//! Reductions of a vector to one number (`llvm.vector.reduce.*`), which vectorised loops end in: lane after lane.

use super::arithmetic;
use super::function::Body;
use crate::ir::view::instruction::Instruction;
use migfit_schema::program::{BinaryOp, Op, Operand};

/// Lowers one; `short` is its name without `llvm.`.
///
/// # Errors
/// When it is of another kind, or its result has no form.
pub(super) fn lower<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    short: &str,
) -> Result<(), String> {
    let op = operation(short).ok_or_else(|| format!("intrinsic llvm.{short}"))?;
    // Reductions of floats begin with a number of their own.
    let begins = matches!(op, BinaryOp::FAdd | BinaryOp::FMul);
    let mut lanes = match begins {
        true => arithmetic::operands(body, call, 0)?,
        false => Vec::new(),
    };
    lanes.extend(arithmetic::operands(body, call, u32::from(begins))?);
    let [(dst, ty)] = body.typed_registers(call.value())?[..] else {
        return Err(format!("intrinsic llvm.{short} of several results"));
    };
    let (first, rest) = lanes.split_first().ok_or("a vector without lanes")?;
    let mut so_far = *first;
    for lane in rest {
        let next = body.fresh();
        body.emit(Op::Binary {
            dst: next,
            ty,
            op,
            a: so_far,
            b: *lane,
            no_wrap: false,
        });
        so_far = Operand::Reg(next);
    }
    body.emit(Op::Copy { dst, ty, a: so_far });
    Ok(())
}

fn operation(short: &str) -> Option<BinaryOp> {
    Some(match short.strip_prefix("vector.reduce.")? {
        "add" => BinaryOp::Add,
        "mul" => BinaryOp::Mul,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "smin" => BinaryOp::SMin,
        "smax" => BinaryOp::SMax,
        "umin" => BinaryOp::UMin,
        "umax" => BinaryOp::UMax,
        "fadd" => BinaryOp::FAdd,
        "fmul" => BinaryOp::FMul,
        "fmin" => BinaryOp::FMin,
        "fmax" => BinaryOp::FMax,
        _ => return None,
    })
}
