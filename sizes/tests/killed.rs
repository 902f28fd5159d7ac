//! Programs that a signal ends, and what is promised of texts: the sign of a comparison, a fraction in the C locale.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

/// Takes 1000 bytes, does something, takes 16 more.
fn between(act: impl FnOnce(&mut Body<'_>)) -> Need {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(1000));
        act(body);
        body.cuda_malloc(int(16));
        body.ret(int(0));
    });
    build.need(&[])
}

fn told(need: &Need) -> (Verdict, Option<u64>) {
    (need.verdict, need.peak.map(|bytes| bytes.0))
}

#[test]
fn what_a_null_pointer_or_an_abort_ends_took_what_it_took() {
    let stores = between(|body| body.store(I32, int(1), int(0)));
    assert_eq!(told(&stores), (Verdict::Exact, Some(1000)));
    assert_eq!(
        stores.notes[0].reason,
        "the program is killed, as it goes through a null pointer, here"
    );
    let loads = between(|body| {
        body.load(I32, int(24));
    });
    assert_eq!(told(&loads), (Verdict::Exact, Some(1000)));
    for name in ["abort", "__assert_fail"] {
        let aborts = between(|body| {
            body.call(name, &[]);
        });
        assert_eq!(told(&aborts), (Verdict::Exact, Some(1000)), "{name}");
    }
    let reads = between(|body| {
        body.call("atoi", &[(int(0), Type::Ptr)]);
    });
    assert_eq!(told(&reads), (Verdict::Exact, Some(1000)));
}

#[test]
fn a_program_that_is_killed_before_it_takes_anything_tells_nothing() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.call("atoi", &[(int(0), Type::Ptr)]);
        body.cuda_malloc(int(16));
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(told(&need), (Verdict::Unknown, None));
    let reason = &need.unknowns[0].reason;
    assert!(reason.contains("is an argument missing?"), "{reason}");
}

#[test]
fn what_a_handler_of_the_signal_does_is_not_followed() {
    let with_handler = |signal: i64, handler: i64| {
        between(|body| {
            body.call("signal", &[(int(signal), I32), (int(handler), Type::Ptr)]);
            body.call("abort", &[]);
        })
    };
    assert_eq!(
        told(&with_handler(6, 5000)),
        (Verdict::LowerBound, Some(1000))
    );
    assert_eq!(told(&with_handler(6, 0)), (Verdict::Exact, Some(1000)));
    assert_eq!(told(&with_handler(2, 5000)), (Verdict::Exact, Some(1000)));
}

/// Takes as many bytes as `size` makes of a comparison of two texts.
fn compared(size: impl FnOnce(&mut Body<'_>, Operand) -> Operand) -> Need {
    let mut build = Build::new();
    let (a, b) = (build.text("abc"), build.text("kkkk"));
    build.main(|body, _| {
        let order = body.call("strcmp", &[(a, Type::Ptr), (b, Type::Ptr)]);
        let bytes = size(body, order);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn of_a_comparison_only_the_sign_is_promised() {
    let sign = compared(|body, order| {
        let below = body.compare(Compare::SLt, order, int(0));
        let wide = body.cast(Cast::Bits, Type::Int(1), I64, below);
        body.binary(BinaryOp::Mul, I64, wide, int(77))
    });
    assert_eq!(told(&sign), (Verdict::Exact, Some(77)));
    let magnitude = compared(|body, order| {
        let above = body.binary(BinaryOp::Sub, I32, int(0), order);
        body.sext(above)
    });
    assert_eq!(told(&magnitude), (Verdict::Unknown, None));
    let reason = &magnitude.unknowns[0].reason;
    assert!(reason.contains("only the sign is promised"), "{reason}");
}

/// Takes as many bytes as a text in a language says.
fn in_language(language: &str, call: &str, text: &str) -> Need {
    let mut build = Build::new();
    let (language, text) = (build.text(language), build.text(text));
    build.main(|body, _| {
        body.call("setlocale", &[(int(6), I32), (language, Type::Ptr)]);
        let number = body.call(call, &[(text, Type::Ptr), (int(0), Type::Ptr)]);
        let bytes = body.cast(Cast::FToU, Type::F64, I64, number);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn a_fraction_is_read_as_the_language_writes_it() {
    for call in ["atof", "strtod"] {
        let german = in_language("de_DE.UTF-8", call, "1000.5");
        assert_eq!(told(&german), (Verdict::Unknown, None), "{call}");
        for language in ["C", "", "en_US.UTF-8"] {
            let need = in_language(language, call, "1000.5");
            assert_eq!(told(&need), (Verdict::Exact, Some(1000)), "{language}");
        }
        let whole = in_language("de_DE.UTF-8", call, "1000");
        assert_eq!(whole.peak, Some(Bytes(1000)));
    }
}
