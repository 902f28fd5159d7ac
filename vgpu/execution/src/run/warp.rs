//! What the threads of a warp ask of each other: shuffles, votes, matches, reductions.

use super::block::{Threads, asks};
use crate::context::{ENDED, Request, request};
use std::ops::Range;

/// A thread that asks, as a lane of its warp.
#[derive(Clone, Copy)]
struct Lane {
    number: u32,
    state: u32,
    request: Request,
}

/// Answers what can be answered; whether anybody can go on. With `partly`, those who do not come are left out.
pub fn answer(threads: &mut Threads, warp: Range<usize>, partly: bool) -> bool {
    let first = warp.start;
    let mut lanes = [None; 32];
    let mut alive = 0_u32;
    for (number, thread) in (0_u32..).zip(warp) {
        let state = threads.states[thread];
        alive |= u32::from(state != ENDED) << number;
        if asks(state) {
            let request = threads.request(thread);
            if request.kind < request::BARRIER {
                lanes[number as usize] = Some(Lane {
                    number,
                    state,
                    request,
                });
            }
        }
    }
    let mut any = false;
    for leader in 0..32 {
        let Some(lane) = lanes[leader] else {
            continue;
        };
        let together = |other: &Lane| belongs(&lane, other);
        let group: [Option<Lane>; 32] = lanes.map(|other| other.filter(together));
        let members = group
            .iter()
            .flatten()
            .fold(0_u32, |mask, one| mask | 1 << one.number);
        let needed = match lane.request.kind {
            request::ACTIVE | request::LOCKSTEP => members,
            _ => lane.request.mask & alive,
        };
        if needed & !members != 0 && !partly {
            continue;
        }
        for member in group.iter().flatten() {
            let thread = first + member.number as usize;
            let (result, predicate) = result(member, &group, members);
            threads.give(thread, result, predicate);
            threads.release(thread);
            lanes[member.number as usize] = None;
        }
        any = true;
    }
    any
}

/// Whether two threads ask the same thing of each other.
fn belongs(lane: &Lane, other: &Lane) -> bool {
    let same = lane.request.kind == other.request.kind && lane.request.mask == other.request.mask;
    // Who is active is asked at one place of the code.
    same && (lane.request.kind != request::ACTIVE || lane.state == other.state)
}

/// What a thread gets: a value, and a predicate.
fn result(lane: &Lane, group: &[Option<Lane>; 32], members: u32) -> (u64, bool) {
    let values = || group.iter().flatten().map(|one| one.request.value);
    let holds = values().filter(|value| value & 1 == 1).count();
    let all = group.iter().flatten().count();
    let truth = |value: bool| (u64::from(value), value);
    match lane.request.kind {
        request::SHUFFLE_UP..=request::SHUFFLE_INDEX => shuffled(lane, group),
        request::VOTE_ALL => truth(holds == all),
        request::VOTE_ANY => truth(holds > 0),
        request::VOTE_UNIFORM => truth(holds == all || holds == 0),
        request::VOTE_BALLOT => {
            let set = group
                .iter()
                .flatten()
                .filter(|one| one.request.value & 1 == 1);
            (set.fold(0, |mask, one| mask | 1 << one.number), true)
        }
        request::MATCH_ANY => {
            let same = group
                .iter()
                .flatten()
                .filter(|one| one.request.value == lane.request.value);
            (same.fold(0, |mask, one| mask | 1 << one.number), true)
        }
        request::MATCH_ALL => match values().all(|value| value == lane.request.value) {
            true => (members.into(), true),
            false => (0, false),
        },
        request::ACTIVE => (members.into(), true),
        kind => (reduced(kind, values()), true),
    }
}

/// The value of the lane that a shuffle names; its own, and no predicate, where that is outside the segment.
fn shuffled(lane: &Lane, group: &[Option<Lane>; 32]) -> (u64, bool) {
    let Request {
        kind,
        first,
        second,
        ..
    } = lane.request;
    let (by, clamp, segment) = (first & 31, second & 31, second >> 8 & 31);
    let most = lane.number & segment | clamp & !segment;
    let least = lane.number & segment;
    let (source, inside) = match kind {
        request::SHUFFLE_UP => (lane.number.wrapping_sub(by), lane.number >= by + most),
        request::SHUFFLE_DOWN => (lane.number + by, lane.number + by <= most),
        request::SHUFFLE_BUTTERFLY => (lane.number ^ by, lane.number ^ by <= most),
        _ => {
            let source = least | by & !segment;
            (source, source <= most)
        }
    };
    let source = if inside { source } else { lane.number };
    let given = group.get(source as usize).copied().flatten();
    // What a lane gives that takes no part is not defined: here it is the asking lane's own value.
    let value = given.map_or(lane.request.value, |other| other.request.value);
    (value, inside)
}

fn reduced(kind: u32, values: impl Iterator<Item = u64>) -> u64 {
    let word = |value: u64| u32::try_from(value & 0xffff_ffff).unwrap_or(0);
    let signed = |a: u32, b: u32, most: bool| {
        let (a, b) = (a.cast_signed(), b.cast_signed());
        if most { a.max(b) } else { a.min(b) }.cast_unsigned()
    };
    let joined = values.map(word).reduce(|a, b| match kind {
        request::REDUCE_ADD => a.wrapping_add(b),
        request::REDUCE_MIN_SIGNED => signed(a, b, false),
        request::REDUCE_MAX_SIGNED => signed(a, b, true),
        request::REDUCE_MIN => a.min(b),
        request::REDUCE_MAX => a.max(b),
        request::REDUCE_AND => a & b,
        request::REDUCE_OR => a | b,
        request::REDUCE_XOR => a ^ b,
        _ => 0,
    });
    joined.unwrap_or(0).into()
}
