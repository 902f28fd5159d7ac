//! 128-bit integers: two registers of 64 bits, the low half first. What is spelt out here are sums, products, bits, shifts
//! by constants, comparisons and conversions, as index arithmetic and random numbers need them; other operations stay without form.

use super::arithmetic::operands;
use super::function::Body;
use crate::ir::view::constant::Constant;
use crate::ir::view::instruction::Instruction;
use crate::ir::view::types::TyKind;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use migfit_schema::program::{BinaryOp, Cast, Compare, Op, Operand, Reg, Type};

/// Bits of such an integer.
pub(super) const WIDTH: u32 = 128;

const WORD: Type = Type::Int(64);
const BIT: Type = Type::Int(1);

/// Whether an instruction makes or takes one, alone and not as a part of something.
pub(super) fn concerns(instruction: Instruction<'_>) -> bool {
    let taken = (0..2).filter_map(|index| instruction.operand(index));
    let mut all = taken.map(|value| value.ty()).chain([instruction.ty()]);
    all.any(|ty| ty.kind() == TyKind::Int(WIDTH))
}

/// The halves of a constant.
pub(super) fn constant(constant: Constant<'_>) -> Option<[Operand; 2]> {
    if constant.ty().kind() != TyKind::Int(WIDTH) {
        return None;
    }
    // LLVM's C interface gives no more than 64 bits of a number; its text has all of it.
    let text = constant.to_string();
    let number: i128 = text.split_whitespace().next_back()?.parse().ok()?;
    let halves = [number as u64, (number >> 64) as u64];
    Some(halves.map(Operand::Const))
}

/// Lowers an instruction that such integers concern; `None`: it moves them like anything else.
pub(super) fn lower<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Option<Result<(), String>> {
    use LLVMOpcode::{
        LLVMAShr, LLVMAdd, LLVMAnd, LLVMFreeze, LLVMICmp, LLVMLShr, LLVMMul, LLVMOr, LLVMSExt,
        LLVMSelect, LLVMShl, LLVMSub, LLVMTrunc, LLVMXor, LLVMZExt,
    };
    Some(match instruction.opcode() {
        LLVMSExt => extended(body, instruction, true),
        LLVMZExt => extended(body, instruction, false),
        LLVMTrunc => cut(body, instruction),
        LLVMICmp => comparison(body, instruction),
        LLVMSelect => select(body, instruction),
        LLVMFreeze => pair(body, instruction, 0).and_then(|halves| give(body, instruction, halves)),
        LLVMAdd => sum(body, instruction, BinaryOp::Add),
        LLVMSub => sum(body, instruction, BinaryOp::Sub),
        LLVMMul => product(body, instruction),
        LLVMAnd => each(body, instruction, BinaryOp::And),
        LLVMOr => each(body, instruction, BinaryOp::Or),
        LLVMXor => each(body, instruction, BinaryOp::Xor),
        LLVMShl | LLVMLShr | LLVMAShr => shift(body, instruction),
        _ => return None,
    })
}

type Pair = [Operand; 2];

fn pair<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
    index: u32,
) -> Result<Pair, String> {
    let halves = operands(body, instruction, index)?;
    halves.try_into().map_err(|_| "128-bit integer".to_owned())
}

/// The result's registers get these halves.
fn give<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
    halves: Pair,
) -> Result<(), String> {
    let registers: [Reg; 2] = body
        .registers_of(instruction.value())
        .try_into()
        .map_err(|_| "128-bit integer".to_owned())?;
    for (dst, a) in registers.into_iter().zip(halves) {
        body.emit(Op::Copy { dst, ty: WORD, a });
    }
    Ok(())
}

fn extended<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
    signed: bool,
) -> Result<(), String> {
    let source = instruction.operand(0).ok_or("conversion of nothing")?;
    let [from] = body.lanes(source.ty()).usable()?[..] else {
        return Err("128-bit integer".to_owned());
    };
    let a = body.scalar(Some(source))?;
    let low = match (from.ty, signed) {
        (WORD, _) => a,
        (from, true) => cast(body, Cast::Sext, from, WORD, a),
        (from, false) => cast(body, Cast::Bits, from, WORD, a),
    };
    let high = match signed {
        true => binary(body, BinaryOp::AShr, low, Operand::Const(63)),
        false => Operand::Const(0),
    };
    give(body, instruction, [low, high])
}

