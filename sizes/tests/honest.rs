//! What must not be claimed: code that is not looked into, exceptions, results that C leaves open, failing ends.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Limits, Need, Verdict, evaluate};

/// Allocates 1000 bytes, calls a function outside with a pointer to a 5, allocates 16 more.
fn with_call(name: &str, prepare: impl FnOnce(&mut SizeProgram)) -> Need {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(1000));
        let slot = body.alloca(8);
        body.store(I64, int(5), slot);
        body.call(name, &[(slot, Type::Ptr)]);
        body.cuda_malloc(int(16));
        body.ret(int(0));
    });
    prepare(&mut build.program);
    build.need(&[])
}

#[test]
fn a_call_that_was_not_looked_into_makes_a_lower_bound() {
    let name = "_ZN3lib6createEPPv";
    let need = with_call(name, |program| program.opaque.push(name.to_owned()));
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::LowerBound, Some(Bytes(1016)))
    );
    let unknown = &need.unknowns[0];
    assert_eq!(unknown.what, "call of lib::create");
    assert_eq!(
        unknown.reason,
        "its code was not looked into; it may take device memory"
    );
    assert_eq!(unknown.site.as_ref().unwrap().to_string(), "test.cu:5");
    assert_eq!(with_call(name, |_| {}).verdict, Verdict::Exact);
}

#[test]
fn a_library_may_define_a_name_that_has_a_model() {
    let opaque = |name: &str| with_call(name, |program| program.opaque.push(name.to_owned()));
    assert_eq!(opaque("atoi").verdict, Verdict::LowerBound);
    assert_eq!(opaque("cudaDeviceSynchronize").verdict, Verdict::Exact);
}

