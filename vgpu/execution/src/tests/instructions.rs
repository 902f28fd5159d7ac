//! Single instructions, with results worked out apart from the code that is tested.

use super::lab::one;

/// An instruction `OP %out, operands` on 32-bit operands.
pub fn word(op: &str, operands: &[u32]) -> u32 {
    let names = ["%a", "%b", "%c", "%d"];
    let load: String = (0..operands.len())
        .map(|nth| format!("ld.param.b32 {}, [p{nth}];", names[nth]))
        .collect();
    let list = names[..operands.len()].join(", ");
    let operands: Vec<u64> = operands.iter().map(|value| u64::from(*value)).collect();
    let declarations = ".reg .b32 %a, %b, %c, %d, %out;";
    one(
        declarations,
        &format!("{load} {op} %out, {list};"),
        "b32",
        &operands,
    )
}

/// The same on 64-bit operands.
pub fn long(op: &str, operands: &[u64]) -> u64 {
    let names = ["%a", "%b", "%c", "%d"];
    let load: String = (0..operands.len())
        .map(|nth| format!("ld.param.b64 {}, [p{nth}];", names[nth]))
        .collect();
    let list = names[..operands.len()].join(", ");
    let declarations = ".reg .b64 %a, %b, %c, %d, %out;";
    one(
        declarations,
        &format!("{load} {op} %out, {list};"),
        "b64",
        operands,
    )
}

#[test]
fn sums_products_and_quotients_of_integers() {
    let minus = |value: i32| value.cast_unsigned();
    for (op, operands, expected) in [
        ("add.s32", vec![u32::MAX, 2], 1),
        ("add.sat.s32", vec![minus(i32::MAX), 2], minus(i32::MAX)),
        ("sub.sat.s32", vec![minus(i32::MIN), 2], minus(i32::MIN)),
        ("sub.u32", vec![1, 2], u32::MAX),
        ("mul.lo.s32", vec![0x1_0001, 0x1_0001], 0x2_0001),
        ("mul.hi.u32", vec![0x8000_0000, 6], 3),
        ("mul.hi.s32", vec![minus(-2), 3], u32::MAX),
        ("mad.lo.s32", vec![5, 7, 9], 44),
        ("mad.hi.u32", vec![0x8000_0000, 6, 10], 13),
        ("mul24.lo.s32", vec![0xff00_0003, 5], 15),
        ("mul24.hi.u32", vec![0xff_ffff, 0xff_ffff], 0xffff_fe00),
        ("div.s32", vec![minus(-7), 2], minus(-3)),
        ("div.s32", vec![minus(i32::MIN), minus(-1)], minus(i32::MIN)),
        ("div.u32", vec![7, 0], u32::MAX),
        ("rem.s32", vec![minus(-7), 2], minus(-1)),
        ("rem.s32", vec![minus(i32::MIN), minus(-1)], 0),
        ("rem.u32", vec![7, 4], 3),
        ("abs.s32", vec![minus(-7)], 7),
        ("neg.s32", vec![7], minus(-7)),
        ("min.s32", vec![minus(-7), 3], minus(-7)),
        ("min.u32", vec![minus(-7), 3], 3),
        ("max.s32", vec![minus(-7), 3], 3),
        ("sad.s32", vec![minus(-7), 3, 100], 110),
        ("dp4a.s32.s32", vec![0x01ff_0203, 0x0101_0101, 10], 15),
        ("dp4a.u32.u32", vec![0x01ff_0203, 0x0101_0101, 10], 271),
        ("dp2a.lo.u32.u32", vec![0x0003_0002, 0x0a0b_0504, 1], 24),
        ("dp2a.hi.u32.u32", vec![0x0003_0002, 0x0a0b_0504, 1], 53),
    ] {
        assert_eq!(word(op, &operands), expected, "{op} {operands:x?}");
    }
    assert_eq!(long("mul.hi.u64", &[1 << 63, 6]), 3);
    assert_eq!(long("mul.lo.s64", &[u64::MAX, 5]), 5_u64.wrapping_neg());
    assert_eq!(long("div.u64", &[7, 0]), u64::MAX);
}

