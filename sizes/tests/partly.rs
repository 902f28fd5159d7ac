//! Memory of which only a part was written: what is known of it is not lost where a compiler moves or compares more.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_sizes::{Need, Verdict};

fn told(need: &Need) -> (Verdict, Option<u64>) {
    (need.verdict, need.peak.map(|bytes| bytes.0))
}

/// Takes as many bytes as `size` makes.
fn taken(fill: impl FnOnce(&mut Body<'_>, &[Operand]) -> Operand) -> Need {
    let mut build = Build::new();
    let texts = [build.text("real"), build.text("pattern")];
    build.main(|body, _| {
        let bytes = fill(body, &texts);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn a_field_survives_the_move_of_a_word_with_padding() {
    // struct { char letter; int type; } moved as one word; the bytes between are never written.
    let moved = |offset: i64, ty: Type| {
        taken(|body, _| {
            let (from, to) = (body.alloca(8), body.alloca(8));
            body.store(Type::Int(8), int(99), from);
            let second = body.offset(from, 4, vec![]);
            body.store(I32, int(4096), second);
            let word = body.load(I64, from);
            body.store(I64, word, to);
            let field = body.offset(to, offset, vec![]);
            let field = body.load(ty, field);
            body.cast(Cast::Bits, ty, I64, field)
        })
    };
    assert_eq!(told(&moved(4, I32)), (Verdict::Exact, Some(4096)));
    assert_eq!(told(&moved(0, Type::Int(8))), (Verdict::Exact, Some(99)));
    assert_eq!(told(&moved(1, Type::Int(8))), (Verdict::Unknown, None));
}

#[test]
fn a_short_text_differs_from_a_longer_one_though_nothing_is_behind_its_end() {
    let compared = |with: usize, how: fn(&mut Body<'_>, Operand, Operand) -> Operand| {
        taken(move |body, texts| {
            let buffer = body.alloca(64);
            body.call("strcpy", &[(buffer, Type::Ptr), (texts[0], Type::Ptr)]);
            let holds = how(body, buffer, texts[with]);
            let wide = body.cast(Cast::Bits, Type::Int(1), I64, holds);
            body.binary(BinaryOp::Mul, I64, wide, int(512))
        })
    };
    let by_word = |body: &mut Body<'_>, a, b| {
        let (a, b) = (body.load(I64, a), body.load(I64, b));
        let dst = body.register();
        body.op(Op::Compare {
            dst,
            ty: I64,
            op: Compare::Ne,
            a,
            b,
        });
        Operand::Reg(dst)
    };
    assert_eq!(told(&compared(1, by_word)), (Verdict::Exact, Some(512)));
    let by_call = |body: &mut Body<'_>, a, b| {
        let order = body.call("bcmp", &[(a, Type::Ptr), (b, Type::Ptr), (int(8), I64)]);
        body.compare(Compare::SGt, order, int(0))
    };
    assert_eq!(told(&compared(1, by_call)), (Verdict::Exact, Some(512)));
    // The same text: what follows decides, and is not known.
    assert_eq!(told(&compared(0, by_call)), (Verdict::Unknown, None));
}