#[test]
fn a_skipped_branch_with_a_call_that_was_not_looked_into_makes_a_lower_bound() {
    let mut build = Build::new();
    build.program.opaque.push("load_plugin".to_owned());
    build.main(|body, _| {
        let result = body.device_result();
        let (side, join) = (body.block(), body.block());
        body.branch(result, side, join, OnUnknown::Join(join));
        body.at(side);
        body.call("load_plugin", &[]);
        body.jump(join);
        body.at(join);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::LowerBound);
    assert_eq!(need.unknowns[0].what, "call of load_plugin");
}

#[test]
fn an_exception_that_the_code_does_not_follow_ends_the_evaluation() {
    let caught = |program: &mut SizeProgram| program.catches.push(Place { file: 0, line: 9 });
    // Here nothing behind the call asks whether an exception is on its way, as in a library that was joined later.
    let throwers = ["__cxa_throw", "_ZSt24__throw_invalid_argumentPKc"];
    for name in throwers {
        let need = with_call(name, caught);
        assert_eq!(
            (need.verdict, need.peak),
            (Verdict::LowerBound, Some(Bytes(1000)))
        );
        let unknown = &need.unknowns[0];
        assert_eq!(
            unknown.reason,
            "an exception is thrown here; its way to a handler is not followed"
        );
        assert_eq!(unknown.site.as_ref().unwrap().line, 5);
        let reason = &with_call(name, |_| {}).unknowns[0].reason;
        assert!(
            reason.contains("the program throws an exception"),
            "{reason}"
        );
    }
}

/// Allocates what some arithmetic on `argv[1]`, a double, gives.
fn sized(word: &str, size: impl FnOnce(&mut Body<'_>, Operand) -> Operand) -> Need {
    let mut build = Build::new();
    build.main(|body, params| {
        let slot = body.offset(params[1], 8, Vec::new());
        let word = body.load(Type::Ptr, slot);
        let number = body.call("atof", &[(word, Type::Ptr)]);
        let bytes = size(body, number);
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.need(&[word])
}

fn square(word: &str) -> Need {
    sized(word, |body, number| {
        let n = body.cast(Cast::FToS, Type::F64, I32, number);
        let square = body.no_wrap(BinaryOp::Mul, I32, n, n);
        body.sext(square)
    })
}

#[test]
fn signed_overflow_gives_nothing_that_is_known() {
    assert_eq!(square("40000").peak, Some(Bytes(1_600_000_000)));
    let need = square("50000");
    assert_eq!((need.verdict, need.peak), (Verdict::Unknown, None));
    assert_eq!(
        need.unknowns[0].reason,
        "it depends on a signed overflow: the compiled program need not wrap (test.cu:5)"
    );
    let wrapping = sized("50000", |body, number| {
        let n = body.cast(Cast::FToS, Type::F64, I32, number);
        body.binary(BinaryOp::Mul, I32, n, n)
    });
    assert_eq!(wrapping.peak, Some(Bytes(2_500_000_000)));
}

#[test]
fn a_float_that_does_not_fit_gives_nothing_that_is_known() {
    let unsigned = |word: &str| {
        sized(word, |body, number| {
            body.cast(Cast::FToU, Type::F64, I64, number)
        })
    };
    assert_eq!(unsigned("4e9").peak, Some(Bytes(4_000_000_000)));
    assert_eq!(unsigned("0x1p12").peak, Some(Bytes(4096)));
    for word in ["nan", "nan(7)", "1e30", "-1", "inf"] {
        let need = unsigned(word);
        assert_eq!(
            (need.verdict, need.peak),
            (Verdict::Unknown, None),
            "{word}"
        );
        let reason = &need.unknowns[0].reason;
        assert!(reason.contains("does not fit the whole number"), "{reason}");
    }
}

#[test]
fn a_cube_root_is_assumed() {
    let need = sized("3375", |body, number| {
        let root = body.call("cbrt", &[(number, Type::F64)]);
        body.cast(Cast::FToU, Type::F64, I64, root)
    });
    assert!(need.peak.is_some_and(|peak| (14..=15).contains(&peak.0)));
    assert_eq!(need.verdict, Verdict::Assumed);
    let reason = &need.assumptions[0].reason;
    assert!(reason.contains("its last digit differs"), "{reason}");
}

#[test]
fn loose_floats_are_assumed_only_where_they_were_met() {
    let with = |product: bool| {
        let mut build = Build::new();
        build.program.loose_floats = Some("-ffast-math".to_owned());
        build.main(|body, _| {
            let (half, four) = (int(0.5f64.to_bits() as i64), int(4f64.to_bits() as i64));
            let (other, go) = (body.block(), body.block());
            let is_product = int(i64::from(product));
            body.branch(is_product, other, go, OnUnknown::Stop);
            body.at(other);
            let two = body.binary(BinaryOp::FMul, Type::F64, half, four);
            let bytes = body.cast(Cast::FToU, Type::F64, I64, two);
            body.cuda_malloc(bytes);
            body.jump(go);
            body.at(go);
            body.cuda_malloc(int(5));
            body.ret(int(0));
        });
        build.need(&[])
    };
    let need = with(true);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(7)))
    );
    assert_eq!(need.assumptions[0].what, "floating-point arithmetic");
    assert_eq!(need.assumptions[0].reason, "-ffast-math");
    assert_eq!(with(false).verdict, Verdict::Exact);
}

/// Launches with `argv[1]` blocks and exits with 3 where the runtime tells an error.
fn launching() -> Build {
    let mut build = Build::new();
    let kernel = build.kernel("work");
    build.main(|body, params| {
        body.cuda_malloc(int(64));
        let blocks = body.argument(params[1], 1);
        let grid = body.binary(BinaryOp::Or, I64, blocks, int(1 << 32));
        body.launch(kernel, grid, 32);
        let (bad, good) = (body.block(), body.block());
        let error = body.call("cudaGetLastError", &[]);
        let fails = body.compare(Compare::Ne, error, int(0));
        body.branch(fails, bad, good, OnUnknown::Stop);
        body.at(bad);
        let again = body.call("cudaGetLastError", &[]);
        let code = body.binary(BinaryOp::Add, I32, again, int(3));
        body.call("exit", &[(code, I32)]);
        body.at(good);
        body.cuda_malloc(int(64));
        body.ret(int(0));
    });
    build
}

#[test]
fn a_launch_that_the_driver_refuses_does_not_count_and_its_error_is_seen_once() {
    let need = launching().need(&["0"]);
    assert_eq!((need.verdict, need.peak), (Verdict::Exact, Some(Bytes(64))));
    assert!(need.launches.is_empty() && need.unknowns.is_empty());
    let reasons: Vec<&str> = need.notes.iter().map(|note| &note.reason[..]).collect();
    assert_eq!(
        reasons,
        [
            "it is refused by the driver: grid of 0 blocks",
            "it fails with code 3"
        ]
    );
    let note = &need.notes[0];
    assert_eq!(note.what, "launch of work");
    assert_eq!(note.site.as_ref().unwrap().line, 7);
    let need = launching().need(&["5"]);
    assert_eq!((need.peak, need.launches.len()), (Some(Bytes(128)), 1));
    assert!(need.notes.is_empty());
}

#[test]
fn launches_by_function_tell_a_refusal_at_once() {
    let status = |threads: i64| {
        let mut build = Build::new();
        let stub = build.function("_Z19__device_stub__workv", &[], |body, _| body.ret(int(0)));
        build.main(|body, _| {
            let block = (int((1 << 32) | threads), int(1));
            let args = [
                (Operand::Function(stub), Type::Ptr),
                (int((1 << 32) | 1), I64),
                (int(1), I32),
                (block.0, I64),
                (block.1, I32),
                (int(0), Type::Ptr),
                (int(0), I64),
                (int(0), Type::Ptr),
            ];
            let status = body.call("cudaLaunchKernel", &args);
            body.cuda_malloc(status);
            body.ret(int(0));
        });
        let need = build.need(&[]);
        (need.peak, need.launches.len())
    };
    assert_eq!(status(1024), (Some(Bytes(0)), 1));
    assert_eq!(status(1025), (Some(Bytes(9)), 0));
}

#[test]
fn a_launch_by_structure_counts() {
    let mut build = Build::new();
    let stub = build.function("_Z19__device_stub__workv", &[], |body, _| body.ret(int(0)));
    build.main(|body, _| {
        let with = body.alloca(56);
        for (offset, number) in [(0, 7), (4, 1), (8, 1), (12, 64), (16, 2), (20, 1)] {
            let field = body.offset(with, offset, Vec::new());
            body.store(I32, int(number), field);
        }
        for offset in [24, 32] {
            let field = body.offset(with, offset, Vec::new());
            body.store(I64, int(0), field);
        }
        let args = [(with, Type::Ptr), (Operand::Function(stub), Type::Ptr)];
        body.call("cudaLaunchKernelExC", &args);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::Exact);
    assert_eq!(need.launches[0].warps(), Some(28));
    assert_eq!(need.launches[0].kernel, "_Z4workv");
}

#[test]
fn a_failing_exit_after_an_allocation_is_a_true_end() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(1000));
        body.call("exit", &[(int(1), I32)]);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(1000)))
    );
    assert!(need.unknowns.is_empty());
    let note = &need.notes[0];
    assert_eq!(note.what, "end of the program");
    assert_eq!(note.reason, "it fails with code 1");
    assert_eq!(note.site.as_ref().unwrap().line, 3);
}

