//! Arithmetic that tells or avoids overflow, and funnel shifts, spelled out in plain operations.

use super::function::Body;
use super::lanes::width;
use migfit_schema::program::{BinaryOp, Cast, Compare, Op, Operand, Reg, Type};

const BIT: Type = Type::Int(1);

/// `[result, flag] = a op b`, the flag set where the result does not fit.
///
/// # Errors
/// When the width has no wider one to compute in and no other way is spelled out.
pub(super) fn checked(
    body: &mut Body<'_, '_>,
    name: &str,
    [result, flag]: [Reg; 2],
    ty: Type,
    a: Operand,
    b: Operand,
) -> Result<(), String> {
    let signed = name.starts_with('s');
    let op = match name.get(1..4) {
        Some("add") => BinaryOp::Add,
        Some("sub") => BinaryOp::Sub,
        Some("mul") => BinaryOp::Mul,
        _ => return Err(format!("intrinsic llvm.{name}")),
    };
    body.emit(Op::Binary {
        dst: result,
        ty,
        op,
        a,
        b,
        no_wrap: false,
    });
    let value = Operand::Reg(result);
    match op {
        BinaryOp::Mul if width(ty) <= 32 => widened(body, flag, ty, signed, value, [a, b]),
        BinaryOp::Mul if !signed => divided(body, flag, ty, value, [a, b]),
        BinaryOp::Mul => return Err(format!("intrinsic llvm.{name} of 64 bits")),
        _ if signed => signs(body, flag, ty, op, value, [a, b]),
        // An unsigned sum that wrapped is below either operand; a difference wraps where the first is below the second.
        BinaryOp::Add => body.emit(Op::Compare {
            dst: flag,
            ty,
            op: Compare::ULt,
            a: value,
            b: a,
        }),
        _ => body.emit(Op::Compare {
            dst: flag,
            ty,
            op: Compare::ULt,
            a,
            b,
        }),
    }
    Ok(())
}

/// Set where the signs show that a signed sum or difference wrapped: both operands of a sum differ in sign from it;
/// the operands of a difference differ in sign, and so do the first and the result.
fn signs(
    body: &mut Body<'_, '_>,
    flag: Reg,
    ty: Type,
    op: BinaryOp,
    value: Operand,
    [a, b]: [Operand; 2],
) {
    let other = if op == BinaryOp::Add { value } else { a };
    let first = binary(body, ty, BinaryOp::Xor, a, value);
    let second = binary(body, ty, BinaryOp::Xor, b, other);
    let both = binary(body, ty, BinaryOp::And, first, second);
    body.emit(Op::Compare {
        dst: flag,
        ty,
        op: Compare::SLt,
        a: both,
        b: Operand::Const(0),
    });
}

/// Compares the product with the one in 64 bits, which cannot overflow.
fn widened(
    body: &mut Body<'_, '_>,
    flag: Reg,
    ty: Type,
    signed: bool,
    product: Operand,
    [a, b]: [Operand; 2],
) {
    let wide = Type::Int(64);
    let kind = if signed { Cast::Sext } else { Cast::Bits };
    let mut widen = |a| {
        let dst = body.fresh();
        body.emit(Op::Cast {
            dst,
            kind,
            from: ty,
            to: wide,
            a,
        });
        Operand::Reg(dst)
    };
    let (a, b, product) = (widen(a), widen(b), widen(product));
    let exact = binary(body, wide, BinaryOp::Mul, a, b);
    body.emit(Op::Compare {
        dst: flag,
        ty: wide,
        op: Compare::Ne,
        a: exact,
        b: product,
    });
}

/// Set where `a` is not zero and the product divided by it is not `b`.
fn divided(body: &mut Body<'_, '_>, flag: Reg, ty: Type, product: Operand, [a, b]: [Operand; 2]) {
    let zero = compare(body, ty, Compare::Eq, a, Operand::Const(0));
    let divisor = body.fresh();
    body.emit(Op::Select {
        dst: divisor,
        ty,
        condition: zero,
        a: Operand::Const(1),
        b: a,
    });
    let quotient = binary(body, ty, BinaryOp::UDiv, product, Operand::Reg(divisor));
    let differs = compare(body, ty, Compare::Ne, quotient, b);
    body.emit(Op::Select {
        dst: flag,
        ty: BIT,
        condition: zero,
        a: Operand::Const(0),
        b: differs,
    });
}

/// Unsigned sum or difference that stays at the end of its range instead of wrapping.
pub(super) fn saturating(
    body: &mut Body<'_, '_>,
    dst: Reg,
    ty: Type,
    add: bool,
    a: Operand,
    b: Operand,
) {
    let op = if add { BinaryOp::Add } else { BinaryOp::Sub };
    let plain = binary(body, ty, op, a, b);
    let (wrapped, end) = if add {
        let largest = u64::MAX >> (64 - u32::from(width(ty)));
        (compare(body, ty, Compare::ULt, plain, a), largest)
    } else {
        (compare(body, ty, Compare::ULt, a, b), 0)
    };
    body.emit(Op::Select {
        dst,
        ty,
        condition: wrapped,
        a: Operand::Const(end),
        b: plain,
    });
}

/// The upper (`left`) or lower half of `a:b` shifted by `c` modulo the width. Shifts by one less and by one more, so that no shift
/// is as wide as the type.
pub(super) fn funnel_shift(
    body: &mut Body<'_, '_>,
    dst: Reg,
    ty: Type,
    left: bool,
    [a, b, c]: [Operand; 3],
) {
    let bits = u64::from(width(ty));
    let by = binary(body, ty, BinaryOp::URem, c, Operand::Const(bits));
    let rest = binary(body, ty, BinaryOp::Sub, Operand::Const(bits - 1), by);
    let (upper, lower) = if left {
        let lower = binary(body, ty, BinaryOp::LShr, b, Operand::Const(1));
        (
            binary(body, ty, BinaryOp::Shl, a, by),
            binary(body, ty, BinaryOp::LShr, lower, rest),
        )
    } else {
        let upper = binary(body, ty, BinaryOp::Shl, a, Operand::Const(1));
        (
            binary(body, ty, BinaryOp::Shl, upper, rest),
            binary(body, ty, BinaryOp::LShr, b, by),
        )
    };
    body.emit(Op::Binary {
        dst,
        ty,
        op: BinaryOp::Or,
        a: upper,
        b: lower,
        no_wrap: false,
    });
}

/// A comparison as 0 or 1 of type `to`.
pub(super) fn flag(
    body: &mut Body<'_, '_>,
    op: Compare,
    ty: Type,
    a: Operand,
    b: Operand,
    to: Type,
) -> Operand {
    let bit = compare(body, ty, op, a, b);
    let dst = body.fresh();
    body.emit(Op::Cast {
        dst,
        kind: Cast::Bits,
        from: BIT,
        to,
        a: bit,
    });
    Operand::Reg(dst)
}

fn binary(body: &mut Body<'_, '_>, ty: Type, op: BinaryOp, a: Operand, b: Operand) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Binary {
        dst,
        ty,
        op,
        a,
        b,
        no_wrap: false,
    });
    Operand::Reg(dst)
}

fn compare(body: &mut Body<'_, '_>, ty: Type, op: Compare, a: Operand, b: Operand) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Compare { dst, ty, op, a, b });
    Operand::Reg(dst)
}
