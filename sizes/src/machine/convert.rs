//! Conversions between types. A float that does not fit a whole number has no result: what the compiled program
//! gets depends on the processor and on what the compiler made of the conversion.

use super::arithmetic::{as_f64, mask, signed, width};
use migfit_schema::program::{Cast, Type};

/// What a conversion without a result is called.
pub const DOES_NOT_FIT: &str =
    "a number that does not fit the whole number that it is converted to";

/// The bits of `a`, of type `from`, as type `to`; none for a float that does not fit.
#[inline(always)]
pub fn cast(kind: Cast, from: Type, to: Type, a: u64) -> Option<u64> {
    let bits = match kind {
        Cast::Bits => a & mask(to),
        Cast::Sext => signed(from, a) as u64 & mask(to),
        Cast::UToF if to == Type::F32 => u64::from((a as f32).to_bits()),
        Cast::UToF => (a as f64).to_bits(),
        Cast::SToF if to == Type::F32 => u64::from((signed(from, a) as f32).to_bits()),
        Cast::SToF => (signed(from, a) as f64).to_bits(),
        Cast::FToS => float_to_signed(as_f64(from, a), width(to))? as u64 & mask(to),
        Cast::FToU => float_to_unsigned(as_f64(from, a), width(to))?,
        Cast::FToF if to == Type::F32 => u64::from((as_f64(from, a) as f32).to_bits()),
        Cast::FToF => as_f64(from, a).to_bits(),
    };
    Some(bits)
}

/// Two to the power of `bits`, of which there are 64 at most.
fn power(bits: u32) -> f64 {
    (1u128 << bits) as f64
}

/// The whole part of a number as a signed number of so many bits, where it fits.
pub fn float_to_signed(number: f64, width: u32) -> Option<i64> {
    let (whole, limit) = (number.trunc(), power(width - 1));
    (whole >= -limit && whole < limit).then_some(whole as i64)
}

fn float_to_unsigned(number: f64, width: u32) -> Option<u64> {
    let whole = number.trunc();
    (whole >= 0.0 && whole < power(width)).then_some(whole as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_f64(kind: Cast, to: Type, number: f64) -> Option<u64> {
        cast(kind, Type::F64, to, number.to_bits())
    }

    #[test]
    fn floats_that_do_not_fit_have_no_result() {
        let (int, long) = (Type::Int(32), Type::Int(64));
        assert_eq!(from_f64(Cast::FToS, int, 3e9), None);
        assert_eq!(from_f64(Cast::FToS, int, -2_147_483_648.5), Some(1 << 31));
        assert_eq!(
            from_f64(Cast::FToS, int, 2_147_483_647.9),
            Some(0x7fff_ffff)
        );
        assert_eq!(from_f64(Cast::FToU, int, 3e9), Some(3_000_000_000));
        assert_eq!(from_f64(Cast::FToU, int, -0.5), Some(0));
        assert_eq!(from_f64(Cast::FToU, int, -1.0), None);
        assert_eq!(
            from_f64(Cast::FToU, long, 1e19),
            Some(10_000_000_000_000_000_000)
        );
        assert_eq!(from_f64(Cast::FToU, long, 1e30), None);
        assert_eq!(from_f64(Cast::FToS, long, -9.3e18), None);
        assert_eq!(from_f64(Cast::FToS, Type::Int(8), 200.0), None);
        assert_eq!(from_f64(Cast::FToS, long, f64::NAN), None);
    }

    #[test]
    fn whole_numbers_become_floats_of_the_asked_width() {
        assert_eq!(
            cast(Cast::SToF, Type::Int(32), Type::F32, 0xffff_ffff),
            Some(u64::from((-1.0f32).to_bits()))
        );
        assert_eq!(
            cast(Cast::UToF, Type::Int(32), Type::F64, 16_777_217),
            Some(16_777_217f64.to_bits())
        );
        assert_eq!(
            cast(Cast::Sext, Type::Int(8), Type::Int(32), 0x80),
            Some(0xffff_ff80)
        );
    }
}
