//! One scalar: 64 bits and a mark that says whether, and why not, they are known.

use super::mark::Mark;

/// A scalar. Where the mark is hard the bits mean nothing, but for a pointer whose object alone is known
/// (see `Value::somewhere_in`): there they are an address within that object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// Integers zero-extended, floats by their bits.
    pub bits: u64,
    /// `Mark::KNOWN`, or the source of not knowing.
    pub mark: Mark,
}

impl Value {
    /// A known value.
    #[inline(always)]
    pub const fn known(bits: u64) -> Value {
        Value {
            bits,
            mark: Mark::KNOWN,
        }
    }

    /// A value that is not known.
    #[inline(always)]
    pub const fn unknown(mark: Mark) -> Value {
        Value { bits: 0, mark }
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
    pub fn made(bits: u64, mark: Mark) -> Value {
        let bits = if mark.is_hard() { 0 } else { bits };
        Value { bits, mark }
    }

    /// An address of which only the object is known for sure.
    #[inline(always)]
    pub const fn somewhere_in(address: u64, mark: Mark) -> Value {
        Value {
            bits: address,
            mark,
        }
    }

    /// The bits, unless they mean nothing.
    #[inline(always)]
    pub fn get(self) -> Result<u64, Mark> {
        if self.mark.is_hard() {
            Err(self.mark)
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
