//! Directed rounding: results lie on their side of the exact value, next to it, as seen in higher precision.

use super::instructions::{long, word};

const SAMPLES: [f32; 7] = [0.1, 3.0, -7.7, 1e-3, 123_456.79, -1e10, 1e-20];

/// Whether a number is the one that a rounding gives for an exact value (here one of double precision that is far
/// from any tie).
fn holds(found: f32, exact: f64, round: &str) -> bool {
    let found_wide = f64::from(found);
    let (below, above) = (found.next_down(), found.next_up());
    let down = found_wide <= exact && exact < f64::from(above);
    let up = found_wide >= exact && exact > f64::from(below);
    match round {
        "rm" => down,
        "rp" => up,
        _ if exact > 0.0 => down,
        _ => up,
    }
}

#[test]
fn single_precision_lies_on_its_side() {
    for round in ["rm", "rp", "rz"] {
        for (a, b) in SAMPLES.iter().flat_map(|a| SAMPLES.map(|b| (*a, b))) {
            let (wide_a, wide_b) = (f64::from(a), f64::from(b));
            let binary = |op: &str, exact: f64| {
                let found = word(&format!("{op}.{round}.f32"), &[a.to_bits(), b.to_bits()]);
                let found = f32::from_bits(found);
                assert!(holds(found, exact, round), "{op}.{round} {a} {b}: {found}");
            };
            binary("mul", wide_a * wide_b);
            binary("div", wide_a / wide_b);
            let fused = [a, b, 1.0].map(f32::to_bits);
            let found = f32::from_bits(word(&format!("fma.{round}.f32"), &fused));
            assert!(holds(found, wide_a.mul_add(wide_b, 1.0), round) || wide_a * wide_b < 1e-15);
        }
        let root = f32::from_bits(word(&format!("sqrt.{round}.f32"), &[2_f32.to_bits()]));
        assert!(holds(root, 2_f64.sqrt(), round));
        let part = f32::from_bits(word(&format!("rcp.{round}.f32"), &[3_f32.to_bits()]));
        assert!(holds(part, 1.0 / 3.0, round));
    }
}

#[test]
fn what_is_far_below_the_last_digit_counts() {
    let sum = |round: &str, b: f32| {
        let found = word(&format!("add.{round}.f32"), &[1_f32.to_bits(), b.to_bits()]);
        f32::from_bits(found)
    };
    assert_eq!(sum("rp", 1e-30), 1_f32.next_up());
    assert_eq!(sum("rm", 1e-30), 1.0);
    assert_eq!(sum("rz", -1e-30), 1_f32.next_down());
    let sum = |op: &str, b: f64| f64::from_bits(long(op, &[1_f64.to_bits(), b.to_bits()]));
    assert_eq!(sum("add.rp.f64", 1e-300), 1_f64.next_up());
    assert_eq!(sum("sub.rm.f64", 1e-300), 1_f64.next_down());
    assert_eq!(sum("mul.rz.f64", 0.1), 0.1);
    let third = [sum("div.rm.f64", 3.0), sum("div.rp.f64", 3.0)];
    assert_eq!(third[0].next_up(), third[1]);
    let fused = [0.1_f64, 10.0, -1.0].map(f64::to_bits);
    // The double nearest to 0.1 is above it.
    assert!(f64::from_bits(long("fma.rz.f64", &fused)) > 0.0);
    // The mode is set back: to nearest again.
    assert_eq!(sum("add.f64", 1e-300), 1.0);
}

#[test]
fn conversions_to_fewer_digits() {
    let convert = |op: &str, value: u64| {
        let declarations = ".reg .b64 %a; .reg .f32 %out;";
        let text = format!("ld.param.b64 %a, [p0]; cvt.{op} %out, %a;");
        super::lab::one::<f32>(declarations, &text, "f32", &[value])
    };
    let value = 0.1_f64.to_bits();
    let (down, up) = (convert("rm.f32.f64", value), convert("rp.f32.f64", value));
    assert!(f64::from(down) < 0.1 && f64::from(up) > 0.1 && down.next_up() == up);
    assert_eq!(
        convert("rz.f32.u64", u64::MAX),
        18_446_743_000_000_000_000.0
    );
    assert_eq!(
        convert("rp.f32.u64", u64::MAX),
        18_446_744_073_709_551_615.0
    );
    assert_eq!(convert("rm.f32.s64", 1_u64.wrapping_neg()), -1.0);
    assert_eq!(convert("rp.f32.s64", 16_777_217), 16_777_218.0);
}
