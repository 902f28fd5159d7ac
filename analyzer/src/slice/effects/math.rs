//! Rows of the C mathematical functions of one or two plain arguments, in double and in float.

use super::letters::{Effect, Returns, plain};

/// The effect of a function, when it has a row here.
pub fn effect(name: &str) -> Option<Effect> {
    const NAMES: &[&str] = &[
        "sqrt",
        "cbrt",
        "pow",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "ceil",
        "floor",
        "round",
        "trunc",
        "rint",
        "nearbyint",
        "lround",
        "llround",
        "lrint",
        "fabs",
        "fmod",
        "hypot",
        "fmin",
        "fmax",
        "ldexp",
        "scalbn",
        "scalbln",
        "fma",
        "fdim",
        "roundeven",
        "llrint",
        "exp10",
        "tgamma",
        "lgamma",
        "erf",
        "erfc",
        "copysign",
    ];
    let double = name.strip_suffix('f').unwrap_or(name);
    (NAMES.contains(&name) || NAMES.contains(&double)).then(|| plain("-", Returns::Value))
}
