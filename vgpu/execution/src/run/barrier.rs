//! Barriers of a block: who waits at which, and when it opens.

use super::block::{Threads, asks};
use crate::context::{AT_BARRIER, ENDED, WAITING, request};
use std::ops::Range;

/// Barriers of a block.
pub const COUNT: usize = 16;

/// Lets all threads go on that wait at barrier 0; whether there are any.
pub fn release_all(states: &mut [u32]) -> bool {
    // One pass without branches, as this is done for each barrier of each block.
    let mut alive = 0;
    for state in states {
        let ended = *state == ENDED;
        alive |= u32::from(!ended);
        *state &= if ended {
            ENDED
        } else {
            !(WAITING | AT_BARRIER)
        };
    }
    alive != 0
}

/// Counts threads that only arrive, and lets them go on.
pub fn arrive(threads: &mut Threads, warp: Range<usize>, arrived: &mut [u32; COUNT]) {
    for thread in warp {
        if asks(threads.states[thread]) {
            let request = threads.request(thread);
            if request.kind == request::BARRIER_ARRIVE {
                arrived[request.first as usize % COUNT] += 1;
                threads.release(thread);
            }
        }
    }
}

/// Opens the barriers that all have come to; whether there was one.
pub fn open(threads: &mut Threads, arrived: &mut [u32; COUNT]) -> bool {
    let alive = threads
        .states
        .iter()
        .filter(|state| **state != ENDED)
        .count();
    let mut any = false;
    for (barrier, come) in arrived.iter_mut().enumerate() {
        let waiting: Vec<usize> = (0..threads.states.len())
            .filter(|one| waits_at(threads, *one) == Some(barrier))
            .collect();
        let Some(&first) = waiting.first() else {
            continue;
        };
        let expected = match threads.states[first] & AT_BARRIER {
            0 => threads.request(first).second as usize,
            _ => 0,
        };
        let expected = if expected == 0 { alive } else { expected };
        if waiting.len() + (*come as usize) < expected {
            continue;
        }
        *come = 0;
        any = true;
        answer(threads, &waiting);
    }
    any
}

/// The barrier that a thread waits at.
fn waits_at(threads: &Threads, thread: usize) -> Option<usize> {
    let state = threads.states[thread];
    if state == ENDED || state & WAITING == 0 {
        return None;
    }
    if state & AT_BARRIER != 0 {
        return Some(0);
    }
    let request = threads.request(thread);
    let is_barrier = request.kind >= request::BARRIER;
    is_barrier.then_some(request.first as usize % COUNT)
}

/// Gives the threads at a barrier what they ask, and lets them go on.
fn answer(threads: &mut Threads, waiting: &[usize]) {
    let asking: Vec<usize> = waiting
        .iter()
        .copied()
        .filter(|one| asks(threads.states[*one]))
        .collect();
    let holds = asking
        .iter()
        .filter(|one| threads.request(**one).value & 1 == 1)
        .count();
    for thread in &asking {
        let result = match threads.request(*thread).kind {
            request::BARRIER_COUNT => holds as u64,
            request::BARRIER_AND => u64::from(holds == asking.len()),
            _ => u64::from(holds > 0),
        };
        threads.give(*thread, result, true);
    }
    for thread in waiting {
        threads.release(*thread);
    }
}
