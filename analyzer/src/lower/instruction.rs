//! One instruction of LLVM in, operations on registers out. What has no form becomes `Unsupported` with the reason.

use super::function::Body;
use super::{aggregate, arithmetic, atomic, bits, call, memory, unwind, wide};
use crate::ir::view::instruction::Instruction;
use llvm_sys::LLVMOpcode;
use migfit_schema::program::Op;

/// Lowers one instruction that is no phi. Of terminators only the call of an `invoke`.
pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) {
    let mark = body.ops.len();
    if let Err(what) = dispatch(body, instruction) {
        body.ops.truncate(mark);
        let dst = body.registers_of(instruction.value());
        body.emit(Op::Unsupported { dst, what });
    }
}

fn dispatch<'m>(body: &mut Body<'_, 'm>, instruction: Instruction<'m>) -> Result<(), String> {
    use LLVMOpcode::*;
    if wide::concerns(instruction)
        && let Some(lowered) = wide::lower(body, instruction)
    {
        return lowered;
    }
    match instruction.opcode() {
        LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMShl
        | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMFAdd | LLVMFSub | LLVMFMul
        | LLVMFDiv | LLVMFRem => arithmetic::binary(body, instruction),
        LLVMFNeg => arithmetic::negation(body, instruction),
        LLVMICmp | LLVMFCmp => arithmetic::comparison(body, instruction),
        LLVMSelect => arithmetic::select(body, instruction),
        LLVMFreeze => arithmetic::copy(body, instruction),
        LLVMBitCast => bits::bitcast(body, instruction),
        LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP | LLVMSIToFP
        | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr | LLVMAddrSpaceCast => {
            arithmetic::cast(body, instruction)
        }
        LLVMAlloca => memory::alloca(body, instruction),
        LLVMLoad => memory::load(body, instruction),
        LLVMStore => memory::store(body, instruction),
        LLVMGetElementPtr => memory::address(body, instruction),
        LLVMFence => Ok(()),
        LLVMAtomicRMW => atomic::read_modify_write(body, instruction),
        LLVMAtomicCmpXchg => atomic::compare_exchange(body, instruction),
        LLVMCall | LLVMInvoke => call::lower(body, instruction),
        LLVMExtractElement | LLVMInsertElement | LLVMExtractValue | LLVMInsertValue
        | LLVMShuffleVector => aggregate::lower(body, instruction),
        LLVMLandingPad => unwind::landing(body, instruction),
        LLVMRet | LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMUnreachable | LLVMCallBr
        | LLVMResume => Ok(()),
        other => Err(format!("instruction {other:?}")),
    }
}
