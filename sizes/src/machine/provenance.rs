//! What a program makes of addresses beside following them. Within one object all is known: differences, order, what
//! its alignment promises. Anything else hangs on where objects lie, which differs from run to run: then an evaluation
//! takes one layout for granted and says that it did (`Host::address_used`), and `evaluation` compares layouts.

use super::address::{number_of, offset_of};
use super::arithmetic::{compare as compare_bits, mask, width};
use super::host::Host;
use super::mark::{Mark, Source};
use super::value::Value;
use migfit_schema::program::{BinaryOp, Compare, Type};

/// Where objects lie. Each of those that are tried is one that a run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Later objects higher, each at the beginning of a page.
    Ascending,
    /// Later objects lower, none aligned to more than it asks for.
    Descending,
    /// In no order.
    Scattered,
    /// Not known: what hangs on it is unknown.
    Open,
}

/// The layouts that are tried, the first one first.
pub const LAYOUTS: [Layout; 3] = [Layout::Ascending, Layout::Descending, Layout::Scattered];

/// From one object to the next, in bytes.
const APART: u64 = 1 << 26;
/// The lowest of all.
const LOW: u64 = 0x5500_0000_0000;
/// So many have places of their own where they lie in no order.
const PLACES: u64 = 1 << 20;
/// Numbers below are no distance between objects.
const NEAR: i64 = 1 << 38;

fn is_near(bits: u64) -> bool {
    (-NEAR..NEAR).contains(&(bits as i64))
}

impl Host<'_> {
    /// An address of the evaluation as a process would have it under the present layout.
    fn real(&self, bits: u64) -> u64 {
        /// Odd, so that multiplying by it gives each number another one.
        const SCATTER: u64 = 0x9_e377;
        let Some((table, number)) = number_of(bits).filter(|_| self.memory.is_address(bits)) else {
            // A sum of several addresses: as good as random.
            let turn = self.layout as u32 * 7 + 5;
            return bits.rotate_left(turn) ^ (bits >> 3);
        };
        let number = number as u64 * 2 + table as u64;
        let unit = 1
            << self
                .memory
                .object(bits)
                .map_or(0, |object| object.alignment);
        let base = match self.layout {
            Layout::Ascending | Layout::Open => LOW + number * APART,
            Layout::Descending => LOW + (PLACES * 16).wrapping_sub(number) * APART + unit,
            Layout::Scattered => {
                let scattered = number.wrapping_mul(SCATTER) % PLACES;
                LOW + scattered * APART + unit * (3 + 2 * (scattered % 29))
            }
        };
        base.wrapping_add(offset_of(bits))
    }

    /// What a number that may stand for an address is in the present layout. None where no layout is taken for granted.
    fn plain(&mut self, value: Value) -> Result<u64, Mark> {
        match value.mark {
            Mark::ADDRESS => {
                self.use_address()?;
                Ok(self.real(value.bits))
            }
            _ => Ok(value.bits),
        }
    }

    /// Something hangs on the layout from here on.
    fn use_address(&mut self) -> Result<(), Mark> {
        match self.layout {
            Layout::Open => Err(self.mark(Source::Address)),
            _ => {
                let place = self.place;
                self.address_used.get_or_insert(place);
                Ok(())
            }
        }
    }

    /// A whole number of which nothing but its value in the present layout is known.
    pub fn plain_value(&mut self, value: Value) -> Value {
        match self.plain(value) {
            Ok(bits) => Value::made(bits, only_elastic(value.mark)),
            Err(mark) => Value::unknown(mark),
        }
    }

    /// A pointer becomes a whole number.
    pub fn address_to_number(&mut self, pointer: Value, to: Type) -> Value {
        if pointer.mark.is_hard() || !self.memory.is_address(pointer.bits) {
            return pointer.moved_to(pointer.bits & mask(to));
        }
        cut(self, Value::made(pointer.bits, Mark::ADDRESS), to)
    }

    /// A whole number that stands for an address becomes a pointer. Where the program computed with addresses, a number
    /// as large as one is an address put together from its parts, and nobody knows of what.
    pub fn number_to_address(&mut self, number: Value) -> Value {
        if number.mark == Mark::ADDRESS && self.memory.is_address(number.bits) {
            return Value::known(number.bits);
        }
        let put_together = self.address_used.is_some()
            && number.mark == Mark::KNOWN
            && !self.memory.is_address(number.bits)
            && (LOW..LOW + PLACES * 32 * APART).contains(&number.bits);
        match put_together {
            true => self.unknown(Source::Address),
            false => number,
        }
    }

    /// What was loaded as a whole number from bytes that may hold addresses.
    pub fn loaded_number(&mut self, at: u64, ty: Type, loaded: Value) -> Value {
        if width(ty) == 64 {
            return match self.memory.is_address(loaded.bits) {
                true => Value::made(loaded.bits, Mark::ADDRESS.with(loaded.mark)),
                false => loaded,
            };
        }
        let word = self.memory.load(at & !7, 8);
        match word.mark.is_hard() || !self.memory.is_address(word.bits) {
            true => loaded,
            false => {
                let shift = 8 * (at & 7);
                let word = self.plain_value(Value::made(word.bits, Mark::ADDRESS));
                word.moved_to((word.bits >> shift) & mask(ty))
            }
        }
    }
}

fn only_elastic(mark: Mark) -> Mark {
    if mark == Mark::ELASTIC {
        mark
    } else {
        Mark::KNOWN
    }
}

/// A number cut to a type.
pub fn cut(host: &mut Host<'_>, number: Value, to: Type) -> Value {
    if width(to) == 64 {
        return number;
    }
    let plain = host.plain_value(number);
    plain.moved_to(plain.bits & mask(to))
}

