//! What stays of small programs: seen in the library calls and stores of the slice.

use crate::slice::draft::{
    I32, I64, add, alloca, block, branch, c, call, device, element, enter, function, g, get, give,
    global, joined, jump, less, library_calls, load, phi, program, r, store, text,
};
use crate::slice::{slice, slices};
use migfit_schema::program::{Block, Op, Operand, SizeProgram, Terminator, Type, UNCHECKED};

fn stores(program: &SizeProgram) -> usize {
    let blocks = program.functions.iter().flat_map(|body| &body.blocks);
    let ops = blocks.flat_map(|block| &block.ops);
    ops.filter(|found| matches!(found.op, Op::Store { .. }))
        .count()
}

fn sliced(blocks: Vec<Block>) -> SizeProgram {
    let main = function("main", 2, blocks);
    slice(&program(
        vec![main],
        vec![global("variable"), global("other")],
    ))
}

/// A counted loop (r10 to r2) around `ops`, then `after`. The blocks are 0 (`before`) to 3.
fn with_loop(before: Vec<Op>, ops: Vec<Op>, after: Vec<Op>) -> Vec<Block> {
    let next = vec![add(12, r(10), c(1))];
    vec![
        block(before, jump(1)),
        joined(
            vec![phi(10, &[(0, c(0)), (2, r(12))])],
            vec![less(11, r(10), r(2))],
            branch(r(11), 2, 3),
        ),
        block([ops, next].concat(), jump(1)),
        block(after, give(c(0))),
    ]
}

#[test]
fn a_loop_that_fills_what_is_copied_vanishes() {
    let slim = sliced(with_loop(
        vec![
            get(2, I64, "atoi", &[r(1)]),
            get(3, Type::Ptr, "malloc", &[r(2)]),
        ],
        vec![element(13, r(3), r(10)), store(I64, r(10), r(13))],
        vec![
            device(r(2)),
            call("cudaMemcpy", &[g(0), r(3), c(64), c(1)]),
            call("printf", &[r(3)]),
        ],
    ));
    assert_eq!(library_calls(&slim), ["atoi", "cudaMalloc"]);
    assert_eq!((stores(&slim), slim.functions[0].blocks.len()), (0, 1));
}

#[test]
fn a_reference_on_the_host_behind_a_check_vanishes() {
    let mut blocks = with_loop(
        vec![
            device(c(64)),
            alloca(3),
            call("cudaMemcpy", &[r(3), g(0), c(64), c(2)]),
        ],
        vec![load(13, I64, r(3)), store(I64, r(13), r(3))],
        vec![load(14, I64, r(3)), less(15, r(14), c(7))],
    );
    blocks[3].end = branch(r(15), 4, 5);
    blocks.push(block(vec![call("exit", &[c(1)])], Terminator::Unreachable));
    blocks.push(block(vec![call("cudaFree", &[g(0)])], give(c(0))));
    let slim = sliced(blocks);
    // That the program may give up there stays, as a call of no function.
    assert_eq!(library_calls(&slim), ["cudaMalloc", UNCHECKED, "cudaFree"]);
}

/// Ends the process where r15 is set, and takes device memory otherwise; `with_loop` and what it computes come before.
fn with_check(mut blocks: Vec<Block>) -> SizeProgram {
    blocks[3].end = branch(r(15), 4, 5);
    blocks.push(block(vec![call("exit", &[c(1)])], Terminator::Unreachable));
    blocks.push(block(vec![device(c(64))], give(c(0))));
    program(vec![function("main", 2, blocks)], vec![global("variable")])
}

#[test]
fn a_check_of_the_hosts_own_work_is_said_and_made_in_a_second_slice() {
    let (first, second) = slices(&with_check(with_loop(
        vec![get(2, I64, "atoi", &[r(1)]), alloca(3)],
        vec![
            load(13, I64, r(3)),
            add(14, r(13), r(10)),
            store(I64, r(14), r(3)),
        ],
        vec![load(16, I64, r(3)), less(15, r(16), c(7))],
    )));
    assert_eq!(library_calls(&first), [UNCHECKED, "cudaMalloc"]);
    assert_eq!(stores(&first), 0);
    let second = second.unwrap();
    assert_eq!(library_calls(&second), ["atoi", "exit", "cudaMalloc"]);
    assert_eq!(stores(&second), 1);
}

