//! Arithmetic, comparisons, conversions and selects, scalar by scalar.

use super::function::Body;
use crate::ir::view::instruction::Instruction;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use migfit_schema::program::{BinaryOp, Cast, Compare, Op, Operand, Unary};

/// Two operands of the result's type.
pub(super) fn binary<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let op = binary_op(instruction.opcode()).ok_or("arithmetic without form")?;
    let no_wrap = instruction.no_signed_wrap();
    let (a, b) = (
        operands(body, instruction, 0)?,
        operands(body, instruction, 1)?,
    );
    for ((dst, ty), (a, b)) in body
        .typed_registers(instruction.value())?
        .into_iter()
        .zip(a.into_iter().zip(b))
    {
        body.emit(Op::Binary {
            dst,
            ty,
            op,
            a,
            b,
            no_wrap,
        });
    }
    Ok(())
}

/// Floating-point negation.
pub(super) fn negation<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let a = operands(body, instruction, 0)?;
    for ((dst, ty), a) in body
        .typed_registers(instruction.value())?
        .into_iter()
        .zip(a)
    {
        body.emit(Op::Unary {
            dst,
            ty,
            op: Unary::FNeg,
            a,
        });
    }
    Ok(())
}

/// The first operand as it is.
pub(super) fn copy<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let a = operands(body, instruction, 0)?;
    for ((dst, ty), a) in body
        .typed_registers(instruction.value())?
        .into_iter()
        .zip(a)
    {
        body.emit(Op::Copy { dst, ty, a });
    }
    Ok(())
}

/// Whole-number, pointer and floating-point comparisons.
pub(super) fn comparison<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let op = if instruction.opcode() == LLVMOpcode::LLVMICmp {
        int_compare(instruction.int_predicate())
    } else {
        float_compare(instruction.float_predicate())
    };
    let compared = instruction
        .operand(0)
        .ok_or("comparison without operands")?;
    let lanes = body.lanes(compared.ty()).usable()?;
    let (a, b) = (
        operands(body, instruction, 0)?,
        operands(body, instruction, 1)?,
    );
    let registers = body.registers_of(instruction.value());
    for ((dst, lane), (a, b)) in registers.into_iter().zip(lanes).zip(a.into_iter().zip(b)) {
        body.emit(Op::Compare {
            dst,
            ty: lane.ty,
            op,
            a,
            b,
        });
    }
    Ok(())
}

/// `condition ? a : b`; one condition for all scalars or one for each.
pub(super) fn select<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let conditions = operands(body, instruction, 0)?;
    let (a, b) = (
        operands(body, instruction, 1)?,
        operands(body, instruction, 2)?,
    );
    let one = match conditions[..] {
        [condition] => Some(condition),
        _ => None,
    };
    for (lane, ((dst, ty), (a, b))) in body
        .typed_registers(instruction.value())?
        .into_iter()
        .zip(a.into_iter().zip(b))
        .enumerate()
    {
        let condition = one.or_else(|| conditions.get(lane).copied());
        let condition = condition.ok_or("select with fewer conditions than lanes")?;
        body.emit(Op::Select {
            dst,
            ty,
            condition,
            a,
            b,
        });
    }
    Ok(())
}

/// Conversions that go scalar by scalar.
pub(super) fn cast<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let kind = cast_kind(instruction.opcode()).ok_or("conversion without form")?;
    let source = instruction.operand(0).ok_or("conversion of nothing")?;
    let from = body.lanes(source.ty()).usable()?;
    let a = body.operands(source);
    for ((dst, to), (from, a)) in body
        .typed_registers(instruction.value())?
        .into_iter()
        .zip(from.into_iter().zip(a))
    {
        let from = from.ty;
        body.emit(Op::Cast {
            dst,
            kind,
            from,
            to,
            a,
        });
    }
    Ok(())
}

/// Scalars of one operand.
pub(super) fn operands<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
    index: u32,
) -> Result<Vec<Operand>, String> {
    let value = instruction
        .operand(index)
        .ok_or("instruction without the operand it needs")?;
    Ok(body.operands(value))
}

