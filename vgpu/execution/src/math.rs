//! Functions that compiled code calls for what the code generator does not have.

/// `ex2.approx.f32`.
pub extern "C" fn exp2(x: f32) -> f32 {
    x.exp2()
}

/// `lg2.approx.f32`.
pub extern "C" fn log2(x: f32) -> f32 {
    x.log2()
}

/// `sin.approx.f32`.
pub extern "C" fn sin(x: f32) -> f32 {
    x.sin()
}

/// `cos.approx.f32`.
pub extern "C" fn cos(x: f32) -> f32 {
    x.cos()
}

/// `tanh.approx.f32`.
pub extern "C" fn tanh(x: f32) -> f32 {
    x.tanh()
}

/// `fma.rn.f32` where the processor has no such instruction.
pub extern "C" fn fma_single(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// `fma.rn.f64` where the processor has no such instruction.
pub extern "C" fn fma_double(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// Nanoseconds of the machine's clock.
pub extern "C" fn nanoseconds() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    let passed = START.get_or_init(Instant::now).elapsed();
    u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
}

/// The bits of a half-precision number in single precision.
pub extern "C" fn half_to_single(bits: u32) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15 & 1, bits >> 10 & 31, bits & 0x3ff);
    let sign = sign << 31;
    match exponent {
        // Its subnormal numbers are multiples of 2^-24.
        0 => {
            let value = fraction as f32 * (1.0 / 16_777_216.0);
            f32::from_bits(value.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// The bits of the half-precision number nearest to a double-precision one, ties to even.
pub extern "C" fn double_to_half(value: f64) -> u32 {
    let bits = value.to_bits();
    let sign = (bits >> 63 << 15) as u32;
    let magnitude = value.abs();
    if value.is_nan() {
        return 0x7fff;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The unit in the last place: 2^-24 below 2^-14, else 2^(e - 10).
    let exponent = ((bits >> 52 & 0x7ff) as i32 - 1023).max(-14);
    let unit = f64::from_bits(((exponent - 10 + 1023) as u64) << 52);
    let steps = (magnitude / unit).round_ties_even() as u32;
    sign | (steps + (((exponent + 14) as u32) << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_half_precision_numbers_come_back() {
        for bits in 0..=u32::from(u16::MAX) {
            let value = half_to_single(bits);
            let expected = if value.is_nan() { 0x7fff } else { bits };
            assert_eq!(double_to_half(f64::from(value)), expected, "{bits:#x}");
        }
        assert_eq!(half_to_single(0x3c00), 1.0);
        assert_eq!(half_to_single(0xc000), -2.0);
        assert_eq!(half_to_single(0x7bff), 65504.0);
    }

    #[test]
    fn between_two_half_precision_numbers_the_nearest_or_even_one_is_taken() {
        let next = 1.0 + f64::from(f32::EPSILON) * 8192.0;
        assert_eq!(double_to_half(next), 0x3c01);
        assert_eq!(double_to_half((1.0 + next) / 2.0), 0x3c00);
        assert_eq!(double_to_half((next + next + next - 1.0) / 2.0), 0x3c02);
        assert_eq!(double_to_half(65519.9), 0x7bff);
        assert_eq!(double_to_half(65520.0), 0x7c00);
        assert_eq!(double_to_half(2_f64.powi(-25)), 0);
    }
}
