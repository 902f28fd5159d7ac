//! How a block of LLVM ends in, the same in register code out. Unwind edges are in `unwind`.

use super::function::Body;
use super::lanes::Lanes;
use super::unwind::{self, Throwers};
use crate::ir::view::constant::ConstantKind;
use crate::ir::view::instruction::Instruction;
use crate::ir::view::value::{Value, ValueKind};
use llvm_sys::LLVMOpcode;
use migfit_schema::program::{BlockId, OnUnknown, Op, Terminator, Type};

/// Lowers a terminator. The call of an `invoke` was lowered before, as an instruction.
pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, terminator: Instruction<'m>) -> Terminator {
    let lowered = match terminator.opcode() {
        LLVMOpcode::LLVMRet => Ok(Terminator::Return(match terminator.operand(0) {
            Some(value) => body.operands(value),
            None => Vec::new(),
        })),
        LLVMOpcode::LLVMBr => branch(body, terminator),
        LLVMOpcode::LLVMSwitch => switch(body, terminator),
        LLVMOpcode::LLVMInvoke => invoke(body, terminator),
        LLVMOpcode::LLVMResume => Ok(unwind::resume(body)),
        LLVMOpcode::LLVMUnreachable => Ok(Terminator::Unreachable),
        other => Err(format!("control flow by {other:?}")),
    };
    lowered.unwrap_or_else(|what| {
        body.emit(Op::Unsupported {
            dst: Vec::new(),
            what,
        });
        Terminator::Unreachable
    })
}

fn target<'m>(
    body: &Body<'_, 'm>,
    terminator: Instruction<'m>,
    index: usize,
) -> Result<BlockId, String> {
    let block = terminator.successors().get(index).copied();
    block
        .and_then(|block| body.block_id(block))
        .ok_or_else(|| "jump to a block that does not exist".to_owned())
}

fn invoke<'m>(body: &mut Body<'_, 'm>, terminator: Instruction<'m>) -> Result<Terminator, String> {
    let ways = Throwers::successors(body.program.throwers.as_ref(), terminator);
    let ways: Vec<BlockId> = ways
        .into_iter()
        .filter_map(|block| body.block_id(block))
        .collect();
    unwind::invoke(body, &ways)
}

fn branch<'m>(body: &mut Body<'_, 'm>, terminator: Instruction<'m>) -> Result<Terminator, String> {
    let then = target(body, terminator, 0)?;
    let Some(condition) = terminator.condition() else {
        return Ok(Terminator::Jump(then));
    };
    let otherwise = target(body, terminator, 1)?;
    if then == otherwise {
        return Ok(Terminator::Jump(then));
    }
    Ok(Terminator::Branch {
        condition: body.scalar(Some(condition))?,
        then,
        otherwise,
        unknown: OnUnknown::Stop,
    })
}

/// Operands of a switch: value, default block, then a number and a block for each case; successors: default first.
fn switch<'m>(body: &mut Body<'_, 'm>, terminator: Instruction<'m>) -> Result<Terminator, String> {
    let value = terminator.operand(0).ok_or("switch without a value")?;
    let ty = one_type(&body.lanes(value.ty()))?;
    let mut cases = Vec::new();
    for index in 1..terminator.successors().len() {
        let position = u32::try_from(index * 2).unwrap_or(u32::MAX);
        let number = terminator.operand(position).and_then(number);
        let number = number.ok_or("switch with a case that is no number of 64 bits")?;
        cases.push((number, target(body, terminator, index)?));
    }
    Ok(Terminator::Switch {
        ty,
        value: body.scalar(Some(value))?,
        cases,
        default: target(body, terminator, 0)?,
        unknown: OnUnknown::Stop,
    })
}

fn one_type(lanes: &Lanes) -> Result<Type, String> {
    match (&lanes.refused, lanes.scalars.as_slice()) {
        (None, [lane]) => Ok(lane.ty),
        (Some(reason), _) => Err(reason.clone()),
        _ => Err("switch on an aggregate".to_owned()),
    }
}

fn number(value: Value<'_>) -> Option<u64> {
    match value.kind() {
        ValueKind::Constant(constant) => match constant.kind() {
            ConstantKind::Int(number) => Some(number),
            ConstantKind::Zero => Some(0),
            _ => None,
        },
        _ => None,
    }
}
