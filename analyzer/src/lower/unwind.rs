//! Exceptions as plain control flow: which functions may throw, what an `invoke` does when one is on its way, where it
//! lands and goes on. Only for programs whose own code catches any; in others a throw ends the process.

use super::function::Body;
use crate::ir::view::function::{Block, Function};
use crate::ir::view::instruction::Instruction;
use crate::ir::view::module::ModuleView;
use crate::ir::view::types::TyKind;
use crate::ir::view::value::ValueKind;
use crate::outside::{LANDING, RESUME, THROWN, TYPE_NUMBER, may_throw};
use llvm_sys::LLVMOpcode;
use migfit_schema::program::{BlockId, Callee, OnUnknown, Op, Operand, Terminator, Type};
use std::collections::{HashMap, HashSet};

/// Functions of a module that an exception may leave.
pub(super) struct Throwers<'m> {
    functions: HashSet<Function<'m>>,
}

impl<'m> Throwers<'m> {
    /// Finds them: those that throw, and those that call one.
    pub(super) fn of(module: ModuleView<'m>) -> Self {
        let mut callers: HashMap<Function<'m>, Vec<Function<'m>>> = HashMap::new();
        let mut through_pointers = Vec::new();
        let mut waiting = Vec::new();
        for function in module.functions() {
            if !function.has_body() && may_throw(&function.name()) {
                waiting.push(function);
            }
            for call in function.instructions().filter(|one| is_call(*one)) {
                match call
                    .callee()
                    .map(|callee| (callee.as_function(), callee.kind()))
                {
                    Some((Some(callee), _)) => callers.entry(callee).or_default().push(function),
                    Some((None, ValueKind::InlineAsm)) | None => {}
                    Some((None, _)) => through_pointers.push(function),
                }
            }
        }
        // Any of them may be what a pointer leads to.
        if !waiting.is_empty() {
            waiting.append(&mut through_pointers);
        }
        let mut functions = HashSet::new();
        while let Some(function) = waiting.pop() {
            if functions.insert(function) {
                waiting.extend(callers.remove(&function).into_iter().flatten());
            }
        }
        Throwers { functions }
    }

    /// Whether an exception may leave a function.
    pub(super) fn contain(&self, function: Function<'m>) -> bool {
        self.functions.contains(&function)
    }

    /// Whether any function throws at all.
    pub(super) fn any(&self) -> bool {
        !self.functions.is_empty()
    }

    fn throws(&self, call: Instruction<'m>) -> bool {
        match call
            .callee()
            .map(|callee| (callee.as_function(), callee.kind()))
        {
            Some((Some(callee), _)) => self.contain(callee),
            Some((None, ValueKind::InlineAsm)) | None => false,
            Some((None, _)) => self.any(),
        }
    }

    /// Blocks that control may go on at behind a terminator; of an `invoke` the landing only where something may throw.
    pub(super) fn successors(
        throwers: Option<&Self>,
        terminator: Instruction<'m>,
    ) -> Vec<Block<'m>> {
        let mut successors = terminator.successors();
        let lands = || throwers.is_some_and(|throwers| throwers.throws(terminator));
        if terminator.opcode() == LLVMOpcode::LLVMInvoke && !lands() {
            // Normal destination first, then the landing pad.
            successors.truncate(1);
        }
        successors
    }
}

fn is_call(instruction: Instruction<'_>) -> bool {
    matches!(
        instruction.opcode(),
        LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke
    )
}

/// Ends a block with an `invoke`, whose call was lowered before.
pub(super) fn invoke<'m>(body: &mut Body<'_, 'm>, ways: &[BlockId]) -> Result<Terminator, String> {
    match *ways {
        [normal] => Ok(Terminator::Jump(normal)),
        [normal, landing] => {
            let flag = body.fresh();
            body.emit(thrown(flag));
            Ok(Terminator::Branch {
                condition: Operand::Reg(flag),
                then: landing,
                otherwise: normal,
                unknown: OnUnknown::Stop,
            })
        }
        _ => Err("invoke without a destination".to_owned()),
    }
}

/// Whether an exception is on its way.
pub(super) fn thrown(flag: migfit_schema::program::Reg) -> Op {
    call(vec![flag], vec![Type::Int(1)], THROWN, Vec::new())
}

/// A call of one of the functions by which exceptions are followed.
pub(super) fn call(
    dst: Vec<migfit_schema::program::Reg>,
    results: Vec<Type>,
    name: &str,
    args: Vec<(Operand, Type)>,
) -> Op {
    Op::Call {
        dst,
        results,
        callee: Callee::External(name.to_owned()),
        args,
    }
}

/// Where an exception arrives: which of the types that are caught here it is. A list of types that may pass
/// (`throw(A, B)`) catches nothing here.
pub(super) fn landing<'m>(body: &mut Body<'_, 'm>, pad: Instruction<'m>) -> Result<(), String> {
    let mut caught = Vec::new();
    for index in 0..pad.operand_count() {
        let Some(clause) = pad.operand(index) else {
            continue;
        };
        if !matches!(clause.ty().kind(), TyKind::Array(..)) {
            caught.push((body.scalar(Some(clause))?, Type::Ptr));
        }
    }
    let results = body.lanes(pad.ty()).types();
    let dst = body.registers_of(pad.value());
    body.emit(call(dst, results, LANDING, caught));
    Ok(())
}

/// `llvm.eh.typeid.for`: the number by which a landing tells a type.
pub(super) fn type_number<'m>(body: &mut Body<'_, 'm>, of: Instruction<'m>) -> Result<(), String> {
    let ty = body.scalar(of.operand(0))?;
    let dst = body.registers_of(of.value());
    body.emit(call(
        dst,
        vec![Type::Int(32)],
        TYPE_NUMBER,
        vec![(ty, Type::Ptr)],
    ));
    Ok(())
}

/// An exception goes on behind a landing.
pub(super) fn resume(body: &mut Body<'_, '_>) -> Terminator {
    body.emit(call(Vec::new(), Vec::new(), RESUME, Vec::new()));
    Terminator::Unreachable
}
