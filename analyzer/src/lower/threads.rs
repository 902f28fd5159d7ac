//! The C++ library's threads as plain calls: a thread runs to its end where it is started. What `std::call_once` runs is called through the
//! library's own variable.

use super::function::Body;
use super::unwind::call;
use crate::ir::view::instruction::Instruction;
use crate::ir::view::value::Value;
use crate::outside::{THREAD_BEGINS, THREAD_ENDS};
use migfit_schema::program::{Callee, Op, Operand, Type};

/// How the C++ library's function that starts a thread begins: (thread, where the pointer to its state lies, unused).
const START: &str = "_ZNSt6thread15_M_start_threadE";
/// In the table of a state: two destructors, then what runs.
const RUN: i64 = 16;
/// The C++ library's function that calls what `call_once` was given, and the variable that it finds that in.
const ONCE_PROXY: &str = "__once_proxy";
const ONCE_CALL: &str = "_ZSt11__once_call";

/// Lowers a call that starts a thread. False: it is none.
///
/// # Errors
/// When an argument has no form here.
pub(super) fn start<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    name: &str,
) -> Result<bool, String> {
    let starts = name.starts_with(START);
    if starts {
        standard(body, call)?;
    }
    Ok(starts)
}

fn standard<'m>(body: &mut Body<'_, 'm>, started: Instruction<'m>) -> Result<(), String> {
    let arguments: Vec<Value<'m>> = started.arguments();
    let thread = body.scalar(arguments.first().copied())?;
    let holder = body.scalar(arguments.get(1).copied())?;
    let state = load(body, holder);
    let table = load(body, state);
    let place = body.fresh();
    body.emit(Op::Offset {
        dst: place,
        base: table,
        constant: RUN,
        terms: Vec::new(),
    });
    let function = load(body, Operand::Reg(place));
    number(body, thread);
    // The state is the thread's from here on.
    body.emit(Op::Store {
        ty: Type::Ptr,
        value: Operand::Const(0),
        address: holder,
    });
    run(body, function, state);
    Ok(())
}

/// Any number but zero, which stands for no thread.
fn number(body: &mut Body<'_, '_>, thread: Operand) {
    body.emit(Op::Store {
        ty: Type::Int(64),
        value: Operand::Const(1),
        address: thread,
    });
}

fn load(body: &mut Body<'_, '_>, address: Operand) -> Operand {
    let dst = body.fresh();
    body.emit(Op::Load {
        dst,
        ty: Type::Ptr,
        address,
    });
    Operand::Reg(dst)
}

fn run(body: &mut Body<'_, '_>, function: Operand, argument: Operand) {
    body.emit(call(Vec::new(), Vec::new(), THREAD_BEGINS, Vec::new()));
    body.emit(Op::Call {
        dst: Vec::new(),
        results: Vec::new(),
        callee: Callee::Indirect(function),
        args: vec![(argument, Type::Ptr)],
    });
    body.emit(call(Vec::new(), Vec::new(), THREAD_ENDS, Vec::new()));
}

/// What a function of the library does that is only known by what it calls. False: it is no such function.
pub(super) fn forward(body: &mut Body<'_, '_>, name: &str) -> bool {
    let variable = (name == ONCE_PROXY)
        .then(|| body.program.global_named(ONCE_CALL))
        .flatten();
    let Some(variable) = variable else {
        return false;
    };
    let function = load(body, Operand::Global(variable, 0));
    body.emit(Op::Call {
        dst: Vec::new(),
        results: Vec::new(),
        callee: Callee::Indirect(function),
        args: Vec::new(),
    });
    true
}
