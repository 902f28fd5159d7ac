//! Threads of a block together: barriers, shared memory, warps, frames.

use super::lab::{compiled, run, run_with};

const INDEX: &str = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, %r2, %r1;
    ld.param.u64 %rd1, [out]; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;";
const REGISTERS: &str = ".reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<10>; .reg .f32 %f<10>;";

fn kernel(body: &str) -> String {
    format!(".entry k(.param .u64 out) {{ {REGISTERS} {INDEX} {body} ret; }}")
}

#[test]
fn every_thread_of_every_block_runs_once() {
    let body = "ld.global.u32 %r5, [%rd3]; add.s32 %r5, %r5, %r4; st.global.u32 [%rd3], %r5;";
    let found: Vec<u32> = run(&kernel(body), [7, 1, 1], [33, 1, 1], 7 * 33, &[]);
    assert_eq!(found, (0..7 * 33).collect::<Vec<_>>());
}

#[test]
fn threads_know_their_place_in_three_dimensions() {
    let text = format!(
        ".entry k(.param .u64 out) {{ {REGISTERS}
        mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
        mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
        mad.lo.s32 %r7, %r3, %r5, %r2; mad.lo.s32 %r7, %r7, %r4, %r1;
        mov.u32 %r8, %ctaid.x; mov.u32 %r9, %ctaid.y; mov.u32 %r10, %ctaid.z;
        mov.u32 %r11, %nctaid.x; mov.u32 %r12, %nctaid.y;
        mad.lo.s32 %r13, %r10, %r12, %r9; mad.lo.s32 %r13, %r13, %r11, %r8;
        mul.lo.s32 %r14, %r4, %r5; mul.lo.s32 %r14, %r14, %r6; mad.lo.s32 %r15, %r13, %r14, %r7;
        ld.param.u64 %rd1, [out]; mul.wide.s32 %rd2, %r15, 4; add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r15; ret; }}"
    );
    let found: Vec<u32> = run(&text, [2, 3, 4], [5, 3, 2], 24 * 30, &[]);
    assert_eq!(found, (0..24 * 30).collect::<Vec<_>>());
}

#[test]
fn behind_a_barrier_all_have_written() {
    // Each thread takes what its mirror image wrote, 10 times over; a value in a register outlives the waits.
    let body = ".shared .align 4 .b8 tile[400]; mov.u32 %r5, tile; mad.lo.s32 %r6, %r1, 4, %r5;
        sub.s32 %r7, 99, %r1; mad.lo.s32 %r8, %r7, 4, %r5; mov.u32 %r9, %r1; mov.u32 %r10, 0; mul.lo.s32 %r13, %r9, 3;
        again: st.shared.u32 [%r6], %r9; bar.sync 0; ld.shared.u32 %r9, [%r8]; bar.sync 0;
        add.s32 %r9, %r9, 1; add.s32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 10; @%p1 bra again;
        add.s32 %r9, %r9, %r13; st.global.u32 [%rd3], %r9;";
    let found: Vec<u32> = run(&kernel(body), [2, 1, 1], [100, 1, 1], 200, &[]);
    let expected: Vec<u32> = (0..200).map(|nth| nth % 100 + 10 + nth % 100 * 3).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_barrier_does_not_wait_for_those_who_have_ended() {
    let body = "setp.ge.u32 %p1, %r1, 40; @%p1 ret; bar.sync 0; st.global.u32 [%rd3], 7;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [64, 1, 1], 64, &[]);
    assert_eq!(found.iter().filter(|value| **value == 7).count(), 40);
}

#[test]
fn a_tree_of_shuffles_adds_up_a_warp() {
    let body = "add.s32 %r5, %r1, 1;
        shfl.sync.down.b32 %r6|%p1, %r5, 16, 31, -1; add.s32 %r5, %r5, %r6;
        shfl.sync.bfly.b32 %r6|%p1, %r5, 8, 31, -1; add.s32 %r5, %r5, %r6;
        shfl.sync.down.b32 %r6|%p1, %r5, 4, 31, -1; add.s32 %r5, %r5, %r6;
        shfl.sync.down.b32 %r6|%p1, %r5, 2, 31, -1; add.s32 %r5, %r5, %r6;
        shfl.sync.down.b32 %r6|%p1, %r5, 1, 31, -1; add.s32 %r5, %r5, %r6;
        shfl.sync.idx.b32 %r7, %r5, 0, 31, -1; st.global.u32 [%rd3], %r7;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [64, 1, 1], 64, &[]);
    assert_eq!(found[..32], [(1..=32).sum::<u32>(); 32]);
    assert_eq!(found[32..], [(33..=64).sum::<u32>(); 32]);
}

