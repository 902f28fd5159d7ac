//! Arithmetic of 16-bit floating-point numbers, one or two in a word: worked out in double precision so that rounding
//! happens once.

use crate::rounded::mode;

/// A format of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 5 bits of exponent, 10 of fraction.
    F16,
    /// 8 bits of exponent, 7 of fraction.
    Bf16,
}

impl Format {
    fn fraction_bits(self) -> i32 {
        match self {
            Format::F16 => 10,
            Format::Bf16 => 7,
        }
    }

    /// Exponent of the least normal number.
    fn least(self) -> i32 {
        match self {
            Format::F16 => -14,
            Format::Bf16 => -126,
        }
    }

    /// The bits of infinity, and of the exponent.
    fn infinity(self) -> u32 {
        match self {
            Format::F16 => 0x7c00,
            Format::Bf16 => 0x7f80,
        }
    }

    /// Its number with these bits.
    #[must_use]
    pub fn widen(self, bits: u32) -> f64 {
        let magnitude = bits & 0x7fff;
        let fraction = self.fraction_bits();
        let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
        if magnitude > self.infinity() {
            return f64::NAN;
        }
        if magnitude == self.infinity() {
            return sign * f64::INFINITY;
        }
        let exponent = (magnitude >> fraction).cast_signed();
        let digits = magnitude & ((1 << fraction) - 1);
        let whole = if exponent == 0 {
            digits
        } else {
            digits | 1 << fraction
        };
        sign * f64::from(whole) * power(exponent.max(1) - 1 + self.least() - fraction)
    }

    /// The bits of a number, rounded as the mode says.
    #[must_use]
    pub fn narrow(self, value: f64, rounding: u32) -> u32 {
        if value.is_nan() {
            return 0x7fff;
        }
        let negative = value.is_sign_negative();
        let sign = u32::from(negative) << 15;
        let magnitude = value.abs();
        if magnitude.is_infinite() {
            return sign | self.infinity();
        }
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        let exponent = exponent.max(self.least());
        let steps = magnitude / power(exponent - self.fraction_bits());
        let up = match rounding {
            mode::NEAREST => steps.round_ties_even(),
            mode::UP if !negative => steps.ceil(),
            mode::DOWN if negative => steps.ceil(),
            _ => steps.floor(),
        };
        let above = (exponent - self.least()).cast_unsigned() << self.fraction_bits();
        let bits = (up as u32).saturating_add(above);
        if bits < self.infinity() {
            return sign | bits;
        }
        let to_infinity = match rounding {
            mode::NEAREST => true,
            mode::UP => !negative,
            mode::DOWN => negative,
            _ => false,
        };
        sign | if to_infinity {
            self.infinity()
        } else {
            self.infinity() - 1
        }
    }
}

/// A power of 2 that is a normal number in double precision.
fn power(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52)
}

/// What is done; compiled code hands it over as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Operation {
    /// A sum.
    Add,
    /// A difference.
    Sub,
    /// A product.
    Mul,
    /// A product and a sum, rounded once.
    Fma,
    /// The other sign.
    Neg,
    /// Without sign.
    Abs,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// Two to that power.
    Ex2,
    /// The hyperbolic tangent.
    Tanh,
}

const OPERATIONS: [(&str, Operation, usize); 10] = [
    ("add", Operation::Add, 2),
    ("sub", Operation::Sub, 2),
    ("mul", Operation::Mul, 2),
    ("fma", Operation::Fma, 3),
    ("neg", Operation::Neg, 1),
    ("abs", Operation::Abs, 1),
    ("min", Operation::Min, 2),
    ("max", Operation::Max, 2),
    ("ex2", Operation::Ex2, 1),
    ("tanh", Operation::Tanh, 1),
];

impl Operation {
    /// The operation of an opcode and count of operands.
    #[must_use]
    pub fn named(name: &str, operands: usize) -> Option<Operation> {
        let found = OPERATIONS
            .iter()
            .find(|one| one.0 == name && one.2 == operands);
        found.map(|one| one.1)
    }
}