#[test]
fn a_check_in_a_loop_that_vanishes_is_said_where_the_loop_was() {
    let mut blocks = with_loop(
        vec![
            get(2, I64, "atoi", &[r(1)]),
            alloca(3),
            store(I64, r(2), r(3)),
        ],
        vec![load(13, I64, r(3)), less(14, r(13), c(7))],
        vec![device(c(64))],
    );
    blocks[2].end = branch(r(14), 4, 1);
    blocks.push(block(vec![call("abort", &[])], Terminator::Unreachable));
    let main = function("main", 2, blocks);
    let (first, _) = slices(&program(vec![main], vec![global("variable")]));
    assert_eq!(library_calls(&first), [UNCHECKED, "cudaMalloc"]);
    assert_eq!(first.functions[0].blocks.len(), 1);
}

#[test]
fn a_check_of_success_alone_is_not_mentioned() {
    let status = get(16, I32, "cudaMemset", &[g(0), c(0), c(64)]);
    let (first, second) = slices(&with_check(with_loop(
        vec![get(2, I64, "atoi", &[r(1)])],
        vec![],
        vec![status, less(15, c(0), r(16))],
    )));
    assert_eq!(library_calls(&first), ["cudaMalloc"]);
    assert!(second.is_none());
}

#[test]
fn a_store_through_a_pointer_to_what_is_read_is_kept_and_one_after_the_last_read_is_not() {
    let ops = vec![
        alloca(2),
        store(Type::Ptr, r(2), g(1)),
        load(3, Type::Ptr, g(1)),
        store(I64, c(640), r(3)),
        load(4, I64, r(2)),
        device(r(4)),
        store(I64, c(7), r(3)),
        store(I64, c(8), g(2)),
    ];
    let slim = sliced(vec![block(ops, give(c(0)))]);
    assert_eq!(stores(&slim), 2);
}

#[test]
fn a_loop_that_counts_is_kept_with_what_ends_it() {
    let slim = sliced(with_loop(
        vec![get(2, I64, "atoi", &[r(1)])],
        vec![call("puts", &[g(1)])],
        vec![device(r(10))],
    ));
    assert_eq!(library_calls(&slim), ["atoi", "cudaMalloc"]);
    assert_eq!(slim.functions[0].blocks.len(), 4);
}

#[test]
fn a_comparison_for_qsort_is_kept_whole() {
    let body = vec![
        load(2, I64, r(0)),
        load(3, I64, r(1)),
        store(I64, r(2), g(1)),
    ];
    let compare = function("compare", 2, vec![block(body, give(r(2)))]);
    let ops = vec![
        alloca(2),
        store(I64, c(5), r(2)),
        call("qsort", &[r(2), c(1), c(8), Operand::Function(1)]),
        load(3, I64, r(2)),
        device(r(3)),
    ];
    let main = function("main", 2, vec![block(ops, give(c(0)))]);
    let slim = slice(&program(vec![main, compare], vec![global("variable")]));
    assert_eq!(library_calls(&slim), ["qsort", "cudaMalloc"]);
    assert_eq!((slim.functions.len(), stores(&slim)), (2, 2));
    assert_eq!(slim.functions[1].blocks[0].ops.len(), 3);
}

#[test]
fn getopt_is_kept_for_the_word_that_it_finds() {
    let mut optarg = global("optarg");
    optarg.external = true;
    let ops = vec![
        get(2, I32, "getopt", &[r(0), r(1), g(2)]),
        load(3, Type::Ptr, g(1)),
        get(4, I64, "atoi", &[r(3)]),
        device(r(4)),
    ];
    let main = function("main", 2, vec![block(ops, give(c(0)))]);
    let slim = slice(&program(vec![main], vec![optarg, text("n:")]));
    assert_eq!(library_calls(&slim), ["getopt", "atoi", "cudaMalloc"]);
    assert_eq!(slim.globals.len(), 3);
}

