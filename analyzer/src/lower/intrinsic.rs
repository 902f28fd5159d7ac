//! LLVM's intrinsics: a few have operations of their own, hints vanish, the rest is reported as unsupported by name.

use super::arithmetic;
use super::function::Body;
use super::overflow;
use super::reduction;
use super::unwind;
use super::variadic;
use crate::ir::view::instruction::Instruction;
use migfit_schema::program::{BinaryOp, Callee, Cast, Compare, Op, Operand, Reg, Type, Unary};

/// Lowers the call of the intrinsic `name` (with `llvm.`, without the types of an overload).
pub(super) fn lower<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    name: &str,
) -> Result<(), String> {
    let short = name.strip_prefix("llvm.").unwrap_or(name);
    if let Some(op) = binary_op(short) {
        return each_pair(body, call, op);
    }
    if let Some(op) = unary_op(short) {
        return each(body, call, op);
    }
    match short {
        _ if is_hint(short) => {
            no_value(body, call);
            Ok(())
        }
        "expect"
        | "expect.with.probability"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "ssa.copy"
        | "annotation"
        | "ptr.annotation"
        | "threadlocal.address"
        | "arithmetic.fence" => arithmetic::copy(body, call),
        "memcpy" | "memcpy.inline" | "memmove" => {
            let [to, from, bytes] = scalars(body, call)?;
            body.emit(Op::MemCopy { to, from, bytes });
            Ok(())
        }
        "memset" | "memset.inline" => {
            let [to, byte, bytes] = scalars(body, call)?;
            body.emit(Op::MemSet { to, byte, bytes });
            Ok(())
        }
        "va_start" => {
            let [list] = scalars(body, call)?;
            variadic::start(body, list)
        }
        "va_copy" => {
            let lists = scalars(body, call)?;
            variadic::copy(body, lists);
            Ok(())
        }
        "va_end" => Ok(()),
        "eh.typeid.for" => unwind::type_number(body, call),
        "ptrmask" => pointer_mask(body, call),
        _ if short.starts_with("vector.reduce.") => reduction::lower(body, call, short),
        _ if library_name(short).is_some() => library_calls(body, call, short),
        "fmuladd" => multiply_add(body, call),
        "frexp" => fraction_and_power(body, call),
        "fshl" | "fshr" => each_triple(body, call, |body, dst, ty, [a, b, c]| {
            overflow::funnel_shift(body, dst, ty, short == "fshl", [a, b, c])
        }),
        "uadd.sat" | "usub.sat" => saturating(body, call, short == "uadd.sat"),
        "scmp" | "ucmp" => three_way(body, call, short == "scmp"),
        "sadd.with.overflow" | "uadd.with.overflow" | "ssub.with.overflow"
        | "usub.with.overflow" | "smul.with.overflow" | "umul.with.overflow" => {
            checked(body, call, short)
        }
        "trap" | "ubsantrap" => {
            abort(body);
            Ok(())
        }
        _ => Err(format!("intrinsic {name}")),
    }
}

/// Functions of the mathematical library that an intrinsic stands for, where it has no operation of its own.
fn library_name(short: &str) -> Option<&str> {
    const NAMES: [&str; 14] = [
        "acos", "asin", "atan", "cosh", "exp10", "fma", "ldexp", "llrint", "llround", "lrint",
        "lround", "sinh", "tan", "tanh",
    ];
    NAMES.contains(&short).then_some(short)
}

/// One call for each lane.
fn library_calls<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    short: &str,
) -> Result<(), String> {
    let of = call.operand(0).ok_or("call without argument")?;
    let narrow = body.lanes(of.ty()).types().first() == Some(&Type::F32);
    let name = format!("{short}{}", if narrow { "f" } else { "" });
    let mut arguments = Vec::new();
    for (argument, place) in call.arguments().into_iter().zip(0..) {
        let types = body
            .lanes(argument.ty())
            .usable()?
            .into_iter()
            .map(|lane| lane.ty);
        let operands = arithmetic::operands(body, call, place)?;
        arguments.push(operands.into_iter().zip(types).collect::<Vec<_>>());
    }
    for (lane, (dst, ty)) in body.typed_registers(call.value())?.into_iter().enumerate() {
        // The exponent of a scalar `ldexp` stands for all lanes.
        let of_lane = arguments
            .iter()
            .filter_map(|lanes| lanes.get(lane).or(lanes.last()));
        let args = of_lane.copied().collect();
        body.emit(Op::Call {
            dst: vec![dst],
            results: vec![ty],
            callee: Callee::External(name.clone()),
            args,
        });
    }
    Ok(())
}

