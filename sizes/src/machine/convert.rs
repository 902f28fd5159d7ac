//! Conversions between types, as the x86-64 code that clang makes does them where LLVM leaves the result open.

use super::arithmetic::{as_f64, mask, signed, width};
use migfit_schema::program::{Cast, Type};

/// The bits of `a`, of type `from`, as type `to`.
#[inline(always)]
pub fn cast(kind: Cast, from: Type, to: Type, a: u64) -> u64 {
    match kind {
        Cast::Bits => a & mask(to),
        Cast::Sext => signed(from, a) as u64 & mask(to),
        Cast::UToF if to == Type::F32 => u64::from((a as f32).to_bits()),
        Cast::UToF => (a as f64).to_bits(),
        Cast::SToF if to == Type::F32 => u64::from((signed(from, a) as f32).to_bits()),
        Cast::SToF => (signed(from, a) as f64).to_bits(),
        Cast::FToS => float_to_signed(as_f64(from, a), width(to)) & mask(to),
        Cast::FToU => float_to_unsigned(as_f64(from, a), width(to)) & mask(to),
        Cast::FToF if to == Type::F32 => u64::from((as_f64(from, a) as f32).to_bits()),
        Cast::FToF => as_f64(from, a).to_bits(),
    }
}

/// cvttsd2si: what does not fit gives the smallest number of the register used (32 or 64 bits).
fn float_to_signed(number: f64, width: u32) -> u64 {
    let (least, limit) = if width <= 32 {
        (f64::from(i32::MIN), 2_147_483_648.0)
    } else {
        (i64::MIN as f64, 9_223_372_036_854_775_808.0)
    };
    if number.is_nan() || number.trunc() < least || number >= limit {
        return least as i64 as u64;
    }
    number as i64 as u64
}

/// Narrow ones go through the signed 64-bit conversion; 64-bit ones through two of them.
fn float_to_unsigned(number: f64, width: u32) -> u64 {
    if width < 64 || number < 9_223_372_036_854_775_808.0 {
        return float_to_signed(number, 64);
    }
    float_to_signed(number - 9_223_372_036_854_775_808.0, 64) ^ (1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_f64(kind: Cast, to: Type, number: f64) -> u64 {
        cast(kind, Type::F64, to, number.to_bits())
    }

    #[test]
    fn floats_that_do_not_fit_give_what_the_processor_gives() {
        assert_eq!(from_f64(Cast::FToS, Type::Int(32), 3e9), 0x8000_0000);
        assert_eq!(
            from_f64(Cast::FToS, Type::Int(32), -2_147_483_648.5),
            0x8000_0000
        );
        assert_eq!(from_f64(Cast::FToU, Type::Int(32), 3e9), 3_000_000_000);
        assert_eq!(from_f64(Cast::FToU, Type::Int(32), -1.0), 0xffff_ffff);
        assert_eq!(
            from_f64(Cast::FToU, Type::Int(64), 1e19),
            10_000_000_000_000_000_000
        );
        assert_eq!(from_f64(Cast::FToS, Type::Int(64), f64::NAN), 1 << 63);
    }

    #[test]
    fn whole_numbers_become_floats_of_the_asked_width() {
        assert_eq!(
            cast(Cast::SToF, Type::Int(32), Type::F32, 0xffff_ffff),
            u64::from((-1.0f32).to_bits())
        );
        assert_eq!(
            cast(Cast::UToF, Type::Int(32), Type::F64, 16_777_217),
            16_777_217f64.to_bits()
        );
        assert_eq!(
            cast(Cast::Sext, Type::Int(8), Type::Int(32), 0x80),
            0xffff_ff80
        );
    }
}
