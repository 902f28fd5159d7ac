//! Numbers of which only the sign is promised: what `strcmp`, `memcmp` and their relatives give where the texts differ.
//! Their bits are -1 or 1. What asks for the sign is known; what asks for more is not.

use super::arithmetic::{signed, width};
use super::mark::Mark;
use super::value::Value;
use migfit_schema::program::{BinaryOp, Cast, Compare, Type};
use std::cmp::Ordering;

/// The result of a comparison of texts.
pub fn of(ordering: Ordering) -> Value {
    match ordering {
        Ordering::Equal => Value::int(0),
        other => Value::int(other as i32).also(Mark::SIGN),
    }
}

/// The sign of a comparison's result, as a number.
pub fn sign(value: Value) -> Result<i32, Mark> {
    match value.mark {
        Mark::SIGN => Ok(value.bits as i32),
        _ => value.as_int(),
    }
}

/// More than the sign is wanted.
pub fn plain(value: Value) -> Value {
    match value.mark {
        Mark::SIGN => Value::unknown(Mark::MAGNITUDE),
        _ => value,
    }
}

/// A comparison one operand of which has no more than a sign; the other has soft marks at most.
pub fn compare(op: Compare, ty: Type, x: Value, y: Value) -> Value {
    let x_signed = x.mark == Mark::SIGN;
    let (value, other) = if x_signed { (x, y) } else { (y, x) };
    let positive = signed(ty, value.bits) > 0;
    let bound = signed(ty, other.bits);
    // Every number of that sign is on the same side of the bound, unless the bound is among them.
    let apart = other.mark != Mark::SIGN && if positive { bound <= 0 } else { bound >= 0 };
    // 1 is the least of the positive numbers, -1 the greatest of the negative ones.
    let at_edge = other.mark != Mark::SIGN && bound == if positive { 1 } else { -1 };
    let flipped = if x_signed { op } else { mirrored(op) };
    let by_edge = match (flipped, positive) {
        (Compare::SLt, true) | (Compare::SGt, false) => Some(false),
        (Compare::SGe, true) | (Compare::SLe, false) => Some(true),
        _ => None,
    };
    let holds = match flipped {
        _ if other.mark.is_hard() => return Value::unknown(other.mark),
        Compare::Eq if apart => false,
        Compare::Ne if apart => true,
        Compare::SLt | Compare::SLe if apart => !positive,
        Compare::SGt | Compare::SGe if apart => positive,
        _ => match by_edge.filter(|_| at_edge) {
            Some(holds) => holds,
            None => return Value::unknown(Mark::MAGNITUDE),
        },
    };
    Value::known(u64::from(holds))
}

/// The comparison with its operands exchanged.
fn mirrored(op: Compare) -> Compare {
    match op {
        Compare::SLt => Compare::SGt,
        Compare::SGt => Compare::SLt,
        Compare::SLe => Compare::SGe,
        Compare::SGe => Compare::SLe,
        other => other,
    }
}

/// Arithmetic that keeps a sign a sign, or asks for it.
pub fn binary(op: BinaryOp, ty: Type, x: Value, y: Value) -> Value {
    let known = |value: Value| value.mark == Mark::KNOWN;
    let top = u64::from(width(ty) - 1);
    let (a, b) = (signed(ty, x.bits), signed(ty, y.bits));
    let with_sign = |sign: i64| {
        let bits = Value::int(sign.signum() as i32).bits;
        let bits = if width(ty) == 64 {
            sign.signum() as u64
        } else {
            bits
        };
        Value::known(bits).also(Mark::SIGN)
    };
    let wide = width(ty) >= 32;
    match op {
        BinaryOp::Sub if wide && x == Value::known(0) => with_sign(-b),
        BinaryOp::Mul if wide && known(y) && b != 0 => with_sign(a * b.signum()),
        BinaryOp::Mul if wide && known(x) && a != 0 => with_sign(b * a.signum()),
        BinaryOp::LShr if y == Value::known(top) => Value::known(u64::from(a < 0)),
        BinaryOp::AShr if y == Value::known(top) => Value::known(if a < 0 {
            super::arithmetic::mask(ty)
        } else {
            0
        }),
        _ => {
            let mark = plain(x).mark.with(plain(y).mark);
            Value::unknown(mark)
        }
    }
}

/// A conversion: of those, widening and cutting to C's `int` keep the sign.
pub fn cast(kind: Cast, from: Type, to: Type, a: Value) -> Option<Value> {
    let keeps = match kind {
        Cast::Sext => true,
        Cast::Bits => width(from) == 64 && to == Type::Int(32),
        _ => false,
    };
    (!keeps).then(|| plain(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Type = Type::Int(32);

    #[test]
    fn the_sign_is_known_and_no_more() {
        let below = of(Ordering::Less);
        let zero = Value::int(0);
        assert_eq!(compare(Compare::SLt, INT, below, zero), Value::known(1));
        assert_eq!(compare(Compare::Eq, INT, below, zero), Value::known(0));
        assert_eq!(compare(Compare::SGt, INT, zero, below), Value::known(1));
        assert_eq!(
            compare(Compare::SLe, INT, below, Value::int(-1)),
            Value::known(1)
        );
        let one = Value::int(-1);
        assert_eq!(compare(Compare::Eq, INT, below, one).mark, Mark::MAGNITUDE);
        assert_eq!(
            compare(Compare::Eq, INT, below, below).mark,
            Mark::MAGNITUDE
        );
        assert_eq!(of(Ordering::Equal), Value::known(0));
        assert_eq!(below.get(), Err(Mark::MAGNITUDE));
        assert_eq!(sign(below), Ok(-1));
    }

    #[test]
    fn a_negated_sign_is_one_and_a_sum_is_none() {
        let below = of(Ordering::Less);
        let above = binary(BinaryOp::Sub, INT, Value::int(0), below);
        assert_eq!(above, of(Ordering::Greater));
        let thrice = binary(BinaryOp::Mul, INT, below, Value::int(-3));
        assert_eq!(thrice, of(Ordering::Greater));
        assert_eq!(
            binary(BinaryOp::LShr, INT, below, Value::int(31)),
            Value::known(1)
        );
        let sum = binary(BinaryOp::Add, INT, below, Value::int(5));
        assert_eq!(sum.mark, Mark::MAGNITUDE);
    }
}
