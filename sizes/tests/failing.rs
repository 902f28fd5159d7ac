//! Calls that fail for what is known: a lack of memory, launches out of limits, frees of what is not there, a device
//! that is not there. What the program does then counts.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

const GIB: i64 = 1 << 30;

/// `main` with one call whose status may be looked at: then 100 bytes are taken where it is `error`, else 7.
fn after(look: bool, error: i64, call: impl FnOnce(&mut Body<'_>) -> Operand) -> Need {
    let mut build = Build::new();
    let kernel = build.kernel("k");
    assert_eq!(kernel, 0);
    build.main(|body, _| {
        body.cuda_malloc(int(10));
        let status = call(body);
        if !look {
            body.cuda_malloc(int(7));
            return body.ret(int(0));
        }
        let (failed, fine) = (body.block(), body.block());
        let is = body.compare(Compare::Eq, status, int(error));
        body.branch(is, failed, fine, OnUnknown::Stop);
        body.at(failed);
        body.cuda_malloc(int(100));
        body.ret(int(0));
        body.at(fine);
        body.cuda_malloc(int(7));
        body.ret(int(0));
    });
    build.need(&[])
}

fn told(need: &Need) -> (Verdict, Option<u64>) {
    (need.verdict, need.peak.map(|bytes| bytes.0))
}

fn malloc(body: &mut Body<'_>, bytes: i64) -> Operand {
    let slot = body.alloca(8);
    body.call("cudaMalloc", &[(slot, Type::Ptr), (int(bytes), I64)])
}

#[test]
fn a_lack_of_memory_that_is_looked_at_makes_an_elastic_answer() {
    let need = after(true, 2, |body| malloc(body, 8 * GIB));
    assert_eq!(told(&need), (Verdict::Elastic, Some(110)));
    assert_eq!(need.lacked, Some(Bytes((8 << 30) + (2 << 20))));
    assert_eq!(
        need.notes[0].reason,
        "it fails for lack of memory: with its 8.00 GiB the program would hold 8.00 GiB, and the device has 4.75 GiB"
    );
}

#[test]
fn behind_a_lack_of_memory_that_nobody_is_seen_to_look_at_the_program_is_taken_to_go_on() {
    for bytes in [8 * GIB, i64::MIN] {
        let need = after(false, 2, |body| malloc(body, bytes));
        assert_eq!(told(&need), (Verdict::Assumed, Some(17)));
        let assumed = &need.assumptions[0];
        assert_eq!(assumed.what, "cudaMalloc");
        assert_eq!(
            assumed.reason,
            "the program is taken to go on after its failure"
        );
    }
}

#[test]
fn what_fits_beside_a_context_is_certain_and_what_fits_without_one_is_assumed() {
    let one = |bytes: i64| {
        let mut build = Build::new();
        build.main(|body, _| {
            malloc(body, bytes);
            body.ret(int(0));
        });
        build.need(&[]).verdict
    };
    assert_eq!(one(4 * GIB), Verdict::Exact);
    assert_eq!(one((4864 - 10) << 20), Verdict::Assumed);
}

#[test]
fn a_loop_that_tries_smaller_sizes_ends_at_what_fits() {
    let mut build = Build::new();
    build.main(|body, _| {
        let (head, done, less) = (body.block(), body.block(), body.block());
        let entry = body.here();
        body.jump(head);
        body.at(head);
        let size = body.phi(I64, vec![(entry, int(64 * GIB))]);
        let slot = body.alloca(8);
        let status = body.call("cudaMalloc", &[(slot, Type::Ptr), (size, I64)]);
        let failed = body.compare(Compare::Ne, status, int(0));
        body.branch(failed, less, done, OnUnknown::Stop);
        body.at(less);
        body.call("cudaGetLastError", &[]);
        let half = body.binary(BinaryOp::LShr, I64, size, int(1));
        body.add_incoming(head, 0, less, half);
        body.jump(head);
        body.at(done);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(told(&need), (Verdict::Elastic, Some(4 << 30)));
    assert_eq!(need.lacked, Some(Bytes(64 << 30)));
}

#[test]
fn a_program_that_gives_up_for_lack_of_memory_got_what_it_got() {
    let mut build = Build::new();
    build.main(|body, _| {
        body.cuda_malloc(int(10));
        let status = malloc(body, 8 * GIB);
        let (failed, fine) = (body.block(), body.block());
        let is = body.compare(Compare::Ne, status, int(0));
        body.branch(is, failed, fine, OnUnknown::CheckPasses(fine));
        body.at(failed);
        body.ret(int(1));
        body.at(fine);
        body.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(told(&need), (Verdict::Exact, Some(10)));
    assert!(need.lacked > Some(Bytes(8 << 30)));
}

#[test]
fn frees_of_what_is_not_there_fail() {
    let twice = |body: &mut Body<'_>| {
        let (slot, _) = body.cuda_malloc(int(5));
        let pointer = body.load(Type::Ptr, slot);
        body.call("cudaFree", &[(pointer, Type::Ptr)]);
        body.call("cudaFree", &[(pointer, Type::Ptr)])
    };
    assert_eq!(told(&after(true, 1, twice)), (Verdict::Exact, Some(110)));
    assert_eq!(told(&after(false, 1, twice)), (Verdict::Assumed, Some(17)));
    let stranger = |body: &mut Body<'_>| body.call("cudaFree", &[(int(0x1234), Type::Ptr)]);
    assert_eq!(told(&after(true, 1, stranger)), (Verdict::Exact, Some(110)));
    let null = |body: &mut Body<'_>| body.call("cudaFree", &[(int(0), Type::Ptr)]);
    assert_eq!(told(&after(false, 0, null)), (Verdict::Exact, Some(17)));
}

#[test]
fn a_device_that_is_not_there_cannot_be_set() {
    let set = |device: i64| {
        move |body: &mut Body<'_>| {
            body.call("cudaSetDevice", &[(int(device), I32)]);
            body.call("cudaPeekAtLastError", &[]);
            body.call("cudaGetLastError", &[])
        }
    };
    assert_eq!(told(&after(true, 101, set(3))), (Verdict::Exact, Some(110)));
    assert_eq!(told(&after(true, 101, set(0))), (Verdict::Exact, Some(17)));
    assert_eq!(
        told(&after(false, 101, set(3))),
        (Verdict::Assumed, Some(17))
    );
}

/// The last error behind a launch with so much dynamic shared memory, after opting in to so much.
fn launched(shared: i64, opted: Option<i64>, error: i64) -> Need {
    let mut build = Build::new();
    build.kernel("k");
    let stub = build.function("_Z16__device_stub__kv", &[], |body, _| body.ret(int(0)));
    build.main(|body, _| {
        if let Some(bytes) = opted {
            let of = (Operand::Function(stub), Type::Ptr);
            body.call(
                "cudaFuncSetAttribute",
                &[of, (int(8), I32), (int(bytes), I32)],
            );
        }
        let one = int((1 << 32) | 1);
        let numbers = [(one, I64), (int(1), I32), (one, I64), (int(1), I32)];
        let mut args = vec![(Operand::Function(stub), Type::Ptr)];
        args.extend(numbers);
        args.extend([(int(0), Type::Ptr), (int(shared), I64), (int(0), Type::Ptr)]);
        let status = body.call("cudaLaunchKernel", &args);
        let last = body.call("cudaGetLastError", &[]);
        let again = body.call("cudaGetLastError", &[]);
        let sum = body.binary(BinaryOp::Add, I32, last, status);
        let sum = body.binary(BinaryOp::Add, I32, sum, again);
        let (failed, fine) = (body.block(), body.block());
        let is = body.compare(Compare::Eq, sum, int(2 * error));
        body.branch(is, fine, failed, OnUnknown::Stop);
        body.at(failed);
        body.cuda_malloc(int(100));
        body.ret(int(0));
        body.at(fine);
        body.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn more_shared_memory_than_48_kib_wants_opting_in() {
    let launches = |need: Need| {
        assert_eq!(
            (need.verdict, need.peak),
            (Verdict::Exact, Some(Bytes(0))),
            "{need:#?}"
        );
        need.launches.len()
    };
    assert_eq!(launches(launched(48 << 10, None, 0)), 1);
    assert_eq!(launches(launched((48 << 10) + 1, None, 1)), 0);
    assert_eq!(launches(launched(64 << 10, Some(64 << 10), 0)), 1);
    assert_eq!(launches(launched((64 << 10) + 1, Some(64 << 10), 1)), 0);
    // An A100's block has 163 KiB; an opt-in beyond fails and changes nothing.
    assert_eq!(launches(launched(163 << 10, Some(163 << 10), 0)), 1);
    assert_eq!(launches(launched(64 << 10, Some(164 << 10), 1)), 0);
}