fn cut<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Result<(), String> {
    let [low, _] = pair(body, instruction, 0)?;
    let [(dst, to)] = body.typed_registers(instruction.value())?[..] else {
        return Err("128-bit integer".to_owned());
    };
    body.emit(match to {
        WORD => Op::Copy {
            dst,
            ty: WORD,
            a: low,
        },
        to => Op::Cast {
            dst,
            kind: Cast::Bits,
            from: WORD,
            to,
            a: low,
        },
    });
    Ok(())
}

fn comparison<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Result<(), String> {
    use LLVMIntPredicate::*;
    let (a, b) = (pair(body, instruction, 0)?, pair(body, instruction, 1)?);
    let (low, high) = match instruction.int_predicate() {
        LLVMIntEQ | LLVMIntNE => (Compare::Eq, Compare::Eq),
        LLVMIntUGT => (Compare::UGt, Compare::UGt),
        LLVMIntUGE => (Compare::UGe, Compare::UGt),
        LLVMIntULT => (Compare::ULt, Compare::ULt),
        LLVMIntULE => (Compare::ULe, Compare::ULt),
        LLVMIntSGT => (Compare::UGt, Compare::SGt),
        LLVMIntSGE => (Compare::UGe, Compare::SGt),
        LLVMIntSLT => (Compare::ULt, Compare::SLt),
        LLVMIntSLE => (Compare::ULe, Compare::SLt),
    };
    let same_high = compare(body, Compare::Eq, a[1], b[1]);
    let by_low = compare(body, low, a[0], b[0]);
    let by_high = match high {
        Compare::Eq => Operand::Const(0),
        high => compare(body, high, a[1], b[1]),
    };
    let holds = chosen(body, BIT, same_high, by_low, by_high);
    let [dst] = body.registers_of(instruction.value())[..] else {
        return Err("128-bit integer".to_owned());
    };
    body.emit(match instruction.int_predicate() {
        LLVMIntNE => Op::Binary {
            dst,
            ty: BIT,
            op: BinaryOp::Xor,
            a: holds,
            b: Operand::Const(1),
            no_wrap: false,
        },
        _ => Op::Copy {
            dst,
            ty: BIT,
            a: holds,
        },
    });
    Ok(())
}

fn select<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Result<(), String> {
    let condition = body.scalar(instruction.operand(0))?;
    let (a, b) = (pair(body, instruction, 1)?, pair(body, instruction, 2)?);
    let low = chosen(body, WORD, condition, a[0], b[0]);
    let high = chosen(body, WORD, condition, a[1], b[1]);
    give(body, instruction, [low, high])
}

/// The low halves carry into, or borrow from, the high ones.
fn sum<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
    op: BinaryOp,
) -> Result<(), String> {
    let (a, b) = (pair(body, instruction, 0)?, pair(body, instruction, 1)?);
    let low = binary(body, op, a[0], b[0]);
    let carries = match op {
        BinaryOp::Add => compare(body, Compare::ULt, low, a[0]),
        _ => compare(body, Compare::ULt, a[0], b[0]),
    };
    let carry = cast(body, Cast::Bits, BIT, WORD, carries);
    let high = binary(body, op, a[1], b[1]);
    let high = binary(body, op, high, carry);
    give(body, instruction, [low, high])
}

/// The low halves make a whole product; of the others only what lies below its end counts.
fn product<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Result<(), String> {
    let (a, b) = (pair(body, instruction, 0)?, pair(body, instruction, 1)?);
    let low = binary(body, BinaryOp::Mul, a[0], b[0]);
    let carried = high_product(body, a[0], b[0]);
    let crossed = [(a[0], b[1]), (a[1], b[0])];
    let high = crossed.into_iter().fold(carried, |sum, (a, b)| {
        let part = binary(body, BinaryOp::Mul, a, b);
        binary(body, BinaryOp::Add, sum, part)
    });
    give(body, instruction, [low, high])
}

