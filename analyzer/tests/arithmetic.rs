//! What lowering spells out in plain operations must compute what LLVM's language reference says. A small evaluator of
//! straight-line whole-number code stands here, on purpose not the one of crate sizes: two readings of the operations.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use inkwell::context::Context;
use migfit_analyzer::ir::load;
use migfit_analyzer::pipeline;
use migfit_schema::program::{
    BinaryOp, Cast, Compare, Function, Op, Operand, Reg, SizeProgram, Terminator, Type,
};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

static PROGRAM: LazyLock<SizeProgram> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ir/arithmetic.ll");
    let context = Context::create();
    let module = load::read(&context, &path).unwrap();
    pipeline::size_program(&context, &module).unwrap()
});

/// Results of a function of the fixture.
fn call(name: &str, args: &[u64]) -> Vec<u64> {
    let function = PROGRAM
        .functions
        .iter()
        .find(|function| function.name == name);
    Evaluation::of(function.unwrap(), args)
}

struct Evaluation {
    values: HashMap<Reg, u64>,
}

impl Evaluation {
    fn of(function: &Function, args: &[u64]) -> Vec<u64> {
        let params = function.params.iter().map(|(register, _)| *register);
        let values = params.zip(args.iter().copied()).collect();
        let mut evaluation = Evaluation { values };
        let [block] = &function.blocks[..] else {
            panic!("{} has branches", function.name);
        };
        for instruction in &block.ops {
            evaluation.step(&instruction.op);
        }
        match &block.end {
            Terminator::Return(results) => results.iter().map(|r| evaluation.get(*r)).collect(),
            other => panic!("{} ends in {other:?}", function.name),
        }
    }

    fn get(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Reg(register) => self.values[&register],
            Operand::Const(bits) => bits,
            Operand::Undef => 0xdead_beef_dead_beef,
            other => panic!("no number: {other:?}"),
        }
    }

    fn step(&mut self, op: &Op) {
        let (dst, value) = match op {
            Op::Binary {
                dst, ty, op, a, b, ..
            } => {
                let value = binary(*op, *ty, self.get(*a), self.get(*b));
                (*dst, cut(value, *ty))
            }
            Op::Compare { dst, ty, op, a, b } => {
                let holds = compare(*op, *ty, self.get(*a), self.get(*b));
                (*dst, u64::from(holds))
            }
            Op::Cast {
                dst,
                kind,
                from,
                to,
                a,
            } => {
                let value = match kind {
                    Cast::Bits => self.get(*a),
                    Cast::Sext => signed(self.get(*a), *from).cast_unsigned(),
                    other => panic!("cast {other:?}"),
                };
                (*dst, cut(value, *to))
            }
            Op::Select {
                dst,
                condition,
                a,
                b,
                ..
            } => {
                let chosen = if self.get(*condition) == 1 { a } else { b };
                (*dst, self.get(*chosen))
            }
            Op::Copy { dst, a, .. } => (*dst, self.get(*a)),
            other => panic!("not straight-line arithmetic: {other:?}"),
        };
        self.values.insert(dst, value);
    }
}

fn width(ty: Type) -> u32 {
    match ty {
        Type::Int(width) => u32::from(width),
        other => panic!("no whole number: {other:?}"),
    }
}

fn cut(value: u64, ty: Type) -> u64 {
    value & (u64::MAX >> (64 - width(ty)))
}

fn signed(value: u64, ty: Type) -> i64 {
    let unused = 64 - width(ty);
    (value << unused).cast_signed() >> unused
}

fn binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> u64 {
    let shift = || {
        assert!(b < u64::from(width(ty)), "shift as wide as the type");
        u32::try_from(b).unwrap()
    };
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a / b,
        BinaryOp::URem => a % b,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << shift(),
        BinaryOp::LShr => a >> shift(),
        BinaryOp::AShr => (signed(a, ty) >> shift()).cast_unsigned(),
        other => panic!("operation {other:?}"),
    }
}

fn compare(op: Compare, ty: Type, a: u64, b: u64) -> bool {
    match op {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::ULt => a < b,
        Compare::ULe => a <= b,
        Compare::UGt => a > b,
        Compare::SLt => signed(a, ty) < signed(b, ty),
        Compare::SGt => signed(a, ty) > signed(b, ty),
        other => panic!("comparison {other:?}"),
    }
}

/// Numbers of all sizes: the ends of the range and small ones are where mistakes show.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0..4u64,
        Just(u64::MAX),
        Just(1 << 63),
        (0..64u32).prop_map(|bit| 1 << bit),
        any::<u32>().prop_map(u64::from),
    ]
}

fn flagged<T: Into<i128>>((value, flag): (T, bool), bits: u32) -> Vec<u64> {
    let mask = u64::MAX >> (64 - bits);
    let low = (value.into() & i128::from(mask)).cast_unsigned();
    vec![u64::try_from(low).unwrap(), u64::from(flag)]
}

/// The halves of a 128-bit number, the low one first.
fn halves(number: i128) -> Vec<u64> {
    #[expect(clippy::cast_possible_truncation, reason = "the lower word is wanted")]
    let word = |number: i128| number as u64;
    vec![word(number), word(number >> 64)]
}

