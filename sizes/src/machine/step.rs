//! One instruction that is neither a call nor a launch: registers and memory in, registers and memory out.

use super::address::{function_address, global_address};
use super::arithmetic::{self, bytes, signed};
use super::convert;
use super::host::{End, Halt, Host, SEGV};
use super::mark::{Mark, Source};
use super::provenance;
use super::sign;
use super::value::Value;
use migfit_schema::program::{BinaryOp, Cast, Compare, Op, Operand, Reg, Type};

/// Addresses below are those of no object.
const FIRST_PAGE: u64 = 4096;

/// A register that nothing wrote: its instruction was left out.
pub const UNSET: Value = Value::unknown(Mark::LEFT_OUT);

/// The value of an operand.
#[inline(always)]
pub fn value(registers: &[Value], operand: &Operand) -> Value {
    match operand {
        Operand::Reg(index) => registers.get(*index as usize).copied().unwrap_or(UNSET),
        Operand::Const(bits) => Value::known(*bits),
        Operand::Global(global, offset) => Value::known(global_address(*global, *offset)),
        Operand::Function(function) => Value::known(function_address(*function)),
        Operand::Undef => UNSET,
    }
}

/// Writes a register; one that does not exist is ignored.
#[inline(always)]
pub fn set(registers: &mut [Value], index: Reg, value: Value) {
    if let Some(register) = registers.get_mut(index as usize) {
        *register = value;
    }
}

/// Executes one instruction on the registers of the running function.
#[inline(always)]
pub fn step(op: &Op, registers: &mut [Value], host: &mut Host<'_>) -> Result<(), End> {
    match op {
        Op::Binary {
            dst,
            ty,
            op,
            a,
            b,
            no_wrap,
        } => {
            let (x, y) = (value(registers, a), value(registers, b));
            let result = match arithmetic::binary(*op, *ty, x.bits, y.bits) {
                _ if x.mark.with(y.mark) == Mark::ADDRESS => {
                    let plain = |x, y| arithmetic::binary(*op, *ty, x, y);
                    provenance::binary(host, (*op, *ty), (x, y), plain)
                }
                _ if *no_wrap && arithmetic::overflows(*op, *ty, x.bits, y.bits) => {
                    overflowed(host, *op, x, y)
                }
                Some(bits) if x.mark.with(y.mark) == Mark::KNOWN => Value::known(bits),
                bits => binary_with_marks(host, (*op, *ty), (x, y), bits),
            };
            set(registers, *dst, result);
        }
        Op::Compare { dst, ty, op, a, b } => {
            let (x, y) = (value(registers, a), value(registers, b));
            let mark = x.mark.with(y.mark);
            let result = match provenance::has_order(*op, *ty, mark) {
                true => provenance::compare(host, *op, *ty, x, y),
                false if mark != Mark::KNOWN && (x.mark == Mark::SIGN || y.mark == Mark::SIGN) => {
                    sign::compare(*op, *ty, x, y)
                }
                false if mark.is_hard() && x.surely_differs(y, arithmetic::mask(*ty)) => {
                    compare_different(*op, mark)
                }
                false => {
                    let holds = arithmetic::compare(*op, *ty, x.bits, y.bits);
                    Value::made(u64::from(holds), mark)
                }
            };
            set(registers, *dst, result);
        }
        Op::Load { dst, ty, address } => {
            let address = value(registers, address);
            let loaded = if address.mark.is_hard() {
                Value::unknown(address.mark)
            } else {
                load(host, *ty, address.bits)
            };
            if loaded.mark == Mark::OUTSIDE && address.bits < FIRST_PAGE {
                return Err(killed_by_null(address));
            }
            set(registers, *dst, loaded);
        }
        Op::Store {
            ty,
            value: stored,
            address,
        } => {
            let (stored, address) = (value(registers, stored), value(registers, address));
            if address.bits < FIRST_PAGE && !address.mark.is_hard() {
                return Err(killed_by_null(address));
            }
            host.store(address, bytes(*ty), stored);
        }
        Op::Offset {
            dst,
            base,
            constant,
            terms,
        } => {
            let result = offset(registers, value(registers, base), *constant, terms);
            set(registers, *dst, host.number_to_address(result));
        }
        _ => return choose(op, registers, host),
    }
    Ok(())
}