/// The upper 64 of the 128 bits of a product of two words, by their halves of 32 bits.
fn high_product(body: &mut Body<'_, '_>, a: Operand, b: Operand) -> Operand {
    const HALF: Operand = Operand::Const(32);
    const LOW: Operand = Operand::Const(0xffff_ffff);
    let mut split = |word| {
        let low = binary(body, BinaryOp::And, word, LOW);
        (low, binary(body, BinaryOp::LShr, word, HALF))
    };
    let ((a_low, a_high), (b_low, b_high)) = (split(a), split(b));
    let least = binary(body, BinaryOp::Mul, a_low, b_low);
    let most = binary(body, BinaryOp::Mul, a_high, b_high);
    let crossed = [(a_low, b_high), (a_high, b_low)];
    let crossed = crossed.map(|(a, b)| binary(body, BinaryOp::Mul, a, b));
    let mut middle = binary(body, BinaryOp::LShr, least, HALF);
    let mut high = most;
    for part in crossed {
        let low = binary(body, BinaryOp::And, part, LOW);
        middle = binary(body, BinaryOp::Add, middle, low);
        let above = binary(body, BinaryOp::LShr, part, HALF);
        high = binary(body, BinaryOp::Add, high, above);
    }
    let carried = binary(body, BinaryOp::LShr, middle, HALF);
    binary(body, BinaryOp::Add, high, carried)
}

fn each<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
    op: BinaryOp,
) -> Result<(), String> {
    let (a, b) = (pair(body, instruction, 0)?, pair(body, instruction, 1)?);
    let low = binary(body, op, a[0], b[0]);
    let high = binary(body, op, a[1], b[1]);
    give(body, instruction, [low, high])
}

/// By a constant; by anything else it has no form.
fn shift<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Result<(), String> {
    let [low, high] = pair(body, instruction, 0)?;
    let [Operand::Const(by), Operand::Const(0)] = pair(body, instruction, 1)? else {
        return Err("shift of a 128-bit integer".to_owned());
    };
    let opcode = instruction.opcode();
    let left = opcode == LLVMOpcode::LLVMShl;
    let inward = match opcode {
        LLVMOpcode::LLVMAShr => BinaryOp::AShr,
        _ => BinaryOp::LShr,
    };
    // What comes in behind a half that is shifted out whole.
    let behind = match inward {
        BinaryOp::AShr => binary(body, BinaryOp::AShr, high, Operand::Const(63)),
        _ => Operand::Const(0),
    };
    let by_word = |by: u64| Operand::Const(by % 64);
    let halves = match (by, left) {
        (0, _) => [low, high],
        (1..64, true) => {
            let carried = binary(body, BinaryOp::LShr, low, by_word(64 - by));
            let moved = binary(body, BinaryOp::Shl, high, by_word(by));
            let high = binary(body, BinaryOp::Or, moved, carried);
            [binary(body, BinaryOp::Shl, low, by_word(by)), high]
        }
        (1..64, false) => {
            let carried = binary(body, BinaryOp::Shl, high, by_word(64 - by));
            let moved = binary(body, BinaryOp::LShr, low, by_word(by));
            let low = binary(body, BinaryOp::Or, moved, carried);
            [low, binary(body, inward, high, by_word(by))]
        }
        (64..128, true) => [
            Operand::Const(0),
            binary(body, BinaryOp::Shl, low, by_word(by)),
        ],
        (64..128, false) => [binary(body, inward, high, by_word(by)), behind],
        _ => return Err("shift by more bits than there are".to_owned()),
    };
    give(body, instruction, halves)
}

fn binary(body: &mut Body<'_, '_>, op: BinaryOp, a: Operand, b: Operand) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Binary {
        dst,
        ty: WORD,
        op,
        a,
        b,
        no_wrap: false,
    });
    Operand::Reg(dst)
}

fn cast(body: &mut Body<'_, '_>, kind: Cast, from: Type, to: Type, a: Operand) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Cast {
        dst,
        kind,
        from,
        to,
        a,
    });
    Operand::Reg(dst)
}

fn compare(body: &mut Body<'_, '_>, op: Compare, a: Operand, b: Operand) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Compare {
        dst,
        ty: WORD,
        op,
        a,
        b,
    });
    Operand::Reg(dst)
}

fn chosen(
    body: &mut Body<'_, '_>,
    ty: Type,
    condition: Operand,
    a: Operand,
    b: Operand,
) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Select {
        dst,
        ty,
        condition,
        a,
        b,
    });
    Operand::Reg(dst)
}
