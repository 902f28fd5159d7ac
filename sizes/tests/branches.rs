//! Branches whose condition is not known: each rule, its assumption, and what becomes unknown.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{BranchTaken, Event, Limits, Verdict, evaluate, evaluate_traced};

/// A branch on a device result with sides 1 and 2, which both lead to 3, where `after` goes on.
fn forked(
    rule: OnUnknown,
    side: impl FnOnce(&mut Body<'_>, Operand),
    after: impl FnOnce(&mut Body<'_>, Operand),
) -> Build {
    let mut build = Build::new();
    build.main(|body, _| {
        let size = body.alloca(8);
        body.store(I64, int(100), size);
        let (left, right, join) = (body.block(), body.block(), body.block());
        let unknown = body.device_result();
        let condition = body.compare(Compare::Ne, unknown, int(0));
        body.branch(condition, left, right, rule);
        body.at(left);
        side(body, size);
        body.jump(join);
        body.at(right);
        body.jump(join);
        body.at(join);
        after(body, size);
        body.ret(int(0));
    });
    build
}

fn allocate_what_is_stored(body: &mut Body<'_>, size: Operand) {
    let bytes = body.load(I64, size);
    body.cuda_malloc(bytes);
}

#[test]
fn without_a_rule_the_evaluation_stops_and_says_where() {
    let need = forked(OnUnknown::Stop, |_, _| {}, allocate_what_is_stored).need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::LowerBound, Some(Bytes(4)))
    );
    assert_eq!(need.unknowns[0].what, "branch");
    let site = need.unknowns[0].site.as_ref().unwrap().to_string();
    assert!(
        need.unknowns[0]
            .reason
            .contains("result of the device (test.cu:8)"),
        "{site} {:?}",
        need.unknowns
    );
}

#[test]
fn a_check_is_taken_to_pass() {
    let fail = |body: &mut Body<'_>, _: Operand| {
        body.call("exit", &[(int(2), I32)]);
    };
    let need = forked(OnUnknown::CheckPasses(2), fail, allocate_what_is_stored).need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(104)))
    );
    assert_eq!(need.assumptions.len(), 1);
    assert_eq!(need.assumptions[0].what, "check");
}

#[test]
fn the_side_with_cuda_calls_is_taken() {
    let side = |body: &mut Body<'_>, _: Operand| {
        body.cuda_malloc(int(1000));
    };
    let need = forked(OnUnknown::TakeCuda(1), side, |_, _| {}).need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(1004)))
    );
}

#[test]
fn what_a_skipped_side_writes_becomes_unknown() {
    let side = |body: &mut Body<'_>, size: Operand| body.store(I64, int(7), size);
    let need = forked(OnUnknown::Join(3), side, allocate_what_is_stored).need(&[]);
    assert_eq!(need.verdict, Verdict::LowerBound);
    assert!(need.unknowns[0].reason.contains("result of the device"));
}

#[test]
fn what_a_skipped_side_leaves_alone_stays_known() {
    let side = |body: &mut Body<'_>, _: Operand| {
        let other = body.alloca(8);
        body.store(I64, int(7), other);
        body.call("puts", &[(other, Type::Ptr)]);
    };
    let need = forked(OnUnknown::Join(3), side, allocate_what_is_stored).need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Exact, Some(Bytes(104)))
    );
}

#[test]
fn a_write_through_a_followed_pointer_is_seen_when_skipped() {
    let side = |body: &mut Body<'_>, size: Operand| {
        let inside = body.offset(size, 0, vec![(int(0), I32, 8)]);
        body.call("strcpy", &[(inside, Type::Ptr), (inside, Type::Ptr)]);
    };
    let need = forked(OnUnknown::Join(3), side, allocate_what_is_stored).need(&[]);
    assert_eq!(need.verdict, Verdict::LowerBound);
}