/// Bits of the number that says what is done, above the operation.
pub mod flag {
    /// The format is bf16.
    pub const BF16: u32 = 1 << 8;
    /// Two numbers in each word.
    pub const PAIR: u32 = 1 << 9;
    /// Below zero is zero.
    pub const RELU: u32 = 1 << 10;
    /// Held between 0 and 1.
    pub const SATURATE: u32 = 1 << 11;
    /// Subnormal numbers are zero.
    pub const FLUSH: u32 = 1 << 12;
    /// NaN wins over numbers.
    pub const NAN: u32 = 1 << 13;
    /// The largest number in place of infinity.
    pub const FINITE: u32 = 1 << 14;
}

/// Does an operation on one or two numbers in each word.
pub extern "C" fn operate(code: u32, a: u32, b: u32, c: u32) -> u32 {
    let low = lane(code, [a & 0xffff, b & 0xffff, c & 0xffff]);
    match code & flag::PAIR {
        0 => low,
        _ => low | lane(code, [a >> 16, b >> 16, c >> 16]) << 16,
    }
}

fn format(code: u32) -> Format {
    match code & flag::BF16 {
        0 => Format::F16,
        _ => Format::Bf16,
    }
}

fn lane(code: u32, bits: [u32; 3]) -> u32 {
    let format = format(code);
    let operation = OPERATIONS.iter().find(|one| one.1 as u32 == code & 0xff);
    let Some((_, operation, _)) = operation else {
        return 0;
    };
    match operation {
        // These work on bits, so that a NaN stays what it is.
        Operation::Neg => return bits[0] ^ 0x8000,
        Operation::Abs => return bits[0] & 0x7fff,
        _ => {}
    }
    let [a, b, c] = bits.map(|bits| format.widen(flushed(code, format, bits)));
    let value = match operation {
        Operation::Add => odd_sum(a, b),
        Operation::Sub => odd_sum(a, -b),
        Operation::Mul => a * b,
        Operation::Fma => odd_sum(a * b, c),
        Operation::Min => extreme(code, a, b, a < b || a == b && a.is_sign_negative()),
        Operation::Max => extreme(code, a, b, a > b || a == b && a.is_sign_positive()),
        Operation::Ex2 => a.exp2(),
        Operation::Tanh => a.tanh(),
        Operation::Neg | Operation::Abs => a,
    };
    flushed(code, format, finish(code, value, mode::NEAREST))
}

fn flushed(code: u32, format: Format, bits: u32) -> u32 {
    let small = bits & format.infinity() == 0;
    if code & flag::FLUSH != 0 && small {
        bits & 0x8000
    } else {
        bits
    }
}

fn extreme(code: u32, a: f64, b: f64, first: bool) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => {
            if first {
                a
            } else {
                b
            }
        }
        _ if code & flag::NAN != 0 => f64::NAN,
        (true, _) => b,
        (_, true) => a,
    }
}

/// A sum whose last bit says whether something was cut off, so that rounding it to fewer digits is as rounding the
/// exact sum (round to odd).
fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if error == 0.0 || !error.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    // The exact sum lies between two numbers; the sum is the even one of them, the odd one is on the error's side.
    let away = (error > 0.0) == (sum > 0.0);
    let bits = sum.to_bits();
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// A value as its format's bits, held to what the instruction says.
fn finish(code: u32, value: f64, rounding: u32) -> u32 {
    let value = match value {
        value if code & flag::RELU != 0 && value <= 0.0 => 0.0,
        value if code & flag::SATURATE != 0 && value.is_nan() => 0.0,
        value if code & flag::SATURATE != 0 => value.clamp(0.0, 1.0),
        value => value,
    };
    let format = format(code);
    let bits = format.narrow(value, rounding);
    match code & flag::FINITE != 0 && bits & 0x7fff == format.infinity() {
        true => bits - 1,
        false => bits,
    }
}

/// Converts to 16 bits; the code's bits above say how.
pub extern "C" fn convert(code: u32, value: f64, rounding: u32) -> u32 {
    finish(code, value, rounding)
}

