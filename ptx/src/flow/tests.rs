//! Flat forms, control flow and liveness of small functions.

use super::flat::{Arg, Flat, Op, Reg, Symbol};
use super::graph::Graph;
use super::liveness::Liveness;
use super::program::Program;
use crate::text::parse;

fn program(texts: &[&str]) -> Program {
    let head = ".version 8.0 .target sm_80 .address_size 64\n";
    let modules = texts
        .iter()
        .map(|text| parse(&format!("{head}{text}")).unwrap());
    Program::new(modules.collect()).unwrap()
}

fn kernel<'a>(program: &'a Program, name: &str) -> Flat<'a> {
    let (file, function) = program.kernels()[name];
    Flat::of(program, file, function).unwrap()
}

fn opcodes<'a>(flat: &'a Flat<'a>) -> Vec<&'a str> {
    let names = flat.steps.iter().map(|step| match step.op {
        Op::Given(instruction) => instruction.opcode.as_str(),
        Op::Jump => "(jump)",
        Op::Move => "(move)",
    });
    names.collect()
}

const LOOP: &str =
    ".entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; mov.u32 %r2, 7;
    again: add.s32 %r1, %r1, %r2; bar.sync 0; setp.lt.s32 %p1, %r1, 100; @%p1 bra again;
    st.global.u32 [%rd1], %r1; ret; }";

#[test]
fn a_loop_keeps_alive_what_its_next_turn_reads() {
    let program = program(&[LOOP]);
    let flat = kernel(&program, "k");
    let graph = Graph::of(&flat);
    assert_eq!(graph.pieces, [0..3, 3..7, 7..9]);
    assert_eq!(graph.successors, [vec![1], vec![1, 2], vec![]]);
    let liveness = Liveness::of(&flat, &graph);
    let names = |registers: Vec<Reg>| registers.into_iter().map(|reg| reg.0).collect::<Vec<_>>();
    // Registers are numbered in order: r0..r3, p0, p1, rd0, rd1.
    assert_eq!(names(liveness.behind(4).iter().collect()), [1, 2, 7]);
    assert_eq!(names(liveness.behind(6).iter().collect()), [1, 2, 7]);
    assert_eq!(names(liveness.before(7).iter().collect()), [1, 7]);
    let dominators = graph.dominators().unwrap();
    let last = petgraph::graph::NodeIndex::new(2);
    let above: Vec<_> = dominators
        .dominators(last)
        .unwrap()
        .map(|node| node.index())
        .collect();
    assert_eq!(above, [2, 1, 0]);
}

#[test]
fn callees_stand_in_place_of_their_calls_with_parameters_in_common() {
    let caller = ".extern .func (.param .b32 r) twice(.param .b32 p);
        .entry k() { .reg .b32 %r<2>; .param .b32 a; .param .b32 b;
        st.param.b32 [a], 5; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; ret; }";
    let callee = ".visible .func (.param .b32 r) twice(.param .b32 p) { .reg .b32 %r<3>;
        ld.param.b32 %r1, [p]; add.s32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }";
    let program = program(&[caller, callee]);
    let flat = kernel(&program, "k");
    assert_eq!(
        opcodes(&flat),
        ["st", "ld", "add", "st", "(jump)", "ld", "ret"]
    );
    let at = |nth| vec![Arg::Symbol(Symbol::Storage(nth), 0)];
    assert_eq!(flat.steps[1].args[1], Arg::Memory(at(0)));
    assert_eq!(flat.steps[5].args[1], Arg::Memory(at(1)));
    assert_eq!(
        (flat.steps[2].function, flat.steps[5].function),
        ("twice", "k")
    );
    assert_eq!(flat.labels, [5]);
}

#[test]
fn a_function_that_calls_itself_is_called() {
    let text = ".func down(.param .b32 p) { call.uni down, (p); ret; }
        .entry k() { .param .b32 a; call.uni down, (a); ret; }";
    let program = program(&[text]);
    assert_eq!(opcodes(&kernel(&program, "k")), ["call", "ret"]);
}

#[test]
fn names_are_those_of_their_braces() {
    let text = ".shared .align 4 .b8 tile[64]; .extern .shared .align 16 .b8 rest[]; .global .b32 count;
        .entry k() { .reg .b32 %r<2>; mov.u32 %r1, tile; { .reg .b32 %r<2>; mov.u32 %r1, rest; mov.u32 %r1, tile; }
        mov.u32 %r1, count+4; mov.u32 %r1, %tid.x; ret; }";
    let program = program(&[text]);
    let flat = kernel(&program, "k");
    let first = |nth: usize| flat.steps[nth].args[0].clone();
    assert_eq!((first(0), first(1)), (Arg::Reg(Reg(1)), Arg::Reg(Reg(3))));
    let second = |nth: usize| flat.steps[nth].args[1].clone();
    assert_eq!(
        (second(0), second(2)),
        (
            Arg::Symbol(Symbol::Storage(0), 0),
            Arg::Symbol(Symbol::Storage(0), 0)
        )
    );
    assert_eq!(second(1), Arg::Symbol(Symbol::Storage(1), 0));
    assert_eq!(
        second(3),
        Arg::Symbol(Symbol::Variable(0, "count".to_owned()), 4)
    );
    assert_eq!(
        second(4),
        Arg::Symbol(Symbol::Foreign("%tid.x".to_owned()), 0)
    );
    let sizes: Vec<_> = flat
        .storage
        .iter()
        .map(|one| (one.bytes, one.dynamic))
        .collect();
    assert_eq!(sizes, [(64, false), (0, true)]);
}

#[test]
fn an_undeclared_predicate_is_told_with_its_place() {
    let program = program(&[".entry k() {\n@%p9 ret; }"]);
    let (file, function) = program.kernels()["k"];
    let error = Flat::of(&program, file, function).unwrap_err();
    assert_eq!(error.to_string(), "PTX 3:6: '%p9' is no register here");
}
