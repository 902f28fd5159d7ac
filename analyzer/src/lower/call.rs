//! Calls: of functions with a body, of functions outside, through pointers, of kernels' stubs, of intrinsics.

use super::function::Body;
use super::{intrinsic, threads, variadic};
use crate::ir::view::function::Function;
use crate::ir::view::instruction::Instruction;
use crate::ir::view::value::{Value, ValueKind};
use crate::outside;
use migfit_schema::program::{Callee, Op, Operand, Type};

/// Lowers a `call` or the call of an `invoke`.
pub(super) fn lower<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>) -> Result<(), String> {
    let callee = call.callee().ok_or("call of nothing")?;
    if callee.kind() == ValueKind::InlineAsm {
        return assembly(call, &callee.assembly());
    }
    let Some(function) = callee.as_function() else {
        let pointer = body.scalar(Some(callee))?;
        return plain(body, call, Callee::Indirect(pointer));
    };
    if let Some(name) = function.intrinsic() {
        return intrinsic::lower(body, call, &name);
    }
    let name = function.name();
    if let Some(kernel) = body.program.facts.stubs.get(&name).copied() {
        body.emit(Op::Launch { kernel });
        return Ok(());
    }
    if !function.has_body() && threads::start(body, call, &name)? {
        return Ok(());
    }
    if variadic::is_told(function) {
        return variadic_call(body, call, function);
    }
    let callee = if function.has_body() && name != outside::TO_TEXT {
        Callee::Function(body.program.function(function))
    } else {
        Callee::External(name)
    };
    plain(body, call, callee)
}

/// The named arguments, then where the others lie.
fn variadic_call<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    function: Function<'m>,
) -> Result<(), String> {
    let further = variadic::written(body, call, function)?;
    let callee = Callee::Function(body.program.function(function));
    with(body, call, callee, Some((function.params().len(), further)))
}

/// An empty piece of assembly only keeps the compiler from moving code.
fn assembly(call: Instruction<'_>, text: &str) -> Result<(), String> {
    if text.trim().is_empty() && call.ty().kind() == crate::ir::view::types::TyKind::Void {
        return Ok(());
    }
    Err(format!("inline assembly `{}`", text.trim()))
}

fn plain<'m>(body: &mut Body<'_, 'm>, call: Instruction<'m>, callee: Callee) -> Result<(), String> {
    with(body, call, callee, None)
}

/// A call with all its arguments, or with so many and where the further ones lie.
fn with<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    callee: Callee,
    further: Option<(usize, Operand)>,
) -> Result<(), String> {
    let mut args = Vec::new();
    let named = further.map_or(usize::MAX, |(named, _)| named);
    for (position, argument) in (0..).zip(call.arguments()).take(named) {
        match call.by_value(position) {
            Some(ty) => args.push((copied(body, argument, body.layout.size(ty))?, Type::Ptr)),
            None => {
                let types = body.lanes(argument.ty()).types();
                args.extend(body.operands(argument).into_iter().zip(types));
            }
        }
    }
    args.extend(further.map(|(_, area)| (area, Type::Ptr)));
    // A result without form (long double) keeps its register: the call and its effects must not vanish.
    let results = body.lanes(call.ty()).types();
    let dst = body.registers_of(call.value());
    body.emit(Op::Call {
        dst,
        results,
        callee,
        args,
    });
    Ok(())
}

/// A copy of an argument that the callee may change.
fn copied<'m>(body: &mut Body<'_, 'm>, argument: Value<'m>, size: u64) -> Result<Operand, String> {
    let from = body.scalar(Some(argument))?;
    let dst = body.fresh();
    let count = Operand::Const(1);
    body.emit_at_entry(Op::Alloca {
        dst,
        size,
        count,
        align: 16,
    });
    let (to, bytes) = (Operand::Reg(dst), Operand::Const(size));
    body.emit(Op::MemCopy { to, from, bytes });
    Ok(to)
}