/// The operation that an arithmetic opcode stands for.
pub(super) fn binary_op(opcode: LLVMOpcode) -> Option<BinaryOp> {
    Some(match opcode {
        LLVMOpcode::LLVMAdd => BinaryOp::Add,
        LLVMOpcode::LLVMSub => BinaryOp::Sub,
        LLVMOpcode::LLVMMul => BinaryOp::Mul,
        LLVMOpcode::LLVMUDiv => BinaryOp::UDiv,
        LLVMOpcode::LLVMSDiv => BinaryOp::SDiv,
        LLVMOpcode::LLVMURem => BinaryOp::URem,
        LLVMOpcode::LLVMSRem => BinaryOp::SRem,
        LLVMOpcode::LLVMShl => BinaryOp::Shl,
        LLVMOpcode::LLVMLShr => BinaryOp::LShr,
        LLVMOpcode::LLVMAShr => BinaryOp::AShr,
        LLVMOpcode::LLVMAnd => BinaryOp::And,
        LLVMOpcode::LLVMOr => BinaryOp::Or,
        LLVMOpcode::LLVMXor => BinaryOp::Xor,
        LLVMOpcode::LLVMFAdd => BinaryOp::FAdd,
        LLVMOpcode::LLVMFSub => BinaryOp::FSub,
        LLVMOpcode::LLVMFMul => BinaryOp::FMul,
        LLVMOpcode::LLVMFDiv => BinaryOp::FDiv,
        LLVMOpcode::LLVMFRem => BinaryOp::FRem,
        _ => return None,
    })
}

fn cast_kind(opcode: LLVMOpcode) -> Option<Cast> {
    Some(match opcode {
        LLVMOpcode::LLVMTrunc
        | LLVMOpcode::LLVMZExt
        | LLVMOpcode::LLVMPtrToInt
        | LLVMOpcode::LLVMIntToPtr
        | LLVMOpcode::LLVMAddrSpaceCast => Cast::Bits,
        LLVMOpcode::LLVMSExt => Cast::Sext,
        LLVMOpcode::LLVMFPToUI => Cast::FToU,
        LLVMOpcode::LLVMFPToSI => Cast::FToS,
        LLVMOpcode::LLVMUIToFP => Cast::UToF,
        LLVMOpcode::LLVMSIToFP => Cast::SToF,
        LLVMOpcode::LLVMFPTrunc | LLVMOpcode::LLVMFPExt => Cast::FToF,
        _ => return None,
    })
}

fn int_compare(predicate: LLVMIntPredicate) -> Compare {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => Compare::Eq,
        LLVMIntPredicate::LLVMIntNE => Compare::Ne,
        LLVMIntPredicate::LLVMIntUGT => Compare::UGt,
        LLVMIntPredicate::LLVMIntUGE => Compare::UGe,
        LLVMIntPredicate::LLVMIntULT => Compare::ULt,
        LLVMIntPredicate::LLVMIntULE => Compare::ULe,
        LLVMIntPredicate::LLVMIntSGT => Compare::SGt,
        LLVMIntPredicate::LLVMIntSGE => Compare::SGe,
        LLVMIntPredicate::LLVMIntSLT => Compare::SLt,
        LLVMIntPredicate::LLVMIntSLE => Compare::SLe,
    }
}

fn float_compare(predicate: LLVMRealPredicate) -> Compare {
    match predicate {
        LLVMRealPredicate::LLVMRealPredicateFalse => Compare::FFalse,
        LLVMRealPredicate::LLVMRealOEQ => Compare::FOEq,
        LLVMRealPredicate::LLVMRealOGT => Compare::FOGt,
        LLVMRealPredicate::LLVMRealOGE => Compare::FOGe,
        LLVMRealPredicate::LLVMRealOLT => Compare::FOLt,
        LLVMRealPredicate::LLVMRealOLE => Compare::FOLe,
        LLVMRealPredicate::LLVMRealONE => Compare::FONe,
        LLVMRealPredicate::LLVMRealORD => Compare::FOrd,
        LLVMRealPredicate::LLVMRealUNO => Compare::FUno,
        LLVMRealPredicate::LLVMRealUEQ => Compare::FUEq,
        LLVMRealPredicate::LLVMRealUGT => Compare::FUGt,
        LLVMRealPredicate::LLVMRealUGE => Compare::FUGe,
        LLVMRealPredicate::LLVMRealULT => Compare::FULt,
        LLVMRealPredicate::LLVMRealULE => Compare::FULe,
        LLVMRealPredicate::LLVMRealUNE => Compare::FUNe,
        LLVMRealPredicate::LLVMRealPredicateTrue => Compare::FTrue,
    }
}