/// Conversions, copies and choices; the rest is rarer.
#[inline(always)]
fn choose(op: &Op, registers: &mut [Value], host: &mut Host<'_>) -> Result<(), End> {
    match op {
        Op::Cast {
            dst,
            kind,
            from,
            to,
            a,
        } => {
            let a = value(registers, a);
            let result = if a.mark.is_hard() {
                cast_unknown(*kind, *to, a)
            } else {
                let a = match a.mark == Mark::SIGN {
                    true => sign::cast(*kind, *from, *to, a).unwrap_or(a),
                    false => a,
                };
                let (plain, done) = cast_address(host, *kind, (*from, *to), a);
                match convert::cast(*kind, *from, *to, plain.bits) {
                    _ if done || plain.mark.is_hard() => plain,
                    Some(bits) => Value::made(bits, plain.mark),
                    None => host.unknown(Source::Undefined(convert::DOES_NOT_FIT.to_owned())),
                }
            };
            set(registers, *dst, result);
        }
        Op::Copy { dst, a, .. } => set(registers, *dst, value(registers, a)),
        Op::Select {
            dst,
            condition,
            a,
            b,
            ..
        } => {
            let (condition, a, b) = (
                value(registers, condition),
                value(registers, a),
                value(registers, b),
            );
            if condition.mark == Mark::STATUS {
                host.notes.see_failures();
            }
            set(registers, *dst, select(condition, a, b));
        }
        _ => return rarer(op, registers, host),
    }
    Ok(())
}