#[test]
fn a_status_needs_nothing_of_its_call() {
    let ops = vec![
        get(2, I32, "cudaMemcpy", &[g(1), r(1), c(8), c(1)]),
        less(3, r(2), c(1)),
    ];
    let slim = sliced(vec![
        block(ops, branch(r(3), 1, 2)),
        block(vec![device(c(8))], give(c(0))),
        block(vec![], give(c(0))),
    ]);
    assert_eq!(library_calls(&slim), ["cudaMalloc"]);
}

#[test]
fn a_normal_end_in_a_helper_is_kept_only_where_something_follows() {
    let helper = || {
        function(
            "helper",
            1,
            vec![
                block(vec![get(2, I64, "atoi", &[r(0)])], branch(r(2), 1, 2)),
                block(vec![call("exit", &[c(0)])], Terminator::Unreachable),
                block(vec![], give(c(0))),
            ],
        )
    };
    let main = |ops| function("main", 2, vec![block(ops, give(c(0)))]);
    let calls = |ops| library_calls(&slice(&program(vec![main(ops), helper()], vec![])));
    let enter = || enter(3, 1, &[r(1)]);
    assert_eq!(
        calls(vec![enter(), device(c(8))]),
        ["cudaMalloc", "atoi", "exit"]
    );
    assert_eq!(calls(vec![device(c(8)), enter()]), ["cudaMalloc"]);
}

#[test]
fn device_memory_freed_on_the_way_to_an_error_exit_is_not_kept_but_a_cheap_check_is() {
    let slim = sliced(vec![
        block(
            vec![device(c(8)), get(2, I64, "atoi", &[r(1)])],
            branch(r(2), 1, 2),
        ),
        block(
            vec![call("cudaFree", &[g(0)]), call("exit", &[c(1)])],
            Terminator::Unreachable,
        ),
        block(vec![], give(c(0))),
    ]);
    assert_eq!(library_calls(&slim), ["cudaMalloc", "atoi", "exit"]);
}

#[test]
fn a_check_of_what_is_not_kept_is_dropped() {
    let slim = sliced(vec![
        block(
            vec![
                device(c(8)),
                alloca(3),
                call("mystery", &[r(3)]),
                load(2, I32, r(3)),
            ],
            branch(r(2), 1, 2),
        ),
        block(vec![call("exit", &[c(1)])], Terminator::Unreachable),
        block(vec![], give(c(0))),
    ]);
    assert_eq!(library_calls(&slim), ["cudaMalloc"]);
}

#[test]
fn numbers_that_only_move_a_stream_on_have_no_destination() {
    let slim = sliced(vec![block(
        vec![
            get(2, Type::Ptr, "fopen", &[r(1), g(0)]),
            alloca(3),
            alloca(4),
            call("fscanf", &[r(2), g(1), r(3)]),
            call("fscanf", &[r(2), g(1), r(4)]),
            load(5, I64, r(4)),
            device(r(5)),
        ],
        give(c(0)),
    )]);
    let ops = slim.functions[0].blocks.iter().flat_map(|block| &block.ops);
    let destinations = ops.filter_map(|found| match &found.op {
        Op::Call { args, .. } if args.len() == 3 => Some(args[2].0 == c(0)),
        _ => None,
    });
    assert_eq!(destinations.collect::<Vec<_>>(), [true, false]);
}

#[test]
fn what_changes_the_environment_is_kept_where_it_is_read() {
    let slim = sliced(vec![block(
        vec![
            call("setenv", &[g(0), g(1), c(1)]),
            get(2, Type::Ptr, "getenv", &[g(0)]),
            get(3, I64, "atoi", &[r(2)]),
            device(r(3)),
        ],
        give(c(0)),
    )]);
    assert_eq!(
        library_calls(&slim),
        ["setenv", "getenv", "atoi", "cudaMalloc"]
    );
}