proptest! {
    #[test]
    fn sums_and_differences_tell_overflow(a in number(), b in number()) {
        let (sa, sb) = (a.cast_signed(), b.cast_signed());
        prop_assert_eq!(call("uadd64", &[a, b]), flagged(a.overflowing_add(b), 64));
        prop_assert_eq!(call("usub64", &[a, b]), flagged(a.overflowing_sub(b), 64));
        prop_assert_eq!(call("sadd64", &[a, b]), flagged(sa.overflowing_add(sb), 64));
        prop_assert_eq!(call("ssub64", &[a, b]), flagged(sa.overflowing_sub(sb), 64));
    }

    #[test]
    fn products_tell_overflow(a in number(), b in number()) {
        prop_assert_eq!(call("umul64", &[a, b]), flagged(a.overflowing_mul(b), 64));
        #[expect(clippy::cast_possible_truncation, reason = "any 32 bits do")]
        let (na, nb) = (a as u32, b as u32);
        let words = [u64::from(na), u64::from(nb)];
        prop_assert_eq!(call("umul32", &words), flagged(na.overflowing_mul(nb), 32));
        let product = na.cast_signed().overflowing_mul(nb.cast_signed());
        prop_assert_eq!(call("smul32", &words), flagged(product, 32));
    }

    #[test]
    fn bytes_saturate_and_tell_overflow(a in any::<u8>(), b in any::<u8>()) {
        let words = [u64::from(a), u64::from(b)];
        let sum = a.cast_signed().overflowing_add(b.cast_signed());
        prop_assert_eq!(call("sadd8", &words), flagged(sum, 8));
        prop_assert_eq!(call("uaddsat8", &words), vec![u64::from(a.saturating_add(b))]);
        prop_assert_eq!(call("usubsat8", &words), vec![u64::from(a.saturating_sub(b))]);
    }

    #[test]
    fn funnel_shifts_shift_two_words(a in any::<u32>(), b in any::<u32>(), c in any::<u32>(), w in number(), v in number()) {
        let pair = (u64::from(a) << 32) | u64::from(b);
        let left = (pair << (c % 32)) >> 32;
        prop_assert_eq!(call("fshl32", &[u64::from(a), u64::from(b), u64::from(c)]), vec![left]);
        let pair = (u128::from(w) << 64) | u128::from(v);
        #[expect(clippy::cast_possible_truncation, reason = "the lower word is the result")]
        let right = (pair >> (c % 64)) as u64;
        prop_assert_eq!(call("fshr64", &[w, v, u64::from(c)]), vec![right]);
    }

    #[test]
    fn comparisons_go_three_ways(a in number(), b in number()) {
        let expected = |order: std::cmp::Ordering| vec![u64::from((order as i32).cast_unsigned())];
        prop_assert_eq!(call("scmp64", &[a, b]), expected(a.cast_signed().cmp(&b.cast_signed())));
        prop_assert_eq!(call("ucmp64", &[a, b]), expected(a.cmp(&b)));
    }

    #[test]
    fn lanes_join_split_and_are_chosen(a in any::<u32>(), b in any::<u32>()) {
        let whole = (u64::from(b) << 32) | u64::from(a);
        prop_assert_eq!(call("join", &[u64::from(a), u64::from(b)]), vec![whole]);
        let parts = (0..4).map(|lane| (whole >> (16 * lane)) & 0xffff);
        prop_assert_eq!(call("split", &[whole]), parts.collect::<Vec<_>>());
        for (which, chosen) in [(0, a), (1, b)] {
            let args = [u64::from(a), u64::from(b), which];
            prop_assert_eq!(call("lane", &args), vec![u64::from(chosen)]);
        }
    }

    #[test]
    fn wide_numbers_are_two_words(a in number(), b in number(), c in number(), d in number()) {
        let whole = |low: u64, high: u64| (i128::from(high.cast_signed()) << 64) | i128::from(low);
        let (x, y) = (whole(a, b), whole(c, d));
        let both = [a, b, c, d];
        prop_assert_eq!(call("add128", &both), halves(x.wrapping_add(y)));
        prop_assert_eq!(call("sub128", &both), halves(x.wrapping_sub(y)));
        prop_assert_eq!(call("mul128", &both), halves(x.wrapping_mul(y)));
        let (bits, whole) = (x.cast_unsigned(), [a, b]);
        let near = (x << 5) ^ (x >> 7) ^ (bits >> 9).cast_signed();
        prop_assert_eq!(call("near128", &whole), halves(near));
        let far = (x << 64) ^ (x >> 100) ^ (bits >> 77).cast_signed();
        prop_assert_eq!(call("far128", &whole), halves(far));
        let bound = -(1 << 65);
        let clamped = if x < y && x != bound { x } else { bound };
        prop_assert_eq!(call("clamp128", &both), halves(clamped));
        prop_assert_eq!(call("ule128", &both), vec![u64::from(bits <= y.cast_unsigned())]);
        let low = u32::try_from(a & 0xffff_ffff).unwrap();
        prop_assert_eq!(call("sext128", &[u64::from(low)]), halves(i128::from(low.cast_signed())));
        prop_assert_eq!(call("zext128", &[a]), halves(i128::from(a)));
        prop_assert_eq!(call("trunc128", &whole), vec![a & 0xffff]);
    }
}
