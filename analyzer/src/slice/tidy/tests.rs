//! Small slices keep what they compute.

use super::*;
use crate::slice::draft::{
    add, alloca, block, branch, c, call, device, enter, function, g, give, global, joined, jump,
    less, phi, program, r, text,
};
use migfit_schema::program::{Block, Function, OnUnknown, Op, Operand, Terminator};

fn shrunk(blocks: Vec<Block>) -> Function {
    let mut body = function("main", 1, blocks);
    thread::thread(&mut body);
    renumber::renumber(&mut body);
    body
}

#[test]
fn a_chain_of_blocks_becomes_one_and_its_phis_copies() {
    let body = shrunk(vec![
        block(vec![add(1, r(0), c(1))], jump(3)),
        block(vec![], give(c(9))),
        joined(vec![phi(2, &[(3, r(1))])], vec![], give(r(2))),
        block(vec![], jump(2)),
    ]);
    assert_eq!(body.blocks.len(), 1);
    assert!(matches!(body.blocks[0].ops[1].op, Op::Copy { dst: 2, .. }));
    assert_eq!(body.blocks[0].end, give(r(2)));
}

#[test]
fn arms_that_do_nothing_stay_where_a_phi_tells_them_apart_and_go_where_none_does() {
    let arms = |phis| {
        vec![
            block(vec![], branch(r(0), 1, 2)),
            block(vec![], jump(3)),
            block(vec![], jump(3)),
            joined(phis, vec![device(c(8))], give(c(0))),
        ]
    };
    assert_eq!(shrunk(arms(vec![])).blocks.len(), 1);
    let told = shrunk(arms(vec![phi(5, &[(1, c(1)), (2, c(2))])]));
    let [head, _, join] = told.blocks.as_slice() else {
        panic!("{told:?}");
    };
    assert!(matches!(head.end, Terminator::Branch { .. }));
    assert_eq!(join.phis[0].incoming.len(), 2);
    assert!(join.phis[0].incoming.contains(&(0, c(1))));
}

#[test]
fn a_loop_keeps_one_way_in_and_one_way_back() {
    let head = joined(
        vec![phi(5, &[(3, c(0)), (6, r(6))])],
        vec![less(7, r(5), c(4))],
        branch(r(7), 5, 7),
    );
    let body = shrunk(vec![
        block(vec![], branch(r(0), 1, 2)),
        block(vec![device(c(1))], jump(3)),
        block(vec![device(c(2))], jump(3)),
        block(vec![], jump(4)),
        head,
        block(vec![device(c(3))], jump(6)),
        block(vec![add(6, r(5), c(1))], jump(4)),
        block(vec![], give(c(0))),
    ]);
    let head = body.blocks.iter().find(|block| !block.phis.is_empty());
    assert_eq!(head.unwrap().phis[0].incoming.len(), 2);
}

#[test]
fn advice_follows_the_numbers() {
    let mut head = block(vec![device(c(1))], branch(r(0), 3, 4));
    if let Terminator::Branch { unknown, .. } = &mut head.end {
        *unknown = OnUnknown::LoopOnce { body: 3, exit: 4 };
    }
    let body = shrunk(vec![
        block(vec![], jump(2)),
        block(vec![], Terminator::Unreachable),
        head,
        block(vec![], jump(2)),
        block(vec![], give(c(0))),
    ]);
    let Terminator::Branch {
        then,
        otherwise,
        unknown,
        ..
    } = &body.blocks[1].end
    else {
        panic!("{body:?}");
    };
    let (body, exit) = (*then, *otherwise);
    assert_eq!(*unknown, OnUnknown::LoopOnce { body, exit });
}

#[test]
fn functions_globals_and_files_that_nothing_refers_to_go() {
    let unused = function("unused", 0, vec![block(vec![], give(c(0)))]);
    let used = function(
        "used",
        0,
        vec![block(vec![call("puts", &[g(2)])], give(c(0)))],
    );
    let main = function(
        "main",
        2,
        vec![block(
            vec![enter(3, 1, &[Operand::Function(1)])],
            give(c(0)),
        )],
    );
    let mut table = global("table");
    table.addresses = vec![(0, g(4))];
    let shadow = {
        let mut shadow = global("shadow");
        shadow.device_bytes = Some(4);
        shadow
    };
    let globals = vec![global("unused"), table, shadow, text("deep")];
    let mut small = program(vec![unused, used, main], globals);
    unused::drop_unused(&mut small);
    let names = |all: Vec<&String>| all.into_iter().cloned().collect::<Vec<String>>();
    assert_eq!(
        names(small.functions.iter().map(|one| &one.name).collect()),
        ["used", "main"]
    );
    assert_eq!(
        names(small.globals.iter().map(|one| &one.name).collect()),
        ["table", "shadow", "text"]
    );
    assert_eq!(small.globals[0].addresses, [(0, g(2))]);
    assert_eq!((small.main, small.files.len()), (Some(1), 1));
}

#[test]
fn operands_that_nothing_computes_become_undefined_and_their_names_go() {
    let mut body = function(
        "main",
        1,
        vec![block(vec![alloca(2), device(r(9))], give(r(2)))],
    );
    body.names = vec![(2, "kept".to_owned()), (9, "gone".to_owned())];
    operands::undefine(&mut body);
    assert_eq!(body.names, [(2, "kept".to_owned())]);
    let Op::Call { args, .. } = &body.blocks[0].ops[1].op else {
        panic!("{body:?}");
    };
    assert_eq!(args[1].0, Operand::Undef);
}