#[test]
fn shuffles_stay_in_their_segment() {
    // Segments of 8 lanes: the mask of the segment is 0x18, up has clamp 0 and the others 7.
    let body = "shfl.sync.up.b32 %r5|%p1, %r1, 3, 6144, -1; selp.u32 %r6, 100, 0, %p1; add.s32 %r5, %r5, %r6;
        shfl.sync.down.b32 %r7|%p2, %r1, 2, 6151, -1; selp.u32 %r8, 100, 0, %p2; add.s32 %r7, %r7, %r8;
        shl.b32 %r9, %r7, 16; or.b32 %r5, %r5, %r9; st.global.u32 [%rd3], %r5;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [32, 1, 1], 32, &[]);
    for (lane, value) in (0_u32..).zip(found) {
        let up = if lane % 8 >= 3 { lane - 3 + 100 } else { lane };
        let down = if lane % 8 <= 5 { lane + 2 + 100 } else { lane };
        assert_eq!((value & 0xffff, value >> 16), (up, down), "lane {lane}");
    }
}

#[test]
fn votes_matches_and_reductions_are_of_the_lanes_in_the_mask() {
    let body = "and.b32 %r5, %r1, 3; setp.eq.s32 %p1, %r5, 1; vote.sync.ballot.b32 %r6, %p1, -1;
        match.any.sync.b32 %r7, %r5, -1; redux.sync.add.s32 %r8, %r1, -1; activemask.b32 %r9;
        setp.lt.u32 %p2, %r1, 16; @!%p2 bra over; redux.sync.max.u32 %r8, %r1, 65535; activemask.b32 %r9;
        over: bar.warp.sync -1; xor.b32 %r10, %r6, %r7; add.s32 %r10, %r10, %r8; xor.b32 %r10, %r10, %r9;
        st.global.u32 [%rd3], %r10;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [32, 1, 1], 32, &[]);
    for (lane, value) in (0_u32..).zip(found) {
        let (sum, active) = if lane < 16 {
            (15, 0xffff)
        } else {
            ((0..32).sum(), u32::MAX)
        };
        let same = 0x1111_1111 << (lane & 3);
        assert_eq!(
            value,
            (0x2222_2222_u32 ^ same).wrapping_add(sum) ^ active,
            "lane {lane}"
        );
    }
}

#[test]
fn barriers_count_and_join_predicates() {
    let body = "setp.lt.u32 %p1, %r1, 70; barrier.red.popc.sync.aligned.u32 %r5, 0, %p1;
        bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 1, %p1;
        selp.u32 %r6, 1000, 0, %p2; selp.u32 %r7, 2000, 0, %p3; add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r7;
        st.global.u32 [%rd3], %r5;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [96, 1, 1], 96, &[]);
    assert_eq!(found, [2070; 96]);
}

#[test]
fn named_barriers_hold_producers_and_consumers_apart() {
    // The first warp writes and arrives; the second waits for both and reads.
    let body = ".shared .align 4 .b8 tile[128]; mov.u32 %r5, tile; and.b32 %r6, %r1, 31; mad.lo.s32 %r6, %r6, 4, %r5;
        setp.ge.u32 %p1, %r1, 32; @%p1 bra consume; st.shared.u32 [%r6], %r1; bar.arrive 3, 64; bra done;
        consume: bar.sync 3, 64; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd3], %r7; done:";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [64, 1, 1], 64, &[]);
    assert_eq!(found[32..], (0..32).collect::<Vec<_>>());
}