#[test]
fn a_jump_back_to_setjmp_is_not_followed() {
    let mut build = Build::new();
    build.main(|body, _| {
        let slot = body.alloca(8);
        body.call("_setjmp", &[(slot, Type::Ptr)]);
        body.cuda_malloc(int(1000));
        body.call("longjmp", &[(slot, Type::Ptr), (int(1), I32)]);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::LowerBound, Some(Bytes(1000)))
    );
    assert_eq!(need.unknowns[0].what, "longjmp");
    let opaque = |program: &mut SizeProgram| program.opaque.push("setjmp".to_owned());
    assert_eq!(with_call("setjmp", opaque).verdict, Verdict::Exact);
}

/// Allocates `1000 + errno` bytes after `call` with the text, with `errno` set to 5 before.
fn errno_after(call: &str, text: &str) -> Need {
    let mut build = Build::new();
    let text = build.text(text);
    build.main(|body, _| {
        let errno = body.call("__errno_location", &[]);
        body.store(I32, int(5), errno);
        body.call(
            call,
            &[(text, Type::Ptr), (int(0), Type::Ptr), (int(10), I32)],
        );
        let read = body.load(I32, errno);
        let read = body.sext(read);
        let bytes = body.binary(BinaryOp::Add, I64, read, int(1000));
        body.cuda_malloc(bytes);
        body.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn errno_is_known_only_after_what_sets_it_as_the_model_does() {
    let huge = "99999999999999999999";
    for (call, text, bytes) in [
        ("strtol", "12", 1005),
        ("strtol", huge, 1034),
        ("__isoc23_strtoull", huge, 1034),
        ("strtol", "-9223372036854775808", 1005),
        ("strtol", "9223372036854775808", 1034),
        ("strtoul", "9223372036854775808", 1005),
        ("strtod", "0.0", 1005),
        ("strtod", "1.5", 1005),
        ("strlen", "x", 1005),
        ("printf", "x", 1005),
    ] {
        let need = errno_after(call, text);
        assert_eq!(
            (need.verdict, need.peak),
            (Verdict::Exact, Some(Bytes(bytes))),
            "{call} {text}"
        );
    }
    for (call, text) in [
        ("fopen", "/none"),
        ("strtod", "1e999"),
        ("atoi", "1"),
        ("strtod", "1e-999"),
    ] {
        assert_eq!(
            errno_after(call, text).verdict,
            Verdict::Unknown,
            "{call} {text}"
        );
    }
}

/// Takes 1000 bytes, goes past a check, and takes 16 more or none.
fn past_a_check(on_device: i64, behind: bool) -> Build {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(1000));
        body.call(UNCHECKED, &[(int(on_device), Type::Int(1))]);
        if behind {
            body.cuda_malloc(int(16));
        }
        body.ret(int(0));
    });
    build
}

