//! Atomic operations as plain ones: size programs run on one thread.

use super::function::Body;
use crate::ir::view::instruction::Instruction;
use llvm_sys::LLVMAtomicRMWBinOp;
use migfit_schema::program::{BinaryOp, Compare, Op, Operand, Reg, Type};

/// Reads the old value, writes `old op operand`.
pub(super) fn read_modify_write<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let [(dst, ty)] = body.typed_registers(instruction.value())?[..] else {
        return Err("atomic operation on an aggregate".to_owned());
    };
    let address = body.scalar(instruction.operand(0))?;
    let operand = body.scalar(instruction.operand(1))?;
    body.emit(Op::Load { dst, ty, address });
    let value = match instruction.atomic_operation() {
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg => operand,
        operation => {
            let op =
                binary_op(operation).ok_or_else(|| format!("atomic operation {operation:?}"))?;
            let new = body.fresh();
            body.emit(Op::Binary {
                dst: new,
                ty,
                op,
                a: Operand::Reg(dst),
                b: operand,
                no_wrap: false,
            });
            Operand::Reg(new)
        }
    };
    body.emit(Op::Store { ty, value, address });
    Ok(())
}

/// Reads the old value and writes the new one if the old one is as expected; gives (old, whether it was).
pub(super) fn compare_exchange<'m>(
    body: &mut Body<'_, 'm>,
    instruction: Instruction<'m>,
) -> Result<(), String> {
    let [(old, ty), (equal, Type::Int(1))] = body.typed_registers(instruction.value())?[..] else {
        return Err("atomic exchange of an aggregate".to_owned());
    };
    let address = body.scalar(instruction.operand(0))?;
    let expected = body.scalar(instruction.operand(1))?;
    let wanted = body.scalar(instruction.operand(2))?;
    let written: Reg = body.fresh();
    let (a, condition) = (Operand::Reg(old), Operand::Reg(equal));
    body.emit(Op::Load {
        dst: old,
        ty,
        address,
    });
    body.emit(Op::Compare {
        dst: equal,
        ty,
        op: Compare::Eq,
        a,
        b: expected,
    });
    body.emit(Op::Select {
        dst: written,
        ty,
        condition,
        a: wanted,
        b: a,
    });
    body.emit(Op::Store {
        ty,
        value: Operand::Reg(written),
        address,
    });
    Ok(())
}

fn binary_op(operation: LLVMAtomicRMWBinOp) -> Option<BinaryOp> {
    use LLVMAtomicRMWBinOp::*;
    Some(match operation {
        LLVMAtomicRMWBinOpAdd => BinaryOp::Add,
        LLVMAtomicRMWBinOpSub => BinaryOp::Sub,
        LLVMAtomicRMWBinOpAnd => BinaryOp::And,
        LLVMAtomicRMWBinOpOr => BinaryOp::Or,
        LLVMAtomicRMWBinOpXor => BinaryOp::Xor,
        LLVMAtomicRMWBinOpMax => BinaryOp::SMax,
        LLVMAtomicRMWBinOpMin => BinaryOp::SMin,
        LLVMAtomicRMWBinOpUMax => BinaryOp::UMax,
        LLVMAtomicRMWBinOpUMin => BinaryOp::UMin,
        LLVMAtomicRMWBinOpFAdd => BinaryOp::FAdd,
        LLVMAtomicRMWBinOpFSub => BinaryOp::FSub,
        _ => return None,
    })
}