/// Intrinsics that change nothing a size could depend on.
fn is_hint(short: &str) -> bool {
    short.starts_with("dbg.")
        || short.starts_with("lifetime.")
        || short.starts_with("invariant.")
        || matches!(
            short,
            "assume"
                | "sideeffect"
                | "donothing"
                | "prefetch"
                | "var.annotation"
                | "experimental.noalias.scope.decl"
                | "pseudoprobe"
                | "stacksave"
                | "stackrestore"
                | "debugtrap"
                | "fake.use"
                | "va_end"
        )
}

/// A hint's result, where it has one, is only ever given to its counterpart.
fn no_value<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>) {
    let types = body.lanes(call.ty()).types();
    for (dst, ty) in body.registers_of(call.value()).into_iter().zip(types) {
        body.emit(Op::Copy {
            dst,
            ty,
            a: Operand::Undef,
        });
    }
}

/// The first `N` arguments, each one scalar.
fn scalars<'m, const N: usize>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
) -> Result<[Operand; N], String> {
    let mut found = [Operand::Undef; N];
    for (place, argument) in found.iter_mut().zip(0..) {
        *place = body.scalar(call.operand(argument))?;
    }
    Ok(found)
}

fn each<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>, op: Unary) -> Result<(), String> {
    let a = arithmetic::operands(body, call, 0)?;
    for ((dst, ty), a) in body.typed_registers(call.value())?.into_iter().zip(a) {
        body.emit(Op::Unary { dst, ty, op, a });
    }
    Ok(())
}

fn each_pair<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    op: BinaryOp,
) -> Result<(), String> {
    let (a, b) = (
        arithmetic::operands(body, call, 0)?,
        arithmetic::operands(body, call, 1)?,
    );
    for ((dst, ty), (a, b)) in body
        .typed_registers(call.value())?
        .into_iter()
        .zip(a.into_iter().zip(b))
    {
        body.emit(Op::Binary {
            dst,
            ty,
            op,
            a,
            b,
            no_wrap: false,
        });
    }
    Ok(())
}

fn each_triple<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    emit: impl Fn(&mut Body<'_, 'm>, Reg, Type, [Operand; 3]),
) -> Result<(), String> {
    let a = arithmetic::operands(body, call, 0)?;
    let b = arithmetic::operands(body, call, 1)?;
    let c = arithmetic::operands(body, call, 2)?;
    let registers = body.typed_registers(call.value())?;
    for ((dst, ty), ((a, b), c)) in registers.into_iter().zip(a.into_iter().zip(b).zip(c)) {
        emit(body, dst, ty, [a, b, c]);
    }
    Ok(())
}

/// Ends the process.
fn abort(body: &mut Body<'_, '_>) {
    let callee = Callee::External("abort".to_owned());
    let (dst, results, args) = (Vec::new(), Vec::new(), Vec::new());
    body.emit(Op::Call {
        dst,
        results,
        callee,
        args,
    });
}

/// A pointer with some of its bits cleared (alignment upwards and downwards).
fn pointer_mask<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>) -> Result<(), String> {
    let word = Type::Int(64);
    let kind = Cast::Bits;
    let [pointer, mask] = scalars(body, call)?;
    let (address, masked) = (body.fresh(), body.fresh());
    body.emit(Op::Cast {
        dst: address,
        kind,
        from: Type::Ptr,
        to: word,
        a: pointer,
    });
    let a = Operand::Reg(address);
    body.emit(Op::Binary {
        dst: masked,
        ty: word,
        op: BinaryOp::And,
        a,
        b: mask,
        no_wrap: false,
    });
    for dst in body.registers_of(call.value()) {
        let a = Operand::Reg(masked);
        body.emit(Op::Cast {
            dst,
            kind,
            from: word,
            to: Type::Ptr,
            a,
        });
    }
    Ok(())
}

