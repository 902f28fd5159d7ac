//! Instructions on 16-bit floating-point numbers, with results that are sums of powers of two.

use super::instructions::word;
use super::lab::{one, run};

/// `OP %out, operands` on numbers of 16 bits.
fn half(op: &str, operands: &[u64]) -> u16 {
    let names = ["%a", "%b", "%c"];
    let load: String = (0..operands.len())
        .map(|nth| format!("ld.param.b16 {}, [p{nth}];", names[nth]))
        .collect();
    let list = names[..operands.len()].join(", ");
    let declarations = ".reg .b16 %a, %b, %c, %out;";
    one(
        declarations,
        &format!("{load} {op} %out, {list};"),
        "b16",
        operands,
    )
}

#[test]
fn arithmetic_of_one_number() {
    for (op, operands, expected) in [
        // 1 + 2^-10, 1.5 * 1.5, 2048 + 1 (a tie to even), 65504 + 65504.
        ("add.f16", vec![0x3c00, 0x1400], 0x3c01),
        ("mul.rn.f16", vec![0x3e00, 0x3e00], 0x4080),
        ("add.rn.f16", vec![0x6800, 0x3c00], 0x6800),
        ("add.f16", vec![0x7bff, 0x7bff], 0x7c00),
        ("sub.f16", vec![0x3c00, 0x4000], 0xbc00),
        ("add.sat.f16", vec![0x3c00, 0x4000], 0x3c00),
        ("sub.sat.f16", vec![0x3c00, 0x4000], 0),
        ("fma.rn.f16", vec![0x4000, 0x4200, 0x3c00], 0x4700),
        ("fma.rn.relu.f16", vec![0xc000, 0x4200, 0x3c00], 0),
        ("neg.f16", vec![0x3c00], 0xbc00),
        ("abs.f16", vec![0xbc00], 0x3c00),
        ("min.f16", vec![0x3c00, 0x7e00], 0x3c00),
        ("max.NaN.f16", vec![0x3c00, 0x7e00], 0x7fff),
        ("max.f16", vec![0x8000, 0], 0),
        ("ex2.approx.f16", vec![0x4200], 0x4800),
        ("add.ftz.f16", vec![0x0001, 0], 0),
        ("add.f16", vec![0x0001, 0], 1),
        ("add.bf16", vec![0x3f80, 0x3f80], 0x4000),
        ("fma.rn.bf16", vec![0x4000, 0x4040, 0x3f80], 0x40e0),
        ("neg.bf16", vec![0x3f80], 0xbf80),
    ] {
        assert_eq!(half(op, &operands), expected, "{op} {operands:x?}");
    }
}

#[test]
fn both_numbers_of_a_word() {
    for (op, operands, expected) in [
        ("add.f16x2", vec![0x4000_3c00, 0x3c00_3c00], 0x4200_4000),
        (
            "fma.rn.f16x2",
            vec![0x4000_3c00, 0x4200_3c00, 0x3c00_3c00],
            0x4700_4000,
        ),
        ("max.bf16x2", vec![0x3f80_c000, 0x4000_3f80], 0x4000_3f80),
        ("neg.bf16x2", vec![0x3f80_c000], 0xbf80_4000),
        (
            "set.lt.f16x2.f16x2",
            vec![0x3c00_4000, 0x4000_3c00],
            0x3c00_0000,
        ),
        (
            "set.lt.u32.f16x2",
            vec![0x4000_3c00, 0x3c00_4000],
            0x0000_ffff,
        ),
        (
            "cvt.rn.f16x2.f32",
            vec![1_f32.to_bits(), 2_f32.to_bits()],
            0x3c00_4000,
        ),
        (
            "cvt.rn.relu.bf16x2.f32",
            vec![(-1_f32).to_bits(), 2_f32.to_bits()],
            0x0000_4000,
        ),
    ] {
        assert_eq!(word(op, &operands), expected, "{op} {operands:x?}");
    }
}

#[test]
fn comparisons() {
    let compare = |op: &str, a: u64, b: u64| {
        let declarations = ".reg .b16 %a, %b; .reg .pred %p; .reg .b32 %out;";
        let text = format!(
            "ld.param.b16 %a, [p0]; ld.param.b16 %b, [p1]; setp.{op} %p, %a, %b; selp.u32 %out, 1, 0, %p;"
        );
        one::<u32>(declarations, &text, "b32", &[a, b])
    };
    assert_eq!(compare("lt.f16", 0xbc00, 0x3c00), 1);
    assert_eq!(compare("eq.f16", 0, 0x8000), 1);
    assert_eq!(compare("gt.bf16", 0x3f80, 0x7fc0), 0);
    assert_eq!(compare("gtu.bf16", 0x3f80, 0x7fc0), 1);
}

#[test]
fn conversions() {
    let convert = |op: &str, from: &str, to: &str, value: u64| {
        let declarations = format!(".reg .{from} %a; .reg .{to} %out;");
        let text = format!("ld.param.{from} %a, [p0]; cvt.{op} %out, %a;");
        one::<u64>(&declarations, &text, to, &[value])
    };
    let single = |value: f32| u64::from(value.to_bits());
    for (op, from, to, value, expected) in [
        ("f32.bf16", "b16", "b32", 0xc000, single(-2.0)),
        (
            "rn.bf16.f32",
            "b32",
            "b16",
            single(1.0 + 1.0 / 256.0),
            0x3f80,
        ),
        ("rz.bf16.f32", "b32", "b16", single(1.999), 0x3fff),
        ("rp.f16.f32", "b32", "b16", single(1.0001), 0x3c01),
        ("rz.f16.f32", "b32", "b16", single(1e9), 0x7bff),
        ("rn.f16.s32", "b32", "b16", 0xffff_fffe, 0xc000),
        ("rz.f16.u32", "b32", "b16", 2051, 0x6801),
        ("rni.s32.f16", "b16", "b32", 0x4100, 2),
        ("rn.f16.f64", "b64", "b16", 1.5_f64.to_bits(), 0x3e00),
        ("f64.f16", "b16", "b64", 0x3e00, 1.5_f64.to_bits()),
    ] {
        let found = convert(op, from, to, value);
        assert_eq!(found, expected, "cvt.{op} {value:#x}");
    }
}

#[test]
fn atomic_sums() {
    let text = ".entry k(.param .u64 out) { .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .b16 %h<3>; ld.param.u64 %rd1, [out];
        mov.b16 %h1, 0x3c00; mov.b32 %r1, 0x4000_3c00; atom.add.noftz.f16 %h2, [%rd1], %h1;
        red.global.add.noftz.f16x2 [%rd1+4], %r1; atom.global.add.noftz.bf16x2 %r2, [%rd1+8], 0x3f803f80; ret; }"
        .replace("0x4000_3c00", "0x40003c00")
        .replace(", 0x3f803f80", ", %r1");
    let out: Vec<u32> = run(&text, [1; 3], [4, 1, 1], 3, &[]);
    assert_eq!(out[..2], [0x4400, 0x4800_4400]);
    // Four times the bf16 numbers 2 and 2^-7 * (1 + 0): 0x4000 and 0x3c00.
    assert_eq!(out[2], 0x4100_3d00);
}