/// The instructions that are met less often.
fn rarer(op: &Op, registers: &mut [Value], host: &mut Host<'_>) -> Result<(), End> {
    match op {
        Op::Unary { dst, ty, op, a } => {
            let a = value(registers, a);
            let a = match a.mark == Mark::ADDRESS {
                true => host.plain_value(a),
                false => sign::plain(a),
            };
            let result = Value::made(arithmetic::unary(*op, *ty, a.bits), a.mark);
            set(registers, *dst, result);
        }
        Op::Alloca {
            dst,
            size,
            count,
            align,
        } => {
            let count = value(registers, count);
            let size = if count.mark.is_hard() {
                0
            } else {
                size.saturating_mul(count.bits)
            };
            host.charge_bytes(size);
            let address = host
                .memory
                .push_stack(size, u64::from(*align))
                .map_err(full)?;
            set(registers, *dst, Value::known(address));
        }
        Op::MemCopy { to, from, bytes } => {
            let (to, from, bytes) = (
                value(registers, to),
                value(registers, from),
                value(registers, bytes),
            );
            host.copy(to, from, bytes);
        }
        Op::MemSet { to, byte, bytes } => {
            let (to, byte, bytes) = (
                value(registers, to),
                value(registers, byte),
                value(registers, bytes),
            );
            host.set(to, byte, bytes);
        }
        Op::Unsupported { dst, what } => {
            let unknown = host.unknown(Source::Unsupported(what.clone()));
            for register in dst {
                set(registers, *register, unknown);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Nothing lies in the first page: whoever goes there is killed.
#[cold]
fn killed_by_null(address: Value) -> End {
    let how = match address.bits {
        0 => "it goes through a null pointer".to_owned(),
        bits => format!("it goes to the address {bits}, through a null pointer"),
    };
    End::Killed { signal: SEGV, how }
}

/// The host's memory limit as an end.
pub fn full(full: super::memory::Full) -> End {
    match Halt::from(full) {
        Halt::End(end) => end,
        Halt::Unknown(_) | Halt::Thrown => End::Died("host memory".to_owned()),
    }
}

#[inline(always)]
fn load(host: &mut Host<'_>, ty: Type, address: u64) -> Value {
    let (loaded, holds_addresses) = host.memory.load_with(address, bytes(ty));
    match ty {
        Type::Ptr => host.number_to_address(loaded),
        Type::Int(_) if loaded.mark.is_hard() => host.memory.load_partly(address, bytes(ty)),
        Type::Int(_) if holds_addresses && !loaded.mark.is_hard() => {
            host.loaded_number(address, ty, loaded)
        }
        Type::Int(width) if width % 8 != 0 => loaded.moved_to(loaded.bits & arithmetic::mask(ty)),
        _ => loaded,
    }
}

/// A result that does not fit where the compiled program need not wrap. An operand that is not known says why before.
#[cold]
fn overflowed(host: &mut Host<'_>, op: BinaryOp, x: Value, y: Value) -> Value {
    let mark = x.mark.with(y.mark);
    let zero = |value: Value| value == Value::known(0);
    if !mark.is_hard() {
        return host.unknown(Source::Overflow);
    }
    match op {
        BinaryOp::Mul if zero(x) || zero(y) => Value::known(0),
        _ => Value::unknown(mark),
    }
}

/// Two numbers that are not known but differ in bits that are: a text that is shorter than the word it is compared in.
#[cold]
fn compare_different(op: Compare, mark: Mark) -> Value {
    match op {
        Compare::Eq => Value::known(0),
        Compare::Ne => Value::known(1),
        _ => Value::unknown(mark),
    }
}

/// Arithmetic with an operand that is not known, or without a result.
fn binary_with_marks(
    host: &mut Host<'_>,
    (op, ty): (BinaryOp, Type),
    (x, y): (Value, Value),
    bits: Option<u64>,
) -> Value {
    let mark = x.mark.with(y.mark);
    let zero = |value: Value| value == Value::known(0);
    match (op, bits) {
        // Nothing times zero is zero, whatever the other is.
        (BinaryOp::Mul, _) if zero(x) || zero(y) => Value::known(0),
        _ if x.mark == Mark::SIGN || y.mark == Mark::SIGN => sign::binary(op, ty, x, y),
        (BinaryOp::And | BinaryOp::Or | BinaryOp::Shl | BinaryOp::LShr, Some(_))
            if mark.is_hard() =>
        {
            bitwise(op, ty, x, y)
        }
        (_, Some(bits)) => Value::made(bits, mark),
        (_, None) if mark.is_hard() => Value::unknown(mark),
        (_, None) => host.unknown(Source::Undefined(format!(
            "{op:?} without a defined result"
        ))),
    }
}

/// A conversion from or to an address, and whether that is all there is to do.
#[inline(always)]
fn cast_address(
    host: &mut Host<'_>,
    kind: Cast,
    (from, to): (Type, Type),
    a: Value,
) -> (Value, bool) {
    match (kind, from, to) {
        (Cast::Bits, Type::Ptr, Type::Int(_)) => (host.address_to_number(a, to), true),
        _ if a.mark != Mark::ADDRESS => (a, false),
        (Cast::Bits, _, Type::Ptr) => (host.number_to_address(a), true),
        (Cast::Bits, _, Type::Int(_)) => (provenance::cut(host, a, to), true),
        _ => (host.plain_value(a), false),
    }
}

/// A cut keeps the bits that it leaves; a pointer keeps its object.
fn cast_unknown(kind: Cast, to: Type, a: Value) -> Value {
    match kind {
        Cast::Bits if a.unknown_bits() == u64::MAX && arithmetic::width(to) == 64 => a,
        Cast::Bits => {
            let mask = arithmetic::mask(to);
            Value::partly(a.known_bits().0 & mask, a.unknown_bits() & mask, a.mark)
        }
        _ => Value::unknown(a.mark),
    }
}

/// Bitwise operations keep what is known of each bit.
fn bitwise(op: BinaryOp, ty: Type, x: Value, y: Value) -> Value {
    let mark = x.mark.with(y.mark);
    let ((x_set, x_clear), (y_set, y_clear)) = (x.known_bits(), y.known_bits());
    let (set, clear) = match (op, y.get().ok().and_then(|by| u32::try_from(by).ok())) {
        (BinaryOp::And, _) => (x_set & y_set, x_clear | y_clear),
        (BinaryOp::Or, _) => (x_set | y_set, x_clear & y_clear),
        (BinaryOp::Shl, Some(by)) => (x_set << by, x_clear << by | ((1 << by) - 1)),
        (BinaryOp::LShr, Some(by)) => (x_set >> by, !(!x_clear >> by)),
        _ => return Value::unknown(mark),
    };
    Value::partly(set, !(set | clear) & arithmetic::mask(ty), mark)
}

#[inline(always)]
fn select(condition: Value, a: Value, b: Value) -> Value {
    if condition.mark.is_hard() {
        return if a == b {
            a
        } else {
            Value::unknown(condition.mark)
        };
    }
    let chosen = if condition.bits & 1 == 1 { a } else { b };
    match condition.mark {
        Mark::ELASTIC => chosen.also(Mark::ELASTIC),
        _ => chosen,
    }
}

#[inline(always)]
fn offset(
    registers: &[Value],
    base: Value,
    constant: i64,
    terms: &[(Operand, Type, i64)],
) -> Value {
    let mut address = base.bits.wrapping_add(constant as u64);
    let mut mark = base.mark;
    for (index, ty, scale) in terms {
        let index = sign::plain(value(registers, index));
        if index.mark.is_hard() {
            mark = mark.with(index.mark);
        } else {
            let by = signed(*ty, index.bits).wrapping_mul(*scale);
            address = address.wrapping_add(by as u64);
            mark = mark.with(index.mark);
        }
    }
    if mark.is_hard() {
        // The object is still the base's; where in it is not known.
        return Value::somewhere_in(base.bits, mark);
    }
    Value::made(address, mark)
}
