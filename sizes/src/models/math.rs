//! The math library, by Rust's functions, which end in the same C library or are exact; what is neither is unknown.

use super::number::arg;
use super::table::Family;
use crate::machine::convert;
use crate::machine::host::{Halt, Host};
use crate::machine::mark::Source;
use crate::machine::value::Value;

/// Defines a model of one or two floating-point arguments in both widths.
macro_rules! models {
    ($($name:literal, $name32:literal => $double:ident, $single:ident: |$($x:ident),+| $result:expr;)*) => {
        /// The models of this file.
        pub const MODELS: Family = &[$(($name, $double), ($name32, $single),)*
            ("cbrt", cube_root), ("cbrtf", cube_root_single), ("lround", lround), ("lroundf", lroundf), ("llround", lround), ("lrint", lrint), ("llrint", lrint),
            ("ldexp", scaled), ("scalbn", scaled), ("scalbln", scaled), ("ldexpf", scaled_single), ("scalbnf", scaled_single),
            ("fma", fused), ("fmaf", fused_single),
            ("frexp", fraction), ("frexpf", fraction_single), ("modf", whole_part), ("modff", whole_part_single)];
        $(
            fn $double(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
                let mut next = args.iter();
                $(let $x: f64 = double_arg(next.next())?;)+
                Ok(Value::double($result))
            }
            fn $single(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
                let mut next = args.iter();
                $(let $x: f32 = single_arg(next.next())?;)+
                let result: f32 = $result;
                Ok(Value::known(u64::from(result.to_bits())))
            }
        )*
    };
}

/// True for a function of this file.
pub fn is_model(name: &str) -> bool {
    MODELS.iter().any(|(model, _)| *model == name)
}

fn double_arg(value: Option<&Value>) -> Result<f64, Halt> {
    Ok(arg(value.map_or(&[], std::slice::from_ref), 0).as_double()?)
}

fn single_arg(value: Option<&Value>) -> Result<f32, Halt> {
    let bits = arg(value.map_or(&[], std::slice::from_ref), 0).get()?;
    Ok(f32::from_bits(bits as u32))
}

models! {
    "sqrt", "sqrtf" => sqrt, sqrtf: |x| x.sqrt();
    "ceil", "ceilf" => ceil, ceilf: |x| x.ceil();
    "floor", "floorf" => floor, floorf: |x| x.floor();
    "trunc", "truncf" => trunc, truncf: |x| x.trunc();
    "round", "roundf" => round, roundf: |x| x.round();
    "rint", "rintf" => rint, rintf: |x| x.round_ties_even();
    "nearbyint", "nearbyintf" => nearbyint, nearbyintf: |x| x.round_ties_even();
    "fabs", "fabsf" => fabs, fabsf: |x| x.abs();
    "exp", "expf" => exp, expf: |x| x.exp();
    "exp2", "exp2f" => exp2, exp2f: |x| x.exp2();
    "expm1", "expm1f" => expm1, expm1f: |x| x.exp_m1();
    "log", "logf" => log, logf: |x| x.ln();
    "log2", "log2f" => log2, log2f: |x| x.log2();
    "log10", "log10f" => log10, log10f: |x| x.log10();
    "log1p", "log1pf" => log1p, log1pf: |x| x.ln_1p();
    "sin", "sinf" => sin, sinf: |x| x.sin();
    "cos", "cosf" => cos, cosf: |x| x.cos();
    "tan", "tanf" => tan, tanf: |x| x.tan();
    "asin", "asinf" => asin, asinf: |x| x.asin();
    "acos", "acosf" => acos, acosf: |x| x.acos();
    "atan", "atanf" => atan, atanf: |x| x.atan();
    "sinh", "sinhf" => sinh, sinhf: |x| x.sinh();
    "cosh", "coshf" => cosh, coshf: |x| x.cosh();
    "tanh", "tanhf" => tanh, tanhf: |x| x.tanh();
    "pow", "powf" => pow, powf: |x, y| x.powf(y);
    "fmod", "fmodf" => fmod, fmodf: |x, y| x % y;
    "fmin", "fminf" => fmin, fminf: |x, y| x.min(y);
    "fmax", "fmaxf" => fmax, fmaxf: |x, y| x.max(y);
    "atan2", "atan2f" => atan2, atan2f: |x, y| x.atan2(y);
    "hypot", "hypotf" => hypot, hypotf: |x, y| x.hypot(y);
    "roundeven", "roundevenf" => roundeven, roundevenf: |x| x.round_ties_even();
    "fdim", "fdimf" => fdim, fdimf: |x, y| if x <= y { 0.0 } else { x - y };
    "copysign", "copysignf" => copysign, copysignf: |x, y| x.copysign(y);
}

/// A rounded number as C's `long`.
fn whole(host: &mut Host<'_>, rounded: f64) -> Result<Value, Halt> {
    match convert::float_to_signed(rounded, 64) {
        Some(number) => Ok(Value::known(number as u64)),
        None => Ok(host.unknown(Source::Undefined(convert::DOES_NOT_FIT.to_owned()))),
    }
}

fn lround(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = arg(args, 0).as_double()?;
    whole(host, number.round())
}

fn lroundf(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = single_arg(args.first())?;
    whole(host, f64::from(number).round())
}

fn lrint(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = arg(args, 0).as_double()?;
    whole(host, number.round_ties_even())
}

/// (number, power of two) as C's `ldexp`; rounded once, as only the last factor leads to numbers without a leading one.
fn scaled(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    Ok(Value::double(times_power(
        arg(args, 0).as_double()?,
        power(args)?,
    )))
}

