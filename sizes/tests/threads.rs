//! Threads, parallel regions and MPI, seen through sizes: what runs where nobody can tell the order.

mod build;

use build::*;
use migfit_schema::program::*;
use migfit_schema::units::Bytes;
use migfit_sizes::{Need, Verdict};

/// What a thread of the tests does.
#[derive(Clone, Copy)]
enum Ends {
    Returns,
    Exits,
}

/// A thread that takes as many bytes as it is told and frees them; it gives half of that.
fn worker(build: &mut Build, ends: Ends) -> Operand {
    let id = build.function("worker", &[Type::Ptr], |body, params| {
        let bytes = body.load(I64, params[0]);
        let (slot, _) = body.cuda_malloc(bytes);
        body.cuda_free(slot);
        let half = body.binary(BinaryOp::UDiv, I64, bytes, int(2));
        match ends {
            Ends::Returns => {}
            Ends::Exits => {
                body.call("pthread_exit", &[(half, Type::Ptr)]);
            }
        }
        body.ret(half);
    });
    Operand::Function(id)
}

/// Starts threads, joins them, and takes what the last one gave.
fn need_of(sizes: &[i64], ends: Ends) -> Need {
    let mut build = Build::new();
    let run = worker(&mut build, ends);
    build.main(|main, _| {
        let mut ids = Vec::new();
        for size in sizes {
            let (id, told) = (main.alloca(8), main.alloca(8));
            main.store(I64, int(*size), told);
            let args = [
                (id, Type::Ptr),
                (int(0), Type::Ptr),
                (run, Type::Ptr),
                (told, Type::Ptr),
            ];
            main.call("pthread_create", &args);
            ids.push(id);
        }
        let gave = main.alloca(8);
        for id in ids {
            let id = main.load(I64, id);
            main.call("pthread_join", &[(id, I64), (gave, Type::Ptr)]);
        }
        let bytes = main.load(I64, gave);
        main.cuda_malloc(bytes);
        main.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn one_thread_runs_in_a_known_order() {
    for ends in [Ends::Returns, Ends::Exits] {
        let need = need_of(&[1000], ends);
        assert_eq!(
            (need.verdict, need.peak),
            (Verdict::Exact, Some(Bytes(1000)))
        );
        assert_eq!(need.live_at_end, Bytes(500));
    }
}

#[test]
fn what_several_threads_take_is_taken_to_be_alive_at_once() {
    let need = need_of(&[1000, 200, 60], Ends::Returns);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(1260)))
    );
    assert_eq!(need.live_at_end, Bytes(30));
    assert!(need.assumptions.iter().any(|note| note.what == "threads"));
}

/// A region of `threads` threads in which each adds its number and one to a sum that is then taken.
fn region(threads: Option<i64>) -> Need {
    let mut build = Build::new();
    let outlined = build.function("outlined", &[Type::Ptr; 3], |body, params| {
        let number = body.load(I32, params[0]);
        let number = body.sext(number);
        let old = body.load(I64, params[2]);
        let sum = body.binary(BinaryOp::Add, I64, old, number);
        let sum = body.binary(BinaryOp::Add, I64, sum, int(1));
        body.store(I64, sum, params[2]);
        body.ret(int(0));
    });
    build.main(|main, _| {
        let sum = main.alloca(8);
        main.store(I64, int(0), sum);
        if let Some(threads) = threads {
            main.call(
                "__kmpc_push_num_threads",
                &[(int(0), Type::Ptr), (int(0), I32), (int(threads), I32)],
            );
        }
        let shared = [
            (int(0), Type::Ptr),
            (int(1), I32),
            (Operand::Function(outlined), Type::Ptr),
            (sum, Type::Ptr),
        ];
        main.call("__kmpc_fork_call", &shared);
        let bytes = main.load(I64, sum);
        main.cuda_malloc(bytes);
        main.ret(int(0));
    });
    build.need(&[])
}

#[test]
fn a_region_runs_for_each_thread_where_their_number_is_known() {
    assert_eq!(region(Some(4)).peak, Some(Bytes(10)));
    assert_eq!(region(None).peak, Some(Bytes(1)));
}

#[test]
fn one_process_of_mpi_is_an_assumption() {
    let mut build = Build::new();
    build.main(|main, _| {
        let size = main.alloca(4);
        main.call("MPI_Comm_size", &[(int(0), Type::Ptr), (size, Type::Ptr)]);
        let size = main.load(I32, size);
        let size = main.sext(size);
        let bytes = main.binary(BinaryOp::SDiv, I64, int(4096), size);
        main.cuda_malloc(bytes);
        main.ret(int(0));
    });
    let need = build.need(&[]);
    assert_eq!(
        (need.verdict, need.peak),
        (Verdict::Assumed, Some(Bytes(4096)))
    );
    assert_eq!(need.assumptions[0].what, "MPI");
}
