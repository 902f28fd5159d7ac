//! Text to number as C does it: strtol, strtod and their relatives.

use super::errno;
use super::float_text::{Float, float};
use super::settings;
use super::table::Family;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Mark;
use crate::machine::step::UNSET;
use crate::machine::value::Value;

/// The models of this file.
pub const MODELS: Family = &[
    ("strtol", strtol),
    ("strtoll", strtol),
    ("strtoimax", strtol),
    ("__isoc23_strtol", strtol),
    ("__isoc23_strtoll", strtol),
    ("strtoul", strtoul),
    ("strtoull", strtoul),
    ("strtoumax", strtoul),
    ("__isoc23_strtoul", strtoul),
    ("__isoc23_strtoull", strtoul),
    ("atoi", atoi),
    ("atol", atol),
    ("atoll", atol),
    ("strtod", strtod),
    ("strtold", strtod),
    ("strtof", strtof),
    ("atof", atof),
    ("abs", abs),
    ("labs", labs),
    ("llabs", labs),
    ("htonl", swap_long),
    ("ntohl", swap_long),
    ("htons", swap_short),
    ("ntohs", swap_short),
];

/// Argument `index`, unknown where the call has fewer.
pub fn arg(args: &[Value], index: usize) -> Value {
    args.get(index).copied().unwrap_or(UNSET)
}

/// A whole number at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Absolute value, saturating.
    pub magnitude: u128,
    /// With a minus sign.
    pub negative: bool,
    /// Bytes used; 0 where there is no number.
    pub used: usize,
}

impl Whole {
    /// As a signed 64-bit number, saturating, as strtol gives it.
    pub fn to_i64(self) -> i64 {
        let magnitude = i128::try_from(self.magnitude).unwrap_or(i128::MAX);
        let number = if self.negative { -magnitude } else { magnitude };
        number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// As an unsigned 64-bit number, as strtoul gives it: saturating, then negated.
    pub fn to_u64(self) -> u64 {
        match u64::try_from(self.magnitude) {
            Ok(number) if self.negative => number.wrapping_neg(),
            Ok(number) => number,
            Err(_) => u64::MAX,
        }
    }
}

/// Reads a whole number as strtol does; base 0 takes the prefix's.
pub fn whole(text: &[u8], base: u32) -> Whole {
    let space = text.iter().take_while(|byte| is_space(**byte)).count();
    let mut at = space;
    let sign = text
        .get(at)
        .copied()
        .filter(|byte| matches!(byte, b'+' | b'-'));
    at += usize::from(sign.is_some());
    let has_prefix = |at: usize| {
        text.get(at) == Some(&b'0')
            && matches!(text.get(at + 1), Some(b'x' | b'X'))
            && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit)
    };
    let base = match base {
        0 | 16 if has_prefix(at) => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base.clamp(2, 36),
    };
    let mut magnitude: u128 = 0;
    let first = at;
    while let Some(digit) = text.get(at).and_then(|byte| (*byte as char).to_digit(base)) {
        magnitude = magnitude
            .saturating_mul(u128::from(base))
            .saturating_add(u128::from(digit));
        at += 1;
    }
    Whole {
        magnitude,
        negative: sign == Some(b'-'),
        used: if at == first { 0 } else { at },
    }
}

/// C's `isspace` in the C locale.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn end_pointer(host: &mut Host<'_>, args: &[Value], used: usize) {
    let (text, end) = (arg(args, 0), arg(args, 1));
    if end != Value::known(0) {
        host.store(end, 8, Value::known(text.bits.wrapping_add(used as u64)));
    }
}

/// The text is not known: neither is where its number ends.
fn spoil_end_pointer(host: &mut Host<'_>, args: &[Value], mark: Mark) {
    if arg(args, 1) != Value::known(0) {
        host.store(arg(args, 1), 8, Value::unknown(mark));
    }
}

fn read_whole(host: &mut Host<'_>, args: &[Value], fits: fn(Whole) -> bool) -> Result<Whole, Halt> {
    let base = arg(args, 2).as_int()?;
    let text = host.text(arg(args, 0)).inspect_err(|mark| {
        spoil_end_pointer(host, args, *mark);
        errno::after_unknown(host, *mark);
    })?;
    let number = whole(&text, u32::try_from(base).unwrap_or(10));
    end_pointer(host, args, number.used);
    errno::after_whole(host, base, fits(number));
    Ok(number)
}

fn strtol(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(
        read_whole(host, args, errno::fits_signed)?.to_i64() as u64,
    ))
}

fn strtoul(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(
        read_whole(host, args, errno::fits_unsigned)?.to_u64(),
    ))
}

fn atoi(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = whole(&host.text(arg(args, 0))?, 10).to_i64();
    Ok(Value::int(number as i32))
}

fn atol(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = whole(&host.text(arg(args, 0))?, 10).to_i64();
    Ok(Value::known(number as u64))
}

/// Reads a floating-point number as strtod does.
fn read_float(host: &mut Host<'_>, args: &[Value]) -> Result<Float, Halt> {
    match host.text(arg(args, 0)) {
        Ok(text) => {
            if let Err(mark) = settings::fraction(host, &text) {
                spoil_end_pointer(host, args, mark);
                return Err(mark.into());
            }
            let number = float(&text);
            errno::after_float(host, &text, &number);
            end_pointer(host, args, number.used);
            Ok(number)
        }
        Err(mark) => {
            spoil_end_pointer(host, args, mark);
            errno::after_unknown(host, mark);
            Err(Halt::from(mark))
        }
    }
}

fn strtod(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::double(read_float(host, args)?.double))
}

fn strtof(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = read_float(host, args)?.single;
    Ok(Value::known(u64::from(number.to_bits())))
}

fn atof(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let text = host.text(arg(args, 0))?;
    settings::fraction(host, &text)?;
    Ok(Value::double(float(&text).double))
}

fn abs(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::int(arg(args, 0).as_int()?.wrapping_abs()))
}

fn labs(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::known(
        (arg(args, 0).get()? as i64).wrapping_abs() as u64
    ))
}

/// Between the order of bytes in networks and that of x86-64.
fn swap_long(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let swapped = (arg(args, 0).get()? as u32).swap_bytes();
    Ok(Value::known(u64::from(swapped)))
}

fn swap_short(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let swapped = (arg(args, 0).get()? as u16).swap_bytes();
    Ok(Value::known(u64::from(swapped)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_read_as_strtol_reads_them() {
        assert_eq!(whole(b"  42abc", 10).to_i64(), 42);
        assert_eq!(whole(b"-7", 10).to_i64(), -7);
        assert_eq!(whole(b"0x1F", 0).to_i64(), 31);
        assert_eq!(
            whole(b"0x", 0),
            Whole {
                magnitude: 0,
                negative: false,
                used: 1
            }
        );
        assert_eq!(whole(b"017", 0).to_i64(), 15);
        assert_eq!(whole(b"", 10).used, 0);
        assert_eq!(whole(b"99999999999999999999", 10).to_i64(), i64::MAX);
        assert_eq!(whole(b"-1", 10).to_u64(), u64::MAX);
    }
}