/// A number of 16 bits in single precision, which all of them are.
pub extern "C" fn widened(code: u32, bits: u32) -> f32 {
    format(code).widen(bits & 0xffff) as f32
}

/// A 64-bit integer in double precision, the last bit odd where something was cut off.
pub extern "C" fn integer(value: u64, signed: u32) -> f64 {
    let negative = signed != 0 && value >> 63 == 1;
    let magnitude = if negative {
        value.wrapping_neg()
    } else {
        value
    };
    let cut = 11_u32.saturating_sub(magnitude.leading_zeros());
    let rest = u64::from(magnitude & ((1 << cut) - 1) != 0);
    let kept = (magnitude >> cut | rest) as f64 * power(cut.cast_signed());
    if negative { -kept } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_of_16_bits_come_back() {
        for format in [Format::F16, Format::Bf16] {
            for bits in 0..=0xffff {
                let value = format.widen(bits);
                let expected = if value.is_nan() { 0x7fff } else { bits };
                for rounding in [mode::NEAREST, mode::UP, mode::DOWN, mode::ZERO] {
                    assert_eq!(
                        format.narrow(value, rounding),
                        expected,
                        "{format:?} {bits:#x}"
                    );
                }
            }
        }
        for bits in 0..=0xffff_u32 {
            let (found, real) = (Format::Bf16.widen(bits), f32::from_bits(bits << 16));
            assert!(found == f64::from(real) || found.is_nan() && real.is_nan());
        }
        assert_eq!(Format::F16.widen(0xc000), -2.0);
        assert_eq!(Format::F16.widen(0x7bff), 65504.0);
    }

    #[test]
    fn numbers_between_are_rounded_as_asked() {
        let near = |value: f64| Format::F16.narrow(value, mode::NEAREST);
        let next = 1.0 + 2_f64.powi(-10);
        assert_eq!(near((1.0 + next) / 2.0), 0x3c00);
        assert_eq!(near(next + 2_f64.powi(-11)), 0x3c02);
        assert_eq!(
            [near(65519.9), near(65520.0), near(2_f64.powi(-25))],
            [0x7bff, 0x7c00, 0]
        );
        let by = |value: f64, rounding| Format::F16.narrow(value, rounding);
        assert_eq!(
            [
                by(1.0001, mode::UP),
                by(1.0001, mode::DOWN),
                by(1.0001, mode::ZERO)
            ],
            [0x3c01, 0x3c00, 0x3c00]
        );
        assert_eq!(
            [by(-1.0001, mode::UP), by(-1.0001, mode::DOWN)],
            [0xbc00, 0xbc01]
        );
        assert_eq!(
            [by(1e9, mode::ZERO), by(1e9, mode::DOWN), by(1e9, mode::UP)],
            [0x7bff, 0x7bff, 0x7c00]
        );
    }

    #[test]
    fn a_fused_operation_rounds_once() {
        // Half way between two numbers, and a little more or less: what a sum in double precision loses.
        let code = Operation::Fma as u32 | flag::BF16;
        let (a, one) = (0x3f81, 0x3f80);
        let (tiny, minus) = (0x0080, 0x8080);
        let exact = Format::Bf16.widen(a) * Format::Bf16.widen(0x3fc0);
        let middle = Format::Bf16.narrow(exact, mode::NEAREST);
        let (up, down) = (
            operate(code, a, 0x3fc0, tiny),
            operate(code, a, 0x3fc0, minus),
        );
        assert_eq!(up - down, 1);
        assert!(middle == up || middle == down);
        assert_eq!(operate(code, one, one, minus), one);
    }

    #[test]
    fn long_integers_keep_that_something_was_cut_off() {
        assert_eq!(integer(5_u64.wrapping_neg(), 1), -5.0);
        assert_eq!(integer(1 << 63, 0), 2_f64.powi(63));
        assert_eq!(integer(1 << 63 | 1, 0).to_bits() & 1, 1);
    }
}
