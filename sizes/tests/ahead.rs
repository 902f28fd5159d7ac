//! Evaluations that stop: the peak is known where no allocation can follow, and nowhere else.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

/// A program that allocates 1000 bytes and calls a function which stops at a branch on a device result; `side` is one
/// of its ways, `after` is what main does behind the call.
fn stopping(
    change: impl FnOnce(&mut SizeProgram),
    side: impl FnOnce(&mut Body<'_>),
    after: impl FnOnce(&mut Body<'_>),
) -> Need {
    let mut build = Build::new();
    build.function("large", &[], |body, _| {
        body.cuda_malloc(int(5000));
        body.ret(int(0));
    });
    build.kernel("work");
    let stops = build.function("stops", &[], |body, _| {
        let result = body.device_result();
        let (left, right) = (body.block(), body.block());
        body.branch(result, left, right, OnUnknown::Stop);
        body.at(left);
        side(body);
        body.ret(int(0));
        body.at(right);
        body.ret(int(0));
    });
    build.main(|body, _| {
        body.cuda_malloc(int(1000));
        body.callee(Callee::Function(stops), &[]);
        after(body);
        body.ret(int(0));
    });
    change(&mut build.program);
    build.need(&[])
}

fn nothing(_: &mut Body<'_>) {}

fn unchanged(_: &mut SizeProgram) {}

#[test]
fn where_only_launches_may_follow_the_peak_is_known() {
    let launch = |body: &mut Body<'_>| {
        body.launch(0, int((1 << 32) | 8), 32);
        body.call("cudaFree", &[(int(0), Type::Ptr)]);
        body.call("printf", &[(int(0), Type::Ptr)]);
    };
    let need = stopping(unchanged, launch, launch);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(1004)))
    );
    assert_eq!(need.unknowns[0].what, "launches from here on");
    let reason = &need.unknowns[0].reason;
    assert!(reason.ends_with("; no allocation can follow"), "{reason}");
    assert!(need.assumptions.is_empty());
}

#[test]
fn launches_before_are_a_least_number() {
    let mut build = Build::new();
    build.kernel("work");
    build.main(|body, _| {
        let result = body.device_result();
        let (again, out) = (body.block(), body.block());
        body.launch(0, int((1 << 32) | 8), 32);
        body.branch(result, again, out, OnUnknown::Stop);
        body.at(again);
        body.launch(0, int((1 << 32) | 9), 32);
        body.ret(int(0));
        body.at(out);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::Assumed);
    assert_eq!(
        (need.launches[0].count, need.launches[0].count_known),
        (1, false)
    );
}

#[test]
fn any_way_to_an_allocation_makes_a_lower_bound() {
    let direct = |body: &mut Body<'_>| {
        body.cuda_malloc(int(7));
    };
    let called = |body: &mut Body<'_>| {
        body.callee(Callee::Function(0), &[]);
    };
    let through_pointer = |body: &mut Body<'_>| {
        let pointer = body.alloca(8);
        body.callee(Callee::Indirect(pointer), &[]);
    };
    let given = |body: &mut Body<'_>| {
        body.call("__cxa_atexit", &[(Operand::Function(0), Type::Ptr)]);
    };
    let outside = |name: &'static str| {
        move |body: &mut Body<'_>| {
            body.call(name, &[]);
        }
    };
    let needs = [
        stopping(unchanged, direct, nothing),
        stopping(unchanged, nothing, direct),
        stopping(unchanged, called, nothing),
        stopping(unchanged, nothing, called),
        stopping(unchanged, through_pointer, nothing),
        stopping(unchanged, nothing, given),
        stopping(unchanged, outside("cudaGraphLaunch"), nothing),
        stopping(unchanged, outside("cublasCreate_v2"), nothing),
        stopping(unchanged, outside("qsort"), nothing),
        stopping(
            |program| program.opaque.push("plugin".to_owned()),
            outside("plugin"),
            nothing,
        ),
    ];
    for (number, need) in needs.iter().enumerate() {
        assert_eq!(need.verdict, Verdict::LowerBound, "{number}");
        assert_eq!(need.unknowns[0].what, "branch", "{number}");
    }
}