/// Whether a comparison is one of addresses, and of more than whether they are the same.
#[inline(always)]
pub fn has_order(op: Compare, ty: Type, mark: Mark) -> bool {
    let of_pointers = ty == Type::Ptr && !matches!(op, Compare::Eq | Compare::Ne);
    mark == Mark::ADDRESS || (of_pointers && !mark.is_hard())
}

/// A comparison of pointers, or of numbers one of which stands for an address.
pub fn compare(host: &mut Host<'_>, op: Compare, ty: Type, x: Value, y: Value) -> Value {
    let result = |holds: bool| Value::made(u64::from(holds), only_elastic(x.mark.with(y.mark)));
    if is_certain(host, op, x, y) {
        return result(compare_bits(op, ty, x.bits, y.bits));
    }
    let as_address = |value: Value| match host.memory.is_address(value.bits) {
        true => Value::made(value.bits, Mark::ADDRESS),
        false => value,
    };
    let (x, y) = (as_address(x), as_address(y));
    match (host.plain(x), host.plain(y)) {
        (Ok(x), Ok(y)) => result(compare_bits(op, ty, x, y)),
        (Err(mark), _) | (_, Err(mark)) => Value::unknown(mark),
    }
}

/// Whether a comparison has the same result wherever objects lie.
fn is_certain(host: &Host<'_>, op: Compare, x: Value, y: Value) -> bool {
    /// Below is no address of a program, nor is one above the negative of it.
    const FIRST_PAGE: i64 = 4096;
    let outside = |bits: u64| (-FIRST_PAGE..FIRST_PAGE).contains(&(bits as i64));
    let is_address = |value: Value| host.memory.is_address(value.bits);
    let is_number = |value: Value| value.mark != Mark::ADDRESS && !is_address(value);
    let asks_equality = matches!(op, Compare::Eq | Compare::Ne);
    let same_object = number_of(x.bits).is_some() && number_of(x.bits) == number_of(y.bits);
    match (is_address(x), is_address(y)) {
        _ if x.bits == y.bits || (is_number(x) && is_number(y)) => true,
        (true, true) => asks_equality || same_object,
        (true, false) if is_number(y) => asks_equality || outside(y.bits),
        (false, true) if is_number(x) => asks_equality || outside(x.bits),
        // The difference of two objects is not zero; more is not known of it.
        _ => asks_equality && (x.bits == 0 || y.bits == 0),
    }
}

/// Arithmetic one of whose operands stands for an address. `plain`: the result for plain numbers.
pub fn binary(
    host: &mut Host<'_>,
    (op, ty): (BinaryOp, Type),
    (x, y): (Value, Value),
    plain: impl Fn(u64, u64) -> Option<u64>,
) -> Value {
    if is_neutral(op, ty, y) {
        return x;
    }
    let own = plain(x.bits, y.bits);
    if let Some(sum) = own.filter(|_| is_linear(op, y)) {
        let both = x.mark == Mark::ADDRESS && y.mark == Mark::ADDRESS;
        let apart = both && op == BinaryOp::Sub && !is_near(sum);
        if !apart {
            let mark = if is_near(sum) {
                Mark::KNOWN
            } else {
                Mark::ADDRESS
            };
            return Value::made(sum, mark);
        }
    }
    if y.mark == Mark::KNOWN
        && let Some(value) = aligned(host, op, x, y.bits)
    {
        return value;
    }
    match (host.plain(x), host.plain(y)) {
        (Ok(x), Ok(y)) if width(ty) == 64 => match plain(x, y) {
            Some(bits) => Value::known(bits),
            None => host.unknown(Source::Undefined(format!(
                "{op:?} without a defined result"
            ))),
        },
        (Ok(_), Ok(_)) => host.unknown(Source::Address),
        (Err(mark), _) | (_, Err(mark)) => Value::unknown(mark),
    }
}

/// Whether the operation gives what it is given: halves of wide numbers are moved by 0.
fn is_neutral(op: BinaryOp, ty: Type, y: Value) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr => y == Value::known(0),
        BinaryOp::Mul | BinaryOp::UDiv => y == Value::known(1),
        BinaryOp::And => y == Value::known(mask(ty)),
        _ => false,
    }
}

/// Whether the operation keeps sums of addresses what they are.
fn is_linear(op: BinaryOp, y: Value) -> bool {
    let negates = y == Value::known(u64::MAX);
    match op {
        BinaryOp::Add | BinaryOp::Sub => true,
        BinaryOp::Mul | BinaryOp::Xor => negates,
        _ => false,
    }
}

/// What the alignment of the object decides, and rounding down to more than that.
fn aligned(host: &mut Host<'_>, op: BinaryOp, x: Value, by: u64) -> Option<Value> {
    let object = host
        .memory
        .object(x.bits)
        .filter(|_| host.memory.is_address(x.bits))?;
    let promised = (1u64 << object.alignment) - 1;
    let low = x.bits & promised;
    let address = |bits| Some(Value::made(bits, Mark::ADDRESS));
    match op {
        BinaryOp::URem if by.is_power_of_two() && by - 1 <= promised => {
            Some(Value::known(low & (by - 1)))
        }
        BinaryOp::And if by <= promised => Some(Value::known(low & by)),
        BinaryOp::And if !by <= promised => address(x.bits & by),
        BinaryOp::Or if by <= promised => address(x.bits | by),
        BinaryOp::Xor if by <= promised => address(x.bits ^ by),
        BinaryOp::And if is_low_mask(!by) => {
            // Rounded down: as far below as in the present layout.
            let real = host.plain(x).ok()?;
            address(x.bits.wrapping_sub(real & !by))
        }
        _ => None,
    }
}

fn is_low_mask(bits: u64) -> bool {
    bits.wrapping_add(1).is_power_of_two()
}
