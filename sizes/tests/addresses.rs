//! What a program makes of addresses: known within one object, unknown between objects unless no layout matters.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

/// Allocates what `size` makes of the addresses of two objects of 100 bytes of host memory, and 64.
fn sized(size: impl FnOnce(&mut Body<'_>, [Operand; 2]) -> Operand) -> Need {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(64));
        let new = |body: &mut Body<'_>| body.call("malloc", &[(int(100), I64)]);
        let (first, second) = (new(body), new(body));
        let size = size(body, [first, second]);
        body.cuda_malloc(size);
        body.ret(int(0));
    });
    build.need(&[])
}

fn number(body: &mut Body<'_>, pointer: Operand) -> Operand {
    body.cast(Cast::Bits, Type::Ptr, I64, pointer)
}

fn pointers(body: &mut Body<'_>, op: Compare, a: Operand, b: Operand) -> Operand {
    let dst = body.register();
    body.op(Op::Compare {
        dst,
        ty: Type::Ptr,
        op,
        a,
        b,
    });
    let wide = body.register();
    body.op(Op::Cast {
        dst: wide,
        kind: Cast::Bits,
        from: Type::Int(1),
        to: I64,
        a: Operand::Reg(dst),
    });
    Operand::Reg(wide)
}

fn exact(need: &Need, peak: u64) {
    let told = (need.verdict, need.peak);
    assert_eq!(told, (Verdict::Exact, Some(Bytes(peak))), "{need:#?}");
}

fn unknown(need: &Need) {
    let told = (need.verdict, need.peak);
    assert_eq!(told, (Verdict::LowerBound, Some(Bytes(64))), "{need:#?}");
    let reason = &need.unknowns[0].reason;
    assert!(
        reason.starts_with("it depends on an address, which differs from run to run"),
        "{reason}"
    );
}

#[test]
fn differences_and_order_within_an_object_are_known() {
    exact(
        &sized(|body, [a, _]| {
            let end = body.offset(a, 80, Vec::new());
            let (a, end) = (number(body, a), number(body, end));
            body.binary(BinaryOp::Sub, I64, end, a)
        }),
        144,
    );
    let regrouped = sized(|body, [a, _]| {
        let end = body.offset(a, 80, Vec::new());
        let (a, end) = (number(body, a), number(body, end));
        let negative = body.binary(BinaryOp::Sub, I64, int(5), a);
        body.binary(BinaryOp::Add, I64, negative, end)
    });
    exact(&regrouped, 149);
    let order = sized(|body, [a, _]| {
        let end = body.offset(a, 80, Vec::new());
        pointers(body, Compare::ULt, a, end)
    });
    exact(&order, 65);
    assert_eq!(order.notes, []);
}

#[test]
fn whether_two_are_the_same_or_null_is_known() {
    exact(&sized(|body, [a, b]| pointers(body, Compare::Ne, a, b)), 65);
    exact(
        &sized(|body, [a, _]| pointers(body, Compare::UGt, a, int(0))),
        65,
    );
    exact(
        &sized(|body, [a, _]| pointers(body, Compare::Eq, a, int(-1))),
        64,
    );
}

#[test]
fn what_two_objects_lie_apart_is_not_known() {
    unknown(&sized(|body, [a, b]| {
        let (a, b) = (number(body, a), number(body, b));
        body.binary(BinaryOp::Sub, I64, b, a)
    }));
    unknown(&sized(|body, [a, b]| pointers(body, Compare::ULt, a, b)));
    unknown(&sized(|body, [a, _]| {
        let a = number(body, a);
        let hashed = body.binary(BinaryOp::Mul, I64, a, int(0x9E37_79B9_7F4A_7C15_u64 as i64));
        body.binary(BinaryOp::LShr, I64, hashed, int(40))
    }));
    unknown(&sized(|body, [a, _]| {
        body.cast(Cast::Bits, Type::Ptr, I32, a)
    }));
    unknown(&sized(|body, [a, _]| {
        let slot = body.alloca(8);
        body.store(Type::Ptr, a, slot);
        body.load(I32, slot)
    }));
}

#[test]
fn alignment_is_known_as_far_as_it_is_promised() {
    let low = |mask: i64| {
        sized(|body, [a, _]| {
            let third = body.offset(a, 3, Vec::new());
            let third = number(body, third);
            body.binary(BinaryOp::And, I64, third, int(mask))
        })
    };
    exact(&low(15), 67);
    unknown(&low(63));
    let aligned = |align: i64| {
        sized(|body, _| {
            let own = [(int(align), I64), (int(256), I64)];
            let new = body.call("aligned_alloc", &own);
            let new = number(body, new);
            body.binary(BinaryOp::URem, I64, new, int(128))
        })
    };
    exact(&aligned(128), 64);
    unknown(&aligned(32));
}

#[test]
fn an_address_rounded_up_leads_where_it_led() {
    let rounded = sized(|body, [a, _]| {
        let a = number(body, a);
        let up = body.binary(BinaryOp::Add, I64, a, int(31));
        let up = body.binary(BinaryOp::And, I64, up, int(-32));
        let pointer = body.cast(Cast::Bits, I64, Type::Ptr, up);
        body.store(I64, int(77), pointer);
        body.load(I64, pointer)
    });
    exact(&rounded, 141);
    assert_eq!(rounded.notes[0].what, "where objects lie");
    unknown(&sized(|body, [a, _]| {
        let a = number(body, a);
        let up = body.binary(BinaryOp::Add, I64, a, int(31));
        let up = body.binary(BinaryOp::And, I64, up, int(-32));
        body.binary(BinaryOp::Sub, I64, up, a)
    }));
}

#[test]
fn an_order_that_does_not_matter_leaves_the_answer_exact() {
    let need = sized(|body, [a, b]| {
        let less = pointers(body, Compare::ULt, a, b);
        let more = pointers(body, Compare::UGt, a, b);
        body.binary(BinaryOp::Add, I64, less, more)
    });
    exact(&need, 65);
    assert_eq!(need.notes[0].what, "where objects lie");
}

#[test]
fn an_address_that_is_moved_by_nothing_stays_one() {
    for (op, by) in [
        (BinaryOp::LShr, 0),
        (BinaryOp::Or, 0),
        (BinaryOp::UDiv, 1),
        (BinaryOp::And, -1),
    ] {
        let need = sized(|body, [a, _]| {
            let same = number(body, a);
            let same = body.binary(op, I64, same, int(by));
            let same = body.cast(Cast::Bits, I64, Type::Ptr, same);
            body.store(I64, int(36), same);
            body.load(I64, a)
        });
        exact(&need, 100);
    }
}

#[test]
fn an_address_put_together_from_its_parts_leads_to_what_is_not_known() {
    let need = sized(|body, [a, _]| {
        body.store(I64, int(36), a);
        let whole = number(body, a);
        let high = body.binary(BinaryOp::LShr, I64, whole, int(32));
        let high = body.binary(BinaryOp::Shl, I64, high, int(32));
        let low = body.binary(BinaryOp::And, I64, whole, int(0xffff_ffff));
        let whole = body.binary(BinaryOp::Or, I64, high, low);
        let whole = body.cast(Cast::Bits, I64, Type::Ptr, whole);
        body.load(I64, whole)
    });
    let told = (need.verdict, need.peak);
    assert_eq!(told, (Verdict::LowerBound, Some(Bytes(64))), "{need:#?}");
}