#[test]
fn products_of_twice_the_width() {
    let declarations = ".reg .b32 %a, %b; .reg .b64 %out;";
    let load = "ld.param.b32 %a, [p0]; ld.param.b32 %b, [p1];";
    let wide = |op: &str, a: u64, b: u64| {
        one::<u64>(
            declarations,
            &format!("{load} {op} %out, %a, %b;"),
            "b64",
            &[a, b],
        )
    };
    assert_eq!(
        wide("mul.wide.u32", 0xffff_ffff, 0xffff_ffff),
        0xffff_fffe_0000_0001
    );
    assert_eq!(wide("mul.wide.s32", 0xffff_ffff, 7), 7_u64.wrapping_neg());
}

#[test]
fn carries_go_from_word_to_word() {
    let declarations = ".reg .b32 %a, %b, %c, %d; .reg .b64 %out;";
    let load = "ld.param.b32 %a, [p0]; ld.param.b32 %b, [p0+4]; ld.param.b32 %c, [p1]; ld.param.b32 %d, [p1+4];";
    let pair = |first: &str, second: &str, a: u64, b: u64| {
        let text =
            format!("{load} {first} %a, %a, %c; {second} %b, %b, %d; mov.b64 %out, {{%a, %b}};");
        one::<u64>(declarations, &text, "b64", &[a, b])
    };
    for (a, b) in [
        (u64::MAX, 1),
        (0xffff_ffff, 1),
        (0x1_0000_0000, 0x2_ffff_ffff),
        (5, 7),
    ] {
        assert_eq!(pair("add.cc.u32", "addc.u32", a, b), a.wrapping_add(b));
        assert_eq!(pair("sub.cc.u32", "subc.u32", a, b), a.wrapping_sub(b));
    }
}

#[test]
fn bits_and_fields() {
    for (op, operands, expected) in [
        ("and.b32", vec![0b1100, 0b1010], 0b1000),
        ("or.b32", vec![0b1100, 0b1010], 0b1110),
        ("xor.b32", vec![0b1100, 0b1010], 0b0110),
        ("not.b32", vec![0], u32::MAX),
        ("cnot.b32", vec![0], 1),
        ("cnot.b32", vec![5], 0),
        ("shl.b32", vec![1, 31], 1 << 31),
        ("shl.b32", vec![1, 32], 0),
        ("shr.u32", vec![1 << 31, 31], 1),
        ("shr.u32", vec![1 << 31, 33], 0),
        ("shr.s32", vec![1 << 31, 100], u32::MAX),
        (
            "shf.l.wrap.b32",
            vec![0x1234_5678, 0x9abc_def0, 8],
            0xbcde_f012,
        ),
        (
            "shf.r.wrap.b32",
            vec![0x1234_5678, 0x9abc_def0, 8],
            0xf012_3456,
        ),
        (
            "shf.l.clamp.b32",
            vec![0x1234_5678, 0x9abc_def0, 40],
            0x1234_5678,
        ),
        (
            "shf.r.clamp.b32",
            vec![0x1234_5678, 0x9abc_def0, 40],
            0x9abc_def0,
        ),
        ("popc.b32", vec![0xf0f0], 8),
        ("clz.b32", vec![1], 31),
        ("clz.b32", vec![0], 32),
        ("brev.b32", vec![1], 1 << 31),
        ("bfind.u32", vec![0x100], 8),
        ("bfind.u32", vec![0], u32::MAX),
        ("bfind.s32", vec![u32::MAX - 4], 2),
        ("bfind.shiftamt.u32", vec![0x100], 23),
        ("bfe.u32", vec![0xabcd_ef12, 8, 8], 0xef),
        ("bfe.s32", vec![0xabcd_ef12, 8, 8], 0xffff_ffef),
        ("bfe.u32", vec![0xabcd_ef12, 24, 16], 0xab),
        ("bfe.s32", vec![0xabcd_ef12, 24, 16], 0xffff_ffab),
        ("bfe.s32", vec![0xabcd_ef12, 3, 0], 0),
        ("bfi.b32", vec![0xff, 0, 4, 4], 0xf0),
        ("bfi.b32", vec![0, u32::MAX, 28, 40], 0x0fff_ffff),
        (
            "prmt.b32",
            vec![0x3322_1100, 0x7766_5544, 0x7531],
            0x7755_3311,
        ),
        ("prmt.b32", vec![0x0000_8000, 0, 0x9999], u32::MAX),
    ] {
        assert_eq!(word(op, &operands), expected, "{op} {operands:x?}");
    }
    assert_eq!(long("shl.b64", &[1, 0]), 1);
    assert_eq!(long("brev.b64", &[1]), 1 << 63);
    let declarations = ".reg .b32 %a, %b, %c, %out;";
    let load = "ld.param.b32 %a, [p0]; ld.param.b32 %b, [p1]; ld.param.b32 %c, [p2];";
    let lop3 = |table: u8| {
        let text = format!("{load} lop3.b32 %out, %a, %b, %c, {table};");
        one::<u32>(declarations, &text, "b32", &[0xf0, 0xcc, 0xaa])
    };
    // By its definition the table is the result for these three operands.
    for table in [0, 0x80, 0x96, 0xe8, 0xff, 0x1b] {
        assert_eq!(lop3(table) & 0xff, u32::from(table));
    }
}

