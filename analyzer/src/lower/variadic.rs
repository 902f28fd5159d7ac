//! Functions with any number of arguments: a call writes those behind the named ones into memory laid out as the x86-64
//! ABI lays them out (registers as they were saved, then the stack) and passes its address in a parameter of its own;
//! `va_start` makes a list of it. All of it is plain loads and stores: `va_arg` is compiled to such by clang itself.

use super::function::Body;
use super::lanes::Lane;
use super::memory::at;
use crate::ir::view::function::Function;
use crate::ir::view::instruction::Instruction;
use crate::ir::view::value::Value;
use crate::outside;
use migfit_schema::program::{Op, Operand, Reg, Type};

/// Bytes of the saved registers for whole numbers: six.
const WHOLE_END: u64 = 48;
/// Bytes of all saved registers: behind them eight of 16 bytes for floating-point numbers.
const SAVED: u64 = 176;
/// Bytes of a `va_list`: two offsets, the stack's arguments, the saved registers.
const LIST: u64 = 24;

/// How many of the saved bytes named arguments take: offsets of what comes next, as a `va_list` holds them.
#[derive(Clone, Copy, Debug)]
struct Next {
    whole: u64,
    float: u64,
    stack: u64,
}

/// The parameter of a variadic function that tells where its further arguments lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Further {
    register: Reg,
    next: Next,
}

/// Whether calls of a function say where further arguments lie.
pub(super) fn is_told(function: Function<'_>) -> bool {
    function.has_body() && function.signature().is_variadic() && function.name() != outside::TO_TEXT
}

/// The parameter, in `register`.
pub(super) fn further<'m>(body: &Body<'_, 'm>, function: Function<'m>, register: Reg) -> Further {
    let next = behind_named(body, function);
    Further { register, next }
}

/// What named parameters leave: both sides count alike, whatever the ABI makes of structures.
fn behind_named<'m>(body: &Body<'_, 'm>, function: Function<'m>) -> Next {
    let mut next = Next {
        whole: 0,
        float: WHOLE_END,
        stack: SAVED,
    };
    for param in function.params() {
        if let Ok(lanes) = body.lanes(param.ty()).in_memory() {
            next.place(&lanes);
        }
    }
    next.stack = SAVED;
    next
}

impl Next {
    /// Where an argument of these scalars lies.
    fn place(&mut self, lanes: &[Lane]) -> u64 {
        let is_float = |lane: &Lane| matches!(lane.ty, Type::F32 | Type::F64);
        let bytes = lanes.last().map_or(8, |lane| lane.offset + 8) / 8 * 8;
        let (next, end, room) = match lanes.iter().all(is_float) {
            true => (&mut self.float, SAVED, 16),
            false => (&mut self.whole, WHOLE_END, bytes),
        };
        if *next + room <= end {
            let place = *next;
            *next += room;
            return place;
        }
        self.on_stack(bytes, if bytes > 8 { 16 } else { 8 })
    }

    fn on_stack(&mut self, bytes: u64, align: u64) -> u64 {
        let place = self.stack.next_multiple_of(align.max(8));
        self.stack = place + bytes.next_multiple_of(8);
        place
    }
}

/// Writes the arguments behind the named ones, and returns where.
///
/// # Errors
/// When a structure is passed by something that is no address.
pub(super) fn written<'m>(
    body: &mut Body<'_, 'm>,
    call: Instruction<'m>,
    function: Function<'m>,
) -> Result<Operand, String> {
    let mut next = behind_named(body, function);
    let area = body.fresh();
    let named = function.params().len();
    for (position, argument) in (0..).zip(call.arguments()).skip(named) {
        match call.by_value(position) {
            Some(ty) => {
                let bytes = body.layout.size(ty);
                let place = next.on_stack(bytes, u64::from(body.layout.align(ty)));
                let (from, bytes) = (body.scalar(Some(argument))?, Operand::Const(bytes));
                let to = at(body, Operand::Reg(area), place);
                body.emit(Op::MemCopy { to, from, bytes });
            }
            None => write(body, argument, area, &mut next),
        }
    }
    body.emit_at_entry(Op::Alloca {
        dst: area,
        size: next.stack,
        count: Operand::Const(1),
        align: 16,
    });
    Ok(Operand::Reg(area))
}

/// Writes one argument. What has no form (long double) is not written, and so not known.
fn write<'m>(body: &mut Body<'_, 'm>, argument: Value<'m>, area: Reg, next: &mut Next) {
    let Ok(lanes) = body.lanes(argument.ty()).in_memory() else {
        next.on_stack(body.layout.size(argument.ty()), 16);
        return;
    };
    let place = next.place(&lanes);
    for (value, lane) in body.operands(argument).into_iter().zip(lanes) {
        let address = at(body, Operand::Reg(area), place + lane.offset);
        body.emit(Op::Store {
            ty: lane.ty,
            value,
            address,
        });
    }
}

/// `va_start`: the list of the running function's further arguments.
///
/// # Errors
/// In a function that takes none.
pub(super) fn start(body: &mut Body<'_, '_>, list: Operand) -> Result<(), String> {
    let Further { register, next } = body.further.ok_or("va_start without arguments")?;
    let area = Operand::Reg(register);
    let stack = at(body, area, SAVED);
    let int = Type::Int(32);
    for (offset, ty, value) in [
        (0, int, Operand::Const(next.whole)),
        (4, int, Operand::Const(next.float)),
        (8, Type::Ptr, stack),
        (16, Type::Ptr, area),
    ] {
        let address = at(body, list, offset);
        body.emit(Op::Store { ty, value, address });
    }
    Ok(())
}

/// `va_copy`: lists hold only places.
pub(super) fn copy(body: &mut Body<'_, '_>, [to, from]: [Operand; 2]) {
    let bytes = Operand::Const(LIST);
    body.emit(Op::MemCopy { to, from, bytes });
}
