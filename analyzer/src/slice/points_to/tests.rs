//! Pointers through globals, memory, calls and library functions.

use super::*;
use crate::slice::draft::{
    alloca, block, c, call, element, enter, field, function, g, get, give, global, load, program,
    r, store, through,
};
use crate::slice::objects::{Object, Objects};
use migfit_schema::program::{Op, Operand, SizeProgram, Type};

/// What a register of `main` may point to.
fn pointed(program: &SizeProgram, register: u32) -> Vec<Object> {
    let objects = Objects::of(program);
    let main = program.main.unwrap();
    let all = solve(program, &objects).of(main, Operand::Reg(register));
    all.into_iter().filter_map(|id| objects.get(id)).collect()
}

fn main_of(ops: Vec<Op>) -> SizeProgram {
    let main = function("main", 0, vec![block(ops, give(c(0)))]);
    program(vec![main], vec![global("table"), global("other")])
}

fn stack(object: &[Object]) -> Vec<u32> {
    let one = |object: &Object| match object {
        Object::Stack(at) | Object::Fresh(at) => Some(at.index),
        _ => None,
    };
    object.iter().filter_map(one).collect()
}

#[test]
fn a_store_to_an_address_inside_a_global_is_not_lost() {
    let inside = Operand::Global(1, 8);
    let program = main_of(vec![
        alloca(1),
        store(Type::Ptr, r(1), inside),
        load(2, Type::Ptr, Operand::Global(1, 16)),
        load(3, Type::Ptr, g(2)),
    ]);
    assert_eq!(stack(&pointed(&program, 2)), [0], "blind to fields");
    assert!(pointed(&program, 3).is_empty());
}

#[test]
fn pointers_go_through_fields_in_memory_and_through_whole_numbers() {
    let program = main_of(vec![
        alloca(1),
        get(2, Type::Ptr, "malloc", &[c(16)]),
        field(3, r(2), 8),
        store(Type::Int(64), r(1), r(3)),
        element(4, r(2), r(9)),
        load(5, Type::Ptr, r(4)),
        Op::MemCopy {
            to: g(1),
            from: r(2),
            bytes: c(16),
        },
        load(6, Type::Ptr, g(1)),
    ]);
    assert_eq!(stack(&pointed(&program, 4)), [1]);
    assert_eq!(stack(&pointed(&program, 5)), [0]);
    assert_eq!(stack(&pointed(&program, 6)), [0]);
}

#[test]
fn calls_through_pointers_bind_parameters_and_results() {
    let back = function("back", 1, vec![block(vec![], give(r(0)))]);
    let main = function(
        "main",
        0,
        vec![block(
            vec![
                alloca(1),
                store(Type::Ptr, Operand::Function(0), g(1)),
                load(2, Type::Ptr, g(1)),
                through(3, r(2), &[r(1)]),
                enter(4, 0, &[g(2)]),
            ],
            give(c(0)),
        )],
    );
    let program = program(vec![back, main], vec![global("table"), global("other")]);
    let objects = Objects::of(&program);
    assert_eq!(pointed(&program, 2), [Object::Function(0)]);
    let through_pointer = pointed(&program, 3);
    assert_eq!(stack(&through_pointer), [0]);
    // One copy of the function for all its callers.
    assert!(through_pointer.contains(&Object::Global(2)));
    assert_eq!(solve(&program, &objects).functions(1, r(2)), [0]);
}

#[test]
fn a_callback_sees_what_the_library_was_given() {
    let compare = function(
        "compare",
        2,
        vec![block(vec![load(3, Type::Ptr, r(0))], give(c(0)))],
    );
    let sort = [r(1), c(4), c(8), Operand::Function(0)];
    let ops = vec![
        alloca(1),
        alloca(2),
        store(Type::Ptr, r(2), r(1)),
        call("qsort", &sort),
    ];
    let main = function("main", 0, vec![block(ops, give(c(0)))]);
    let program = program(vec![compare, main], vec![]);
    let objects = Objects::of(&program);
    let inner = solve(&program, &objects).of(0, r(3));
    let inner: Vec<Object> = inner.into_iter().filter_map(|id| objects.get(id)).collect();
    assert_eq!(stack(&inner), [1]);
}

#[test]
fn library_rows_lead_pointers_on() {
    let program = main_of(vec![
        alloca(1),
        get(2, Type::Ptr, "malloc", &[c(16)]),
        store(Type::Ptr, r(1), r(2)),
        get(3, Type::Ptr, "realloc", &[r(2), c(32)]),
        load(4, Type::Ptr, r(3)),
        get(5, Type::Ptr, "strtok", &[r(1), g(1)]),
        get(6, Type::Ptr, "strtok", &[c(0), g(1)]),
        get(7, Type::Ptr, "strchr", &[r(1), c(32)]),
        call("cudaMalloc", &[g(2), c(64)]),
        load(8, Type::Ptr, g(2)),
    ]);
    assert_eq!(stack(&pointed(&program, 3)), [3]);
    assert_eq!(stack(&pointed(&program, 4)), [0], "realloc moves contents");
    assert_eq!(stack(&pointed(&program, 6)), [0], "strtok goes on");
    assert_eq!(stack(&pointed(&program, 7)), [0]);
    assert_eq!(stack(&pointed(&program, 8)), [8]);
}

#[test]
fn a_stranger_may_store_and_return_all_that_it_reaches() {
    let program = main_of(vec![
        alloca(1),
        get(2, Type::Ptr, "malloc", &[c(16)]),
        store(Type::Ptr, r(1), r(2)),
        get(3, Type::Ptr, "mystery", &[r(2)]),
        load(4, Type::Ptr, r(1)),
    ]);
    assert_eq!(stack(&pointed(&program, 3)), [0, 1, 3]);
    assert_eq!(stack(&pointed(&program, 4)), [0, 1, 3]);
}
