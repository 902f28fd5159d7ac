//! Floating-point instructions and conversions, with results worked out apart from the code that is tested.

use super::instructions::{long, word};
use super::lab::one;

/// The same on single-precision operands.
fn single(op: &str, operands: &[f32]) -> f32 {
    let bits: Vec<u32> = operands.iter().map(|value| value.to_bits()).collect();
    f32::from_bits(word(op, &bits))
}

/// The same on double-precision operands.
fn double(op: &str, operands: &[f64]) -> f64 {
    let bits: Vec<u64> = operands.iter().map(|value| value.to_bits()).collect();
    f64::from_bits(long(op, &bits))
}

#[test]
fn floating_point_arithmetic() {
    assert_eq!(single("add.f32", &[0.1, 0.2]), 0.1_f32 + 0.2);
    assert_eq!(single("sub.rn.f32", &[0.1, 0.2]), 0.1_f32 - 0.2);
    assert_eq!(single("div.rn.f32", &[1.0, 3.0]), 1.0 / 3.0);
    assert_eq!(
        single("fma.rn.f32", &[1.000_000_1, 1.000_000_1, -1.000_000_2]),
        1.000_000_1_f32.mul_add(1.000_000_1, -1.000_000_2)
    );
    assert_eq!(single("sqrt.rn.f32", &[2.0]), 2_f32.sqrt());
    assert_eq!(single("min.f32", &[f32::NAN, 1.0]), 1.0);
    assert_eq!(single("max.f32", &[1.0, f32::NAN]), 1.0);
    assert!(single("max.NaN.f32", &[1.0, f32::NAN]).is_nan());
    assert!(single("min.f32", &[0.0, -0.0]).is_sign_negative());
    assert_eq!(single("add.ftz.f32", &[1e-40, 0.0]), 0.0);
    assert_eq!(single("add.f32", &[1e-40, 0.0]), 1e-40);
    assert_eq!(single("add.sat.f32", &[0.7, 0.7]), 1.0);
    assert_eq!(single("add.sat.f32", &[f32::NAN, 0.7]), 0.0);
    assert_eq!(single("copysign.f32", &[-1.0, 5.0]), -5.0);
    assert_eq!(single("neg.f32", &[1.5]), -1.5);
    assert_eq!(
        double("fma.rn.f64", &[0.1, 10.0, -1.0]),
        0.1_f64.mul_add(10.0, -1.0)
    );
    assert_eq!(double("div.rn.f64", &[1.0, 3.0]), 1.0 / 3.0);
    assert_eq!(double("abs.f64", &[-2.5]), 2.5);
}

#[test]
fn approximations_are_within_the_error_that_the_isa_states() {
    let samples = [0.001_f32, 0.3, 1.0, 1.7, 3.1, 20.0];
    for x in samples {
        let exact = f64::from(x);
        let near = |op: &str, expected: f64, relative: f64| {
            let found = f64::from(single(op, &[x]));
            assert!(
                (found - expected).abs() <= relative * expected.abs(),
                "{op} {x}: {found} {expected}"
            );
        };
        let step = 2_f64.powi(-22);
        near("ex2.approx.f32", exact.exp2(), step);
        near("rcp.approx.f32", 1.0 / exact, step);
        near("rsqrt.approx.f32", 1.0 / exact.sqrt(), step);
        near("sqrt.approx.f32", exact.sqrt(), step);
        near("tanh.approx.f32", exact.tanh(), 2_f64.powi(-11));
        for (op, expected) in [
            ("sin.approx.f32", exact.sin()),
            ("cos.approx.f32", exact.cos()),
            ("lg2.approx.f32", exact.log2()),
        ] {
            let found = f64::from(single(op, &[x]));
            assert!(
                (found - expected).abs() < 2_f64.powf(-20.9),
                "{op} {x}: {found} {expected}"
            );
        }
    }
}

#[test]
fn conversions_round_and_saturate() {
    let convert = |op: &str, from: &str, to: &str, value: u64| {
        let declarations = format!(".reg .{from} %a; .reg .{to} %x; .reg .b64 %out;");
        let widen = match to {
            "b64" | "f64" => "mov.b64 %out, %x;",
            "b32" | "f32" => "cvt.u64.u32 %out, %y;",
            _ => "cvt.u64.u16 %out, %x;",
        };
        let words = if matches!(to, "b32" | "f32") {
            ".reg .b32 %y; mov.b32 %y, %x;"
        } else {
            ""
        };
        let text = format!("ld.param.{from} %a, [p0]; cvt.{op} %x, %a; {words} {widen}");
        one::<u64>(&declarations, &text, "b64", &[value])
    };
    let single = |value: f32| u64::from(value.to_bits());
    let minus = |value: i32| u64::from(value.cast_unsigned());
    for (op, from, to, value, expected) in [
        ("rzi.s32.f32", "f32", "b32", single(-2.7), minus(-2)),
        ("rni.s32.f32", "f32", "b32", single(2.5), 2),
        ("rmi.s32.f32", "f32", "b32", single(-2.1), minus(-3)),
        ("rpi.s32.f32", "f32", "b32", single(2.1), 3),
        ("rzi.s32.f32", "f32", "b32", single(3e9), minus(i32::MAX)),
        ("rzi.u32.f32", "f32", "b32", single(-5.0), 0),
        ("rzi.s32.f32", "f32", "b32", single(f32::NAN), 0),
        ("rzi.u16.f32", "f32", "b16", single(70000.0), 65535),
        ("rzi.s32.f64", "f64", "b32", f64::NAN.to_bits(), 0x8000_0000),
        ("rzi.s64.f32", "f32", "b64", single(f32::NAN), 1 << 63),
        (
            "rzi.s64.f64",
            "f64",
            "b64",
            (-1e10_f64).to_bits(),
            (-10_000_000_000_i64).cast_unsigned(),
        ),
        (
            "rn.f32.s32",
            "b32",
            "f32",
            minus(-16_777_217),
            single(-16_777_216.0),
        ),
        (
            "rn.f32.u64",
            "b64",
            "f32",
            u64::MAX,
            single(18_446_744_073_709_551_615.0),
        ),
        (
            "rn.f64.u32",
            "b32",
            "f64",
            0xffff_ffff,
            4_294_967_295_f64.to_bits(),
        ),
        ("rn.f32.f64", "f64", "f32", 0.1_f64.to_bits(), single(0.1)),
        (
            "f64.f32",
            "f32",
            "f64",
            single(0.1),
            f64::from(0.1_f32).to_bits(),
        ),
        (
            "rni.f64.f64",
            "f64",
            "f64",
            3.5_f64.to_bits(),
            4_f64.to_bits(),
        ),
        ("sat.f32.f32", "f32", "f32", single(1.5), single(1.0)),
        ("s64.s32", "b32", "b64", minus(-3), (-3_i64).cast_unsigned()),
        ("u64.u32", "b32", "b64", minus(-3), minus(-3)),
        ("u32.u64", "b64", "b32", 0x1_2345_6789, 0x2345_6789),
        ("s32.s8", "b32", "b32", 0x80, minus(-128)),
        ("sat.u16.s32", "b32", "b16", minus(-3), 0),
        ("sat.s16.s32", "b32", "b16", 40000, 32767),
        ("f32.f16", "b16", "f32", 0x3e00, single(1.5)),
        ("rn.f16.f32", "f32", "b16", single(1.5), 0x3e00),
    ] {
        assert_eq!(
            convert(op, from, to, value),
            expected,
            "cvt.{op} {value:#x}"
        );
    }
}
