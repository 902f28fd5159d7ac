//! Text to floating-point number as glibc's strtod does it: decimal, hexadecimal, infinity, NaN; rounded once to the
//! width asked for. Knows nothing of memory.

use super::number::is_space;

/// A floating-point number at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float {
    /// Rounded to 64 bits.
    pub double: f64,
    /// Rounded to 32 bits.
    pub single: f32,
    /// Bytes used; 0 where there is no number.
    pub used: usize,
}

impl Float {
    const NONE: Float = Float {
        double: 0.0,
        single: 0.0,
        used: 0,
    };

    fn signed(self, negative: bool, before: usize) -> Float {
        let used = self.used + before;
        match negative {
            true => Float {
                double: -self.double,
                single: -self.single,
                used,
            },
            false => Float { used, ..self },
        }
    }
}

/// Reads the longest number at the start of a text.
pub fn float(text: &[u8]) -> Float {
    let space = text.iter().take_while(|byte| is_space(**byte)).count();
    let rest = text.get(space..).unwrap_or_default();
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let body = rest.get(sign..).unwrap_or_default();
    let found = named(body)
        .or_else(|| hexadecimal(body))
        .or_else(|| decimal(body));
    match found {
        Some(number) => number.signed(rest.first() == Some(&b'-'), space + sign),
        None => Float::NONE,
    }
}