/// In double width no such result is rounded, so that it is rounded once.
fn scaled_single(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = f64::from(single_arg(args.first())?);
    let result = times_power(number, power(args)?.clamp(-400, 400)) as f32;
    Ok(Value::known(u64::from(result.to_bits())))
}

/// Both C's `int` and `long` tell by their low half, but for powers at which all is zero or infinite.
fn power(args: &[Value]) -> Result<i32, Halt> {
    Ok(arg(args, 1).get()? as i32)
}

fn times_power(mut number: f64, power: i32) -> f64 {
    const LARGE: i32 = 1023;
    // Small steps keep 53 places above the smallest number with a leading one.
    const SMALL: i32 = -1022 + 53;
    let mut left = power.clamp(-3000, 3000);
    while left > LARGE {
        number *= f64::from_bits(((LARGE + 1023) as u64) << 52);
        left -= LARGE;
    }
    while left < -1022 {
        number *= f64::from_bits(((SMALL + 1023) as u64) << 52);
        left -= SMALL;
    }
    number * f64::from_bits(((left + 1023) as u64) << 52)
}

fn fused(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let [a, b, c] = [0, 1, 2].map(|index| arg(args, index).as_double());
    Ok(Value::double(a?.mul_add(b?, c?)))
}

fn fused_single(_: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let [a, b, c] = [0, 1, 2].map(|index| single_arg(args.get(index)));
    Ok(Value::known(u64::from(a?.mul_add(b?, c?).to_bits())))
}

/// (number, where to leave the power of two): the fraction in [0.5, 1).
fn fraction(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (fraction, power) = parts(arg(args, 0).as_double()?);
    host.store(arg(args, 1), 4, Value::int(power));
    Ok(Value::double(fraction))
}

fn fraction_single(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let (fraction, power) = parts(f64::from(single_arg(args.first())?));
    host.store(arg(args, 1), 4, Value::int(power));
    Ok(Value::known(u64::from((fraction as f32).to_bits())))
}

/// As C's `frexp`; of what is no number, infinite or zero the power is 0, as the C library leaves it.
fn parts(number: f64) -> (f64, i32) {
    const EXPONENT: u64 = 0x7ff << 52;
    const HALF: u64 = 1022 << 52;
    if number == 0.0 || !number.is_finite() {
        return (number, 0);
    }
    // Numbers without a leading one get it first.
    let (number, added) = match number.is_normal() {
        true => (number, 0),
        false => (number * 2f64.powi(54), 54),
    };
    let bits = number.to_bits();
    let power = ((bits & EXPONENT) >> 52) as i32 - 1022 - added;
    (f64::from_bits(bits & !EXPONENT | HALF), power)
}

/// (number, where to leave the whole part): the rest.
fn whole_part(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = arg(args, 0).as_double()?;
    host.store(arg(args, 1), 8, Value::double(number.trunc()));
    Ok(Value::double(rest(number)))
}

fn whole_part_single(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = single_arg(args.first())?;
    let bits = |number: f32| Value::known(u64::from(number.to_bits()));
    host.store(arg(args, 1), 4, bits(number.trunc()));
    Ok(bits(rest(f64::from(number)) as f32))
}

/// What is behind the point, with the number's sign.
fn rest(number: f64) -> f64 {
    match number.is_infinite() {
        true => 0f64.copysign(number),
        false => (number - number.trunc()).copysign(number),
    }
}

fn cube_root(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = arg(args, 0).as_double()?;
    assume_cube_root(host, number);
    Ok(Value::double(number.cbrt()))
}

fn cube_root_single(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    let number = single_arg(args.first())?;
    assume_cube_root(host, f64::from(number));
    Ok(Value::known(u64::from(number.cbrt().to_bits())))
}

/// Versions of the C library differ in a cube root's last digit.
fn assume_cube_root(host: &mut Host<'_>, number: f64) {
    if number == 0.0 || !number.is_finite() {
        return;
    }
    let reason = "it is taken as computed here: its last digit differs between libraries";
    let place = host.place;
    host.notes.assume(place, "cube root", reason.to_owned());
}

#[cfg(test)]
mod tests {
    use super::super::table::find;
    use super::*;

    #[test]
    fn both_widths_are_found() {
        for name in ["sqrt", "sqrtf", "pow", "powf", "lround"] {
            assert!(find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn powers_of_two_are_exact_up_to_the_ends_of_the_range() {
        for (number, power, result) in [
            (1.0, 4, 16.0),
            (-3.0, -1, -1.5),
            (1.0, -1074, f64::from_bits(1)),
            (1.5, -1074, f64::from_bits(2)),
            (1.0, 2000, f64::INFINITY),
            (f64::from_bits(1), 2097, 2f64.powi(1023)),
            (0.0, i32::MAX, 0.0),
            (1.0, i32::MIN, 0.0),
        ] {
            assert_eq!(times_power(number, power), result, "{number} {power}");
        }
    }

    #[test]
    fn a_number_is_its_fraction_times_a_power() {
        for (number, fraction, power) in [
            (1.0, 0.5, 1),
            (-48.0, -0.75, 6),
            (0.3, 0.6, -1),
            (f64::from_bits(1), 0.5, -1073),
            (0.0, 0.0, 0),
        ] {
            assert_eq!(parts(number), (fraction, power), "{number}");
        }
        assert_eq!((rest(-2.25), rest(f64::INFINITY)), (-0.25, 0.0));
    }

    #[test]
    fn an_unknown_argument_gives_an_unknown_result() {
        let mark = crate::machine::mark::Mark::UNWRITTEN;
        assert_eq!(
            double_arg(Some(&Value::unknown(mark))),
            Err(Halt::Unknown(mark))
        );
    }
}
