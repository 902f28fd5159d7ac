//! Kernels that fail, and those that cannot be compiled: the test process lives on.

use super::lab::{compiled, run_with};
use crate::{Fault, FaultKind};

fn fault(body: &str, words: &[u64], block: u32) -> Fault {
    let text = format!(
        ".entry k(.param .u64 out) {{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x; {body} ret; }}"
    );
    let kernel = compiled(&text, "k").unwrap();
    run_with(&kernel, [3, 1, 1], [block, 2, 1], words, 1).unwrap_err()
}

#[test]
fn an_access_to_nowhere_is_told_with_its_thread() {
    for _ in 0..3 {
        let body = "setp.ne.s32 %p1, %r1, 5; mov.u32 %r2, %ctaid.x; setp.ne.s32 %p2, %r2, 1; or.pred %p1, %p1, %p2;
            @%p1 ret; mov.u32 %r3, %tid.y; setp.eq.s32 %p1, %r3, 0; @%p1 ret; ld.global.u32 %r2, [%rd1+16];
            st.global.u32 [%rd1], %r2;";
        let found = fault(body, &[0], 8);
        assert_eq!((found.kind, found.address), (FaultKind::Address, 16));
        assert_eq!((found.block, found.thread), ([1, 0, 0], [5, 1, 0]));
        let text =
            "kernel 'k' failed in block (1, 0, 0), thread (5, 1, 0): no memory at address 0x10";
        assert_eq!(found.to_string(), text);
    }
}

#[test]
fn shared_memory_ends_with_its_page() {
    let body = ".shared .align 4 .b8 tile[64]; st.shared.u32 [tile+65536], %r1;";
    assert_eq!(fault(body, &[0], 1).kind, FaultKind::Address);
    let body = ".shared .align 4 .b8 tile[64]; mov.u32 %r2, -4; st.shared.u32 [%r2], %r1;";
    assert_eq!(fault(body, &[0], 1).kind, FaultKind::Address);
}

#[test]
fn a_trap_and_threads_that_wait_for_ever_end_the_kernel() {
    assert_eq!(fault("trap;", &[0], 1).kind, FaultKind::Trap);
    let body = "setp.eq.s32 %p1, %r1, 0; @%p1 bra other; bar.sync 1; ret; other: bar.sync 2;";
    assert_eq!(fault(body, &[0], 8).kind, FaultKind::Deadlock);
}

#[test]
fn recursion_without_end_is_a_full_stack() {
    let text = ".func down(.param .b64 n) { .reg .b64 %rd<3>; .local .b8 room[256]; ld.param.u64 %rd1, [n];
        mov.u64 %rd2, room; st.local.u64 [%rd2], %rd1; st.local.u64 [%rd2+128], %rd1; .param .b64 a; st.param.b64 [a], %rd1; call.uni down, (a); ret; }
        .entry k(.param .u64 out) { .reg .b64 %rd<3>; .param .b64 a; st.param.b64 [a], 1; call.uni down, (a); ret; }";
    let kernel = compiled(text, "k").unwrap();
    let found = run_with(&kernel, [1; 3], [1; 3], &[0], 1).unwrap_err();
    assert_eq!(found.kind, FaultKind::Stack);
}

#[test]
fn what_is_not_done_is_named_with_its_place() {
    let text =
        ".entry k(.param .u64 out) {\n.reg .b32 %r<3>;\n  wgmma.fence.sync.aligned;\n ret; }";
    let error = compiled(text, "k").err().map(|error| error.to_string());
    let expected =
        "kernel 'k': 'wgmma.fence.sync.aligned' at PTX 6:3 in 'k' is not done by the virtual GPU";
    assert_eq!(error.as_deref(), Some(expected));
    let none = compiled(text, "other").err().map(|error| error.to_string());
    assert_eq!(none.as_deref(), Some("the program has no kernel 'other'"));
}