#[test]
fn a_warp_that_trusts_in_lockstep_is_not_let_down() {
    let step = |by: u32| {
        format!("ld.volatile.shared.u32 %r7, [%r6]; ld.volatile.shared.u32 %r8, [%r6+{}]; add.s32 %r7, %r7, %r8;
            st.volatile.shared.u32 [%r6], %r7;", by * 4)
    };
    let steps: String = [16, 8, 4, 2, 1].map(step).concat();
    let body = format!(
        ".shared .align 4 .b8 tile[256]; mov.u32 %r5, tile; mad.lo.s32 %r6, %r1, 4, %r5;
        st.shared.u32 [%r6], %r1; st.shared.u32 [%r6+128], 0; bar.sync 0; {steps}
        ld.shared.u32 %r9, [%r5]; st.global.u32 [%rd3], %r9;"
    );
    let found: Vec<u32> = run(&kernel(&body), [1, 1, 1], [32, 1, 1], 32, &[]);
    assert_eq!(found[31], (0..32).sum::<u32>());
}

#[test]
fn an_address_in_shared_memory_wraps_at_32_bits() {
    let body = ".shared .align 4 .b8 tile[64]; mov.u32 %r5, tile; add.s32 %r5, %r5, -32; st.shared.u32 [%r5+36], 7;
        mov.u32 %r6, tile; ld.shared.u32 %r7, [%r6+4]; st.global.u32 [%rd3], %r7;";
    assert_eq!(run::<u32>(&kernel(body), [1; 3], [1; 3], 1, &[]), [7]);
}

#[test]
fn dynamic_shared_memory_lies_behind_the_static() {
    let text = format!(
        ".extern .shared .align 16 .b8 rest[]; .entry k(.param .u64 out) {{ {REGISTERS} {INDEX}
        .shared .align 4 .b8 tile[20]; mov.u32 %r5, tile; mov.u32 %r6, rest; sub.s32 %r7, %r6, %r5;
        mov.u32 %r8, %dynamic_smem_size; mad.lo.s32 %r7, %r8, 1000, %r7; st.global.u32 [%rd3], %r7; ret; }}"
    );
    assert_eq!(run::<u32>(&text, [1; 3], [1; 3], 1, &[]), [256_032]);
}

#[test]
fn local_variables_are_each_thread_s_own_across_barriers() {
    let body = ".local .align 8 .b8 mine[16]; mov.u64 %rd4, mine; cvta.local.u64 %rd5, %rd4;
        st.local.u32 [%rd4+4], %r1; bar.sync 0; ld.u32 %r5, [%rd5+4]; st.global.u32 [%rd3], %r5;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [64, 1, 1], 64, &[]);
    assert_eq!(found, (0..64).collect::<Vec<_>>());
}

#[test]
fn shared_memory_has_a_generic_address() {
    let body = ".shared .align 4 .b8 tile[400]; mov.u64 %rd4, tile; cvta.shared.u64 %rd5, %rd4;
        mul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd5, %rd6; st.u32 [%rd7], %r1; bar.sync 0;
        cvta.to.shared.u64 %rd8, %rd7; ld.shared.u32 %r5, [%rd8]; isspacep.shared %p1, %rd7; isspacep.global %p2, %rd7;
        selp.u32 %r6, 100, 0, %p1; selp.u32 %r7, 1000, 0, %p2; add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r7;
        st.global.u32 [%rd3], %r5;";
    let found: Vec<u32> = run(&kernel(body), [1, 1, 1], [64, 1, 1], 64, &[]);
    assert_eq!(found, (100..164).collect::<Vec<_>>());
}

#[test]
fn atomics_of_all_blocks_and_workers_add_up() {
    let body = "atom.global.add.u32 %r5, [%rd1], 1; red.global.add.f32 [%rd1+4], 0f3F800000; red.global.max.s32 [%rd1+8], %r4;
        atom.global.inc.u32 %r6, [%rd1+12], 9; atom.global.cas.b32 %r7, [%rd1+16], 0, 5;";
    let kernel = compiled(&kernel(body), "k").unwrap();
    for workers in [1, 4] {
        let mut out = [0_u32; 8];
        let words = [out.as_mut_ptr().expose_provenance() as u64];
        run_with(&kernel, [200, 1, 1], [128, 1, 1], &words, workers).unwrap();
        let all = 200 * 128;
        assert_eq!(
            out[..5],
            [all, (all as f32).to_bits(), all - 1, all % 10, 5],
            "{workers} workers"
        );
    }
}

