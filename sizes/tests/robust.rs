//! No program, however malformed, makes the evaluation panic or run on.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_sizes::{Limits, evaluate_traced};
use proptest::prelude::*;

/// A program with a loop, memory, calls, a launch and an unknown branch.
fn sample() -> SizeProgram {
    let mut build = Build::new();
    let kernel = build.kernel("work");
    let format = build.text("%d");
    let callee = build.function("twice", &[I64], |body, params| {
        let twice = body.binary(BinaryOp::Shl, I64, params[0], int(1));
        body.ret(twice);
    });
    build.main(|body, params| {
        let size = body.argument(params[1], 1);
        let buffer = body.alloca(64);
        body.call(
            "sprintf",
            &[(buffer, Type::Ptr), (format, Type::Ptr), (size, I32)],
        );
        let (bytes, _) = body.callee(Callee::Function(callee), &[(size, I64)]);
        let (slot, _) = body.cuda_malloc(bytes);
        let (again, end) = (body.block(), body.block());
        body.jump(again);
        body.at(again);
        body.launch(kernel, bytes, 64);
        body.op(Op::MemCopy {
            to: buffer,
            from: slot,
            bytes: int(8),
        });
        let over = body.device_result();
        let more = body.compare(Compare::Ne, over, int(0));
        body.branch(
            more,
            again,
            end,
            OnUnknown::LoopOnce {
                body: end,
                exit: end,
            },
        );
        body.at(end);
        body.cuda_free(slot);
        body.ret(int(0));
    });
    build.program
}

fn evaluate_bytes(bytes: &[u8]) -> bool {
    let Ok(program) = postcard::from_bytes::<SizeProgram>(bytes) else {
        return false;
    };
    let mut profile = Build::new().profile();
    profile.program = Some(program);
    let limits = Limits {
        steps: 20_000,
        memory: 1 << 20,
        ..Limits::default()
    };
    let (_, trace) = evaluate_traced(&profile, &command(&["5"]), &device(), &limits);
    // Each branch and each event costs a step, so an evaluation that keeps its limit has no more of them.
    let noted = trace.branches.len() + trace.events.len();
    assert!(noted as u64 <= limits.steps, "{noted}");
    true
}

#[test]
fn the_sample_itself_is_evaluated() {
    assert!(evaluate_bytes(&postcard::to_stdvec(&sample()).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        evaluate_bytes(&bytes);
    }

    #[test]
    fn damaged_programs_never_panic(damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = postcard::to_stdvec(&sample()).unwrap();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        evaluate_bytes(&bytes);
    }
}