#[test]
fn comparisons_know_signs_and_nan() {
    let compare = |op: &str, ty: &str, a: u64, b: u64| {
        let declarations = format!(".reg .{ty} %a, %b; .reg .pred %p, %q; .reg .b32 %out, %x, %y;");
        let text = format!(
            "ld.param.{ty} %a, [p0]; ld.param.{ty} %b, [p1]; setp.{op} %p|%q, %a, %b;
            selp.u32 %x, 1, 0, %p; selp.u32 %y, 2, 0, %q; or.b32 %out, %x, %y;"
        );
        one::<u32>(&declarations, &text, "b32", &[a, b])
    };
    let single = |value: f32| u64::from(value.to_bits());
    for (op, ty, a, b, holds) in [
        ("lt.s32", "b32", 0xffff_ffff, 1, true),
        ("lt.u32", "b32", 0xffff_ffff, 1, false),
        ("hi.u32", "b32", 0xffff_ffff, 1, true),
        ("ge.s64", "b64", u64::MAX, 0, false),
        ("eq.f32", "f32", single(0.0), single(-0.0), true),
        ("ne.f32", "f32", single(f32::NAN), single(1.0), false),
        ("neu.f32", "f32", single(f32::NAN), single(1.0), true),
        ("geu.f32", "f32", single(f32::NAN), single(1.0), true),
        ("ltu.f32", "f32", single(2.0), single(1.0), false),
        ("num.f32", "f32", single(2.0), single(f32::NAN), false),
        ("nan.f32", "f32", single(2.0), single(f32::NAN), true),
        ("gt.f64", "f64", 2_f64.to_bits(), 1_f64.to_bits(), true),
    ] {
        assert_eq!(compare(op, ty, a, b), if holds { 1 } else { 2 }, "{op}");
    }
    assert_eq!(word("set.lt.u32.s32", &[1, 2]), u32::MAX);
    assert_eq!(f32::from_bits(word("set.lt.f32.s32", &[1, 2])), 1.0);
    assert_eq!(word("slct.b32.s32", &[7, 8, u32::MAX]), 8);
}

#[test]
fn vectors_are_loaded_stored_packed_and_cut() {
    let declarations = ".reg .b32 %a, %b; .reg .b16 %h, %l; .reg .b64 %out;";
    let text = "ld.param.v2.u32 {%a, %b}, [p0]; mov.b32 {%l, %h}, %a; mov.b32 %a, {%h, %l}; mov.b64 %out, {%b, %a};";
    assert_eq!(
        one::<u64>(declarations, text, "b64", &[0x1122_3344_5566_7788]),
        0x7788_5566_1122_3344
    );
}

#[test]
fn narrow_loads_extend_by_their_type() {
    let load = |op: &str| {
        let declarations = ".reg .b32 %out;";
        one::<u32>(
            declarations,
            &format!("ld.param.{op} %out, [p0];"),
            "b32",
            &[0xff80],
        )
    };
    assert_eq!(
        [load("u8"), load("s8"), load("u16"), load("s16")],
        [0x80, 0xffff_ff80, 0xff80, 0xffff_ff80]
    );
}
