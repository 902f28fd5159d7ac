//! One scalar: 64 bits and a mark that says whether, and why not, they are known.

use super::mark::Mark;

/// A scalar. Where the mark is hard, the bits from `low` to below `high` are not known and those outside are:
/// half of a packed `dim3` may be known. A pointer of which only the object is known has an address within that
/// object as its bits, all of them "not known" (see `Value::somewhere_in`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Integers zero-extended, floats by their bits.
    pub bits: u64,
    /// `Mark::KNOWN`, or the source of not knowing.
    pub mark: Mark,
    low: u8,
    high: u8,
}

impl Value {
    /// A known value.
    #[inline(always)]
    pub const fn known(bits: u64) -> Value {
        Value {
            bits,
            mark: Mark::KNOWN,
            low: 0,
            high: 0,
        }
    }

    /// A value that is not known.
    #[inline(always)]
    pub const fn unknown(mark: Mark) -> Value {
        Value::somewhere_in(0, mark)
    }

    /// A known 64-bit float.
    pub fn double(number: f64) -> Value {
        Value::known(number.to_bits())
    }

    /// A known 32-bit signed integer, as C's `int` travels.
    pub fn int(number: i32) -> Value {
        Value::known(u64::from(number as u32))
    }

    /// Bits with the mark of what they were made from: a hard mark empties them.
    #[inline(always)]
    pub const fn made(bits: u64, mark: Mark) -> Value {
        if mark.is_hard() {
            return Value::unknown(mark);
        }
        Value {
            bits,
            mark,
            low: 0,
            high: 0,
        }
    }

    /// An address of which only the object is known for sure.
    #[inline(always)]
    pub const fn somewhere_in(address: u64, mark: Mark) -> Value {
        Value {
            bits: address,
            mark,
            low: 0,
            high: 64,
        }
    }

    /// A value of which some bits (those set in `unknown`) are not known; the range around them is given up.
    pub fn partly(bits: u64, unknown: u64, mark: Mark) -> Value {
        if unknown == 0 {
            return Value::known(bits);
        }
        let (low, high) = (unknown.trailing_zeros(), 64 - unknown.leading_zeros());
        let mut value = Value {
            bits,
            mark,
            low: low as u8,
            high: high as u8,
        };
        value.bits &= !value.unknown_bits();
        value
    }

    /// The bits that are not known.
    pub fn unknown_bits(self) -> u64 {
        if matches!(self.mark, Mark::ADDRESS | Mark::SIGN) {
            return u64::MAX;
        }
        let below = |end: u8| 1u64.checked_shl(end.into()).map_or(u64::MAX, |bit| bit - 1);
        below(self.high) & !below(self.low)
    }

    /// The bits that are known to be set, and those known to be clear.
    pub fn known_bits(self) -> (u64, u64) {
        let known = !self.unknown_bits();
        (self.bits & known, !self.bits & known)
    }

    /// Whether bits within `mask` that are known of both are not the same.
    pub fn surely_differs(self, other: Value, mask: u64) -> bool {
        let ((set, clear), (other_set, other_clear)) = (self.known_bits(), other.known_bits());
        (set & other_clear | clear & other_set) & mask != 0
    }

    /// The same value where a soft mark comes in addition.
    #[inline(always)]
    pub const fn also(self, mark: Mark) -> Value {
        if mark.0 > self.mark.0 {
            Value { mark, ..self }
        } else {
            self
        }
    }

    /// The same knowledge with other bits.
    pub const fn moved_to(self, bits: u64) -> Value {
        Value { bits, ..self }
    }

    /// The bits, unless they mean nothing.
    #[inline(always)]
    pub fn get(self) -> Result<u64, Mark> {
        if self.mark.is_hard() {
            Err(self.mark)
        } else if self.mark == Mark::ADDRESS {
            Err(Mark::HOLDS_ADDRESS)
        } else if self.mark == Mark::SIGN {
            Err(Mark::MAGNITUDE)
        } else {
            Ok(self.bits)
        }
    }

    /// The low 32 bits as C's `int`.
    pub fn as_int(self) -> Result<i32, Mark> {
        self.get().map(|bits| bits as i32)
    }

    /// As a 64-bit float.
    pub fn as_double(self) -> Result<f64, Mark> {
        self.get().map(f64::from_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_known_value_keeps_its_known_half() {
        let mark = Mark::UNWRITTEN;
        let half = Value::partly(7 << 32 | 5, 0xffff_ffff, mark);
        assert_eq!(half.bits, 7 << 32);
        assert_eq!(half.get(), Err(mark));
        assert_eq!(half.known_bits().0, 7 << 32);
        assert_eq!(Value::partly(5, 0, mark), Value::known(5));
        assert_eq!(Value::unknown(mark).known_bits(), (0, 0));
        assert_eq!(Value::known(3).known_bits(), (3, !3));
    }

    #[test]
    fn known_bits_tell_values_apart_that_are_not_known() {
        // "real" and what nothing wrote behind it, against "pattern".
        let short = Value::partly(0x6c61_6572, 0xffff_ff00_0000_0000, Mark::UNWRITTEN);
        let other = Value::known(u64::from_le_bytes(*b"pattern\0"));
        assert!(short.surely_differs(other, u64::MAX));
        assert!(!short.surely_differs(Value::known(0x6c61_6572), u64::MAX));
        assert!(!Value::unknown(Mark::UNWRITTEN).surely_differs(other, u64::MAX));
    }
}
