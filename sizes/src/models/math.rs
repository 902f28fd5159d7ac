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
            ("cbrt", cube_root), ("cbrtf", cube_root), ("lround", lround), ("lroundf", lroundf), ("llround", lround), ("lrint", lrint)];
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

/// Rust's cube root is not the C library's, and of that one the last digit changed between versions.
fn cube_root(host: &mut Host<'_>, args: &[Value]) -> Result<Value, Halt> {
    arg(args, 0).get()?;
    let what = "a cube root, whose last digit differs between libraries";
    Ok(host.unknown(Source::Undefined(what.to_owned())))
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
    fn an_unknown_argument_gives_an_unknown_result() {
        let mark = crate::machine::mark::Mark::UNWRITTEN;
        assert_eq!(
            double_arg(Some(&Value::unknown(mark))),
            Err(Halt::Unknown(mark))
        );
    }
}