/// `infinity`, `inf`, `nan`, `nan(...)` in any case.
fn named(text: &[u8]) -> Option<Float> {
    let starts = |word: &str| {
        let start = text.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let number = |double: f64, used: usize| Float {
        double,
        single: double as f32,
        used,
    };
    if starts("nan") {
        let rest = text.get(3..).unwrap_or_default();
        return Some(number(f64::NAN, 3 + bracketed(rest)));
    }
    let word = ["infinity", "inf"].into_iter().find(|word| starts(word))?;
    Some(number(f64::INFINITY, word.len()))
}

/// Length of the letters, digits and underscores in brackets behind `nan`; 0 where there are none.
fn bracketed(text: &[u8]) -> usize {
    let Some((b'(', inner)) = text.split_first() else {
        return 0;
    };
    let fits = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let len = inner.iter().take_while(fits).count();
    if inner.get(len) == Some(&b')') {
        len + 2
    } else {
        0
    }
}

fn digits(text: &[u8], from: usize, fits: impl Fn(&u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.iter().take_while(|byte| fits(byte)).count()
}

/// Length of an exponent: its letter, a sign, digits; 0 where there is none.
fn exponent_len(text: &[u8], at: usize, letter: u8) -> usize {
    if text.get(at).map(u8::to_ascii_lowercase) != Some(letter) {
        return 0;
    }
    let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
    match digits(text, at + 1 + sign, u8::is_ascii_digit) {
        0 => 0,
        count => 1 + sign + count,
    }
}

/// Length of digits with at most one point among them; 0 where there is no digit.
fn mantissa_len(text: &[u8], from: usize, fits: impl Fn(&u8) -> bool) -> usize {
    let before = digits(text, from, &fits);
    if text.get(from + before) != Some(&b'.') {
        return before;
    }
    let after = digits(text, from + before + 1, &fits);
    if before + after == 0 {
        0
    } else {
        before + 1 + after
    }
}

fn decimal(text: &[u8]) -> Option<Float> {
    let mantissa = mantissa_len(text, 0, u8::is_ascii_digit);
    if mantissa == 0 {
        return None;
    }
    let used = mantissa + exponent_len(text, mantissa, b'e');
    let text = std::str::from_utf8(text.get(..used)?).ok()?;
    Some(Float {
        double: text.parse().ok()?,
        single: text.parse().ok()?,
        used,
    })
}

/// `0x`, hexadecimal digits, a binary exponent behind `p`.
fn hexadecimal(text: &[u8]) -> Option<Float> {
    const PREFIX: usize = 2;
    if !matches!(text, [b'0', b'x' | b'X', ..]) {
        return None;
    }
    let mantissa = mantissa_len(text, PREFIX, u8::is_ascii_hexdigit);
    if mantissa == 0 {
        return None;
    }
    let end = PREFIX + mantissa;
    let exponent = exponent_len(text, end, b'p');
    let number = Binary::read(text.get(PREFIX..end)?, text.get(end..end + exponent)?);
    Some(Float {
        double: number.rounded(53, -1074),
        single: number.rounded(24, -149) as f32,
        used: end + exponent,
    })
}

/// `mantissa * 2^exponent`; the lowest bit is also set where more non-zero bits were cut off.
struct Binary {
    mantissa: u64,
    exponent: i64,
}

impl Binary {
    /// From hexadecimal digits with at most one point, and `p` with digits or nothing.
    fn read(digits: &[u8], exponent: &[u8]) -> Binary {
        // Four bits of room for the next digit.
        const ROOM: u64 = 1 << 60;
        let (mut mantissa, mut scale, mut after_point) = (0u64, 0i64, false);
        for byte in digits {
            let Some(digit) = (*byte as char).to_digit(16) else {
                after_point = true;
                continue;
            };
            if mantissa < ROOM {
                mantissa = mantissa << 4 | u64::from(digit);
                scale -= 4 * i64::from(after_point);
            } else {
                mantissa |= u64::from(digit != 0);
                scale += 4 * i64::from(!after_point);
            }
        }
        Binary {
            mantissa,
            exponent: scale.saturating_add(power_of(exponent)),
        }
    }

    /// The nearest number of so many bits above the least exponent; of two as near, the even one.
    fn rounded(&self, bits: i64, least: i64) -> f64 {
        if self.mantissa == 0 {
            return 0.0;
        }
        let length = 64 - i64::from(self.mantissa.leading_zeros());
        let unit = (self.exponent.saturating_add(length - bits)).max(least);
        let cut = unit.saturating_sub(self.exponent);
        if cut <= 0 {
            return scaled(self.mantissa, self.exponent);
        }
        let Ok(cut) = u32::try_from(cut.min(65)) else {
            return 0.0;
        };
        let whole = self.mantissa.checked_shr(cut).unwrap_or(0);
        let rest = u128::from(self.mantissa) - (u128::from(whole) << cut);
        let half = 1u128 << (cut - 1);
        let up = rest > half || rest == half && whole & 1 == 1;
        scaled(whole + u64::from(up), unit)
    }
}

/// The number behind `p`, cut to what is far beyond every float.
fn power_of(exponent: &[u8]) -> i64 {
    const FAR: i64 = 1 << 40;
    let digits = exponent.iter().filter(|byte| byte.is_ascii_digit());
    let power = digits.fold(0i64, |power, digit| {
        (power * 10 + i64::from(digit - b'0')).min(FAR)
    });
    if exponent.get(1) == Some(&b'-') {
        -power
    } else {
        power
    }
}

/// `mantissa * 2^exponent`, where that is a number of the asked width or beyond the largest.
fn scaled(mantissa: u64, exponent: i64) -> f64 {
    const STEP: i64 = 1000;
    let mut number = mantissa as f64;
    let mut left = exponent.clamp(-4 * STEP, 4 * STEP);
    while left != 0 {
        let by = left.clamp(-STEP, STEP);
        number *= 2f64.powi(by as i32);
        left -= by;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(text: &str) -> (f64, usize) {
        let number = float(text.as_bytes());
        (number.double, number.used)
    }

    #[test]
    fn decimal_floats_read_the_longest_prefix() {
        assert_eq!(double(" 1.5e3x"), (1500.0, 6));
        assert_eq!(double(".5"), (0.5, 2));
        assert_eq!(double("3."), (3.0, 2));
        assert_eq!(double("1e"), (1.0, 1));
        assert_eq!(double("1e+"), (1.0, 1));
        assert_eq!(double("."), (0.0, 0));
        assert_eq!(double("e5"), (0.0, 0));
        assert_eq!(double("-7"), (-7.0, 2));
    }

    #[test]
    fn hexadecimal_floats_are_read() {
        assert_eq!(double("0x1p12"), (4096.0, 6));
        assert_eq!(double("0x1.8p3"), (12.0, 7));
        assert_eq!(double("0x10"), (16.0, 4));
        assert_eq!(double("-0X.8P-1x"), (-0.25, 8));
        assert_eq!(double("0x1.p"), (1.0, 4));
        assert_eq!(double("0x1p+"), (1.0, 3));
        assert_eq!(double("0x"), (0.0, 1));
        assert_eq!(double("0x.p1"), (0.0, 1));
        assert_eq!(double("0x0p99999999999999999999"), (0.0, 24));
        assert_eq!(double("0x1p99999999999999999999").0, f64::INFINITY);
    }

    #[test]
    fn hexadecimal_floats_are_rounded_once_to_the_nearest() {
        let bits = |text: &str| double(text).0.to_bits();
        assert_eq!(bits("0x1.00000000000008p0"), 1f64.to_bits());
        assert_eq!(bits("0x1.000000000000081p0"), 1f64.to_bits() + 1);
        assert_eq!(bits("0x1.00000000000008000000001p0"), 1f64.to_bits() + 1);
        assert_eq!(bits("0x1.00000000000018p0"), 1f64.to_bits() + 2);
        assert_eq!(bits("0x1p-1074"), 1);
        assert_eq!(bits("0x1p-1075"), 0);
        assert_eq!(bits("0x1.1p-1075"), 1);
        assert_eq!(bits("0x1.fffffffffffff8p1023"), f64::INFINITY.to_bits());
        assert_eq!(bits("0x1.fffffffffffffp1023"), f64::MAX.to_bits());
        let single = |text: &str| float(text.as_bytes()).single;
        assert_eq!(single("0x1.000001p0"), 1.0);
        assert_eq!(
            single("0x1.0000010000000000001p0").to_bits(),
            1f32.to_bits() + 1
        );
        assert_eq!(single("0x1p-149").to_bits(), 1);
        assert_eq!(single("0x1p128"), f32::INFINITY);
        // Rounded to 64 bits first, this would end at 1.
        assert_eq!(
            single("1.00000005960464477540").to_bits(),
            1f32.to_bits() + 1
        );
    }

    #[test]
    fn infinity_and_nan_have_names() {
        assert_eq!(double("-inf").0, f64::NEG_INFINITY);
        assert_eq!(double("INFINITYx"), (f64::INFINITY, 8));
        assert_eq!(double("infinit"), (f64::INFINITY, 3));
        for (text, used) in [
            ("nan", 3),
            ("NaN(12_a)", 9),
            ("nan()", 5),
            ("nan(", 3),
            ("nan(-)", 3),
        ] {
            let number = float(text.as_bytes());
            assert!(number.double.is_nan() && number.single.is_nan());
            assert_eq!(number.used, used, "{text}");
        }
    }
}