#[test]
fn a_value_chosen_by_an_unknown_branch_is_unknown_unless_both_are_the_same() {
    for (right, verdict) in [(100, Verdict::Exact), (50, Verdict::LowerBound)] {
        let need = forked(
            OnUnknown::Join(3),
            |_, _| {},
            |body, _| {
                let bytes = body.phi(I64, vec![(1, int(100)), (2, int(right))]);
                body.cuda_malloc(bytes);
            },
        )
        .need(&[]);
        assert_eq!(need.verdict, verdict, "{right}");
    }
}

/// `outer` times: launch once before the loop's test (`at_end`) or behind it.
fn device_loop(at_end: bool, outer: i64) -> Build {
    let mut build = Build::new();
    let kernel = build.kernel("relax");
    build.main(|body, _| {
        let (head, test, work, next, done) = (
            body.block(),
            body.block(),
            body.block(),
            body.block(),
            body.block(),
        );
        body.jump(head);
        body.at(head);
        let turn = body.phi(I32, vec![(0, int(0))]);
        body.jump(if at_end { work } else { test });
        body.at(work);
        body.launch(kernel, int((1 << 32) | 4), 32);
        body.jump(test);
        body.at(test);
        let over = body.device_result();
        let condition = body.compare(Compare::Ne, over, int(0));
        let rule = match at_end {
            true => OnUnknown::LoopOnce {
                body: next,
                exit: next,
            },
            false => OnUnknown::LoopOnce {
                body: work,
                exit: next,
            },
        };
        body.branch(condition, work, next, rule);
        body.at(next);
        let more = body.binary(BinaryOp::Add, I32, turn, int(1));
        body.add_incoming(head, 0, next, more);
        let again = body.compare(Compare::SLt, more, int(outer));
        body.branch(again, head, done, OnUnknown::Stop);
        body.at(done);
        body.ret(int(0));
    });
    build
}

#[test]
fn the_body_of_a_loop_on_a_device_result_runs_once_each_time() {
    for at_end in [true, false] {
        let need = device_loop(at_end, 3).need(&[]);
        assert_eq!(need.verdict, Verdict::Assumed, "{at_end}");
        assert_eq!(need.launches[0].count, 3, "{at_end}");
        assert!(!need.launches[0].count_known, "{at_end}");
        assert_eq!(need.assumptions.len(), 1, "{at_end}");
        assert_eq!(need.assumptions[0].what, "loop");
    }
}

#[test]
fn a_loop_without_end_meets_the_limit() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(8));
        let again = body.block();
        body.jump(again);
        body.at(again);
        body.jump(again);
    });
    let limits = Limits {
        steps: 1000,
        ..Limits::default()
    };
    let need = evaluate(&build.profile(), &command(&[]), &device(), &limits);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::LowerBound, Some(Bytes(8)))
    );
    assert!(need.steps <= 1010);
    assert_eq!(
        need.unknowns[0].reason,
        "it took more than 1000 steps (--step-limit)"
    );
}

#[test]
fn endless_recursion_is_stopped() {
    let mut build = Build::new();
    build.function("deeper", &[], |body, _| {
        body.callee(Callee::Function(0), &[]);
        body.ret(int(0));
    });
    build.program.main = Some(0);
    let need = build.need(&[]);
    assert_eq!(need.verdict, Verdict::Unknown);
    assert_eq!(need.unknowns[0].reason, "calls are nested too deeply");
}

#[test]
fn the_trace_tells_branches_and_events() {
    let build = device_loop(true, 2);
    let (need, trace) = evaluate_traced(
        &build.profile(),
        &command(&[]),
        &device(),
        &Limits::default(),
    );
    let taken = |block, target| BranchTaken {
        function: 0,
        block,
        target,
    };
    assert_eq!(
        trace.branches,
        [taken(2, 4), taken(4, 1), taken(2, 4), taken(4, 5)]
    );
    let launches = trace
        .events
        .iter()
        .filter(|event| matches!(event, Event::Launch { .. }))
        .count();
    assert_eq!(launches as u64, need.launches[0].count);
    assert_eq!(trace.events.len(), 4);
    assert!(!trace.cut);
}