/// C's `frexp`, whose second result comes by a pointer.
fn fraction_and_power<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>) -> Result<(), String> {
    let [(fraction, ty), (power, width @ Type::Int(32))] = body.typed_registers(call.value())?[..]
    else {
        return Err("intrinsic llvm.frexp on vectors".to_owned());
    };
    let [a] = scalars(body, call)?;
    let room = body.fresh();
    body.emit(Op::Alloca {
        dst: room,
        size: 4,
        count: Operand::Const(1),
        align: 4,
    });
    let address = Operand::Reg(room);
    let name = if ty == Type::F32 { "frexpf" } else { "frexp" };
    body.emit(Op::Call {
        dst: vec![fraction],
        results: vec![ty],
        callee: Callee::External(name.to_owned()),
        args: vec![(a, ty), (address, Type::Ptr)],
    });
    body.emit(Op::Load {
        dst: power,
        ty: width,
        address,
    });
    Ok(())
}

/// `a * b + c`, rounded twice, as x86-64 without FMA does it.
fn multiply_add<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>) -> Result<(), String> {
    each_triple(body, call, |body, dst, ty, [a, b, c]| {
        let product = body.fresh();
        body.emit(Op::Binary {
            dst: product,
            ty,
            op: BinaryOp::FMul,
            a,
            b,
            no_wrap: false,
        });
        let a = Operand::Reg(product);
        body.emit(Op::Binary {
            dst,
            ty,
            op: BinaryOp::FAdd,
            a,
            b: c,
            no_wrap: false,
        });
    })
}

fn saturating<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>, add: bool) -> Result<(), String> {
    let (a, b) = (
        arithmetic::operands(body, call, 0)?,
        arithmetic::operands(body, call, 1)?,
    );
    for ((dst, ty), (a, b)) in body
        .typed_registers(call.value())?
        .into_iter()
        .zip(a.into_iter().zip(b))
    {
        overflow::saturating(body, dst, ty, add, a, b);
    }
    Ok(())
}

/// -1, 0 or 1 as `a` is below, equal to or above `b`.
fn three_way<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    signed: bool,
) -> Result<(), String> {
    let compared = call.operand(0).ok_or("comparison of nothing")?;
    let lanes = body.lanes(compared.ty()).usable()?;
    let (a, b) = (
        arithmetic::operands(body, call, 0)?,
        arithmetic::operands(body, call, 1)?,
    );
    let (above, below) = if signed {
        (Compare::SGt, Compare::SLt)
    } else {
        (Compare::UGt, Compare::ULt)
    };
    let registers = body.typed_registers(call.value())?;
    for (((dst, to), lane), (a, b)) in registers.into_iter().zip(lanes).zip(a.into_iter().zip(b)) {
        let above = overflow::flag(body, above, lane.ty, a, b, to);
        let below = overflow::flag(body, below, lane.ty, a, b, to);
        body.emit(Op::Binary {
            dst,
            ty: to,
            op: BinaryOp::Sub,
            a: above,
            b: below,
            no_wrap: false,
        });
    }
    Ok(())
}

fn checked<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>, short: &str) -> Result<(), String> {
    let [(result, ty), (flag, Type::Int(1))] = body.typed_registers(call.value())?[..] else {
        return Err(format!("intrinsic llvm.{short} on vectors"));
    };
    let [a, b] = scalars(body, call)?;
    overflow::checked(body, short, [result, flag], ty, a, b)
}

fn binary_op(short: &str) -> Option<BinaryOp> {
    Some(match short {
        "umin" => BinaryOp::UMin,
        "umax" => BinaryOp::UMax,
        "smin" => BinaryOp::SMin,
        "smax" => BinaryOp::SMax,
        "minnum" | "minimumnum" => BinaryOp::FMin,
        "maxnum" | "maximumnum" => BinaryOp::FMax,
        "copysign" => BinaryOp::CopySign,
        "pow" => BinaryOp::Pow,
        _ => return None,
    })
}

fn unary_op(short: &str) -> Option<Unary> {
    Some(match short {
        "fabs" => Unary::FAbs,
        "sqrt" => Unary::Sqrt,
        "ceil" => Unary::Ceil,
        "floor" => Unary::Floor,
        "trunc" => Unary::Trunc,
        "round" => Unary::Round,
        "roundeven" | "rint" | "nearbyint" => Unary::RoundEven,
        "exp" => Unary::Exp,
        "exp2" => Unary::Exp2,
        "log" => Unary::Log,
        "log2" => Unary::Log2,
        "log10" => Unary::Log10,
        "sin" => Unary::Sin,
        "cos" => Unary::Cos,
        "abs" => Unary::Abs,
        "ctlz" => Unary::Ctlz,
        "cttz" => Unary::Cttz,
        "ctpop" => Unary::Ctpop,
        "bswap" => Unary::Bswap,
        _ => return None,
    })
}