#[test]
fn functions_are_called_and_call_themselves() {
    let text = format!(
        ".func (.param .b32 r) fib(.param .b32 n) {{ .reg .b32 %r<10>; .reg .pred %p<2>;
        ld.param.u32 %r1, [n]; setp.gt.u32 %p1, %r1, 1; @%p1 bra deeper; st.param.b32 [r], %r1; ret;
        deeper: add.s32 %r2, %r1, -1; {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fib, (a);
        ld.param.b32 %r3, [b]; }} add.s32 %r2, %r1, -2; {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;
        call.uni (b), fib, (a); ld.param.b32 %r4, [b]; }} add.s32 %r5, %r3, %r4; st.param.b32 [r], %r5; ret; }}
        .func (.param .b32 r) both(.param .b32 n) {{ .reg .b32 %r<10>; ld.param.u32 %r1, [n]; bar.sync 0;
        add.s32 %r1, %r1, 1000; st.param.b32 [r], %r1; ret; }}
        .entry k(.param .u64 out) {{ {REGISTERS} {INDEX} .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
        call.uni (b), fib, (a); ld.param.b32 %r5, [b]; st.param.b32 [a], %r5; call.uni (b), both, (a);
        ld.param.b32 %r5, [b]; st.global.u32 [%rd3], %r5; ret; }}"
    );
    let found: Vec<u32> = run(&text, [1; 3], [12, 1, 1], 12, &[]);
    let fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
    assert_eq!(found, fib.map(|value| value + 1000));
}

#[test]
fn functions_are_called_through_their_addresses() {
    let text = format!(
        ".func (.param .b32 r) one(.param .b32 n) {{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.s32 %r2, %r1, 1;
        st.param.b32 [r], %r2; ret; }}
        .func (.param .b32 r) two(.param .b32 n) {{ .reg .b32 %r<3>; ld.param.u32 %r1, [n]; mul.lo.s32 %r2, %r1, 100;
        st.param.b32 [r], %r2; ret; }}
        .func (.param .b64 r) other(.param .b64 n) {{ ret; }}
        .entry k(.param .u64 out) {{ {REGISTERS} {INDEX} and.b32 %r5, %r1, 1; setp.eq.s32 %p1, %r5, 0;
        mov.u64 %rd4, one; mov.u64 %rd5, two; mov.u64 %rd6, other; selp.b64 %rd4, %rd4, %rd5, %p1;
        setp.eq.s32 %p1, %r1, 9; selp.b64 %rd4, %rd6, %rd4, %p1; .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
        shape: .callprototype (.param .b32 _) _ (.param .b32 _); call (b), %rd4, (a), shape; ld.param.b32 %r6, [b];
        st.global.u32 [%rd3], %r6; ret; }}"
    );
    assert_eq!(
        run::<u32>(&text, [1; 3], [5, 1, 1], 5, &[]),
        [1, 100, 3, 300, 5]
    );
    let kernel = compiled(&text, "k").unwrap();
    let mut out = [0_u32; 16];
    let words = [out.as_mut_ptr().expose_provenance() as u64];
    let fault = run_with(&kernel, [1; 3], [16, 1, 1], &words, 1).unwrap_err();
    assert_eq!(
        (fault.kind, fault.thread),
        (crate::FaultKind::Instruction, [9, 0, 0])
    );
}

#[test]
fn an_index_branches_to_its_target() {
    let body =
        "targets: .branchtargets a, b, c; brx.idx %r1, targets; a: mov.u32 %r5, 10; bra join;
        b: mov.u32 %r5, 20; bra join; c: mov.u32 %r5, 30; join: st.global.u32 [%rd3], %r5;";
    assert_eq!(
        run::<u32>(&kernel(body), [1; 3], [3, 1, 1], 3, &[]),
        [10, 20, 30]
    );
}