#[test]
fn what_comes_behind_a_check_that_is_not_made_rests_on_it() {
    let need = past_a_check(0, true).need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(1016)))
    );
    assert_eq!(
        need.assumptions[0].reason,
        "it is taken to pass: the work that it looks at is not done here"
    );
    let on_device = past_a_check(1, true).need(&[]);
    assert_eq!(
        on_device.assumptions[0].reason,
        "it is taken to pass: it depends on a result of the device"
    );
    assert_eq!(past_a_check(0, false).need(&[]).verdict, Verdict::Exact);
}

/// The need where a second program makes the check: `fill` writes what comes behind the first 1000 bytes.
fn with_the_check_made(fill: impl FnOnce(&mut Body<'_>)) -> Need {
    let mut profile = past_a_check(0, true).profile();
    let mut checked = Build::new();
    checked.main(|body, _| {
        body.cuda_malloc(int(1000));
        fill(body);
    });
    profile.checked = Some(checked.program);
    evaluate(&profile, &command(&[]), &device(), &Limits::default())
}

#[test]
fn a_check_that_can_be_made_decides() {
    let passes = with_the_check_made(|body| {
        body.cuda_malloc(int(16));
        body.ret(int(0));
    });
    assert_eq!(
        (passes.verdict, passes.peak),
        (Verdict::Exact, Some(Bytes(1016)))
    );
    let fails = with_the_check_made(|body| {
        body.call("exit", &[(int(1), I32)]);
        body.ret(int(1));
    });
    assert_eq!(
        (fails.verdict, fails.peak),
        (Verdict::Exact, Some(Bytes(1000)))
    );
}

#[test]
fn a_check_that_takes_too_long_is_taken_to_pass() {
    let endless = with_the_check_made(|body| {
        let turn = body.block();
        body.jump(turn);
        body.at(turn);
        body.jump(turn);
    });
    assert_eq!(
        (endless.verdict, endless.peak),
        (Verdict::Assumed, Some(Bytes(1016)))
    );
}
