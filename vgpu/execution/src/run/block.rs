//! One block of threads, from its start until all of its threads have ended.

use super::{barrier, warp};
use crate::compile::{Code, Waiting};
use crate::context::{AT_BARRIER, Context, ENDED, Request, START, WAITING};
use crate::error::FaultKind;

/// Threads of a warp.
pub const WARP: usize = 32;

/// The threads of a block.
pub struct Threads<'a> {
    /// Where each one is.
    pub states: &'a mut [u32],
    /// Frames, one behind the other.
    pub frames: usize,
    /// Bytes of a frame.
    pub frame: usize,
}

impl Threads<'_> {
    /// What a waiting thread asks.
    pub fn request(&self, thread: usize) -> Request {
        // SAFETY: each frame begins with a request, which only the thread itself writes otherwise; it does not run now.
        unsafe { self.place(thread).read() }
    }

    /// Gives a thread what it asked for.
    pub fn give(&mut self, thread: usize, result: u64, predicate: bool) {
        let mut request = self.request(thread);
        (request.result, request.predicate) = (result, predicate.into());
        // SAFETY: as for `request`.
        unsafe { self.place(thread).write(request) };
    }

    fn place(&self, thread: usize) -> *mut Request {
        let place = self.frames + thread * self.frame;
        std::ptr::with_exposed_provenance_mut(place)
    }

    /// Lets a thread go on.
    pub fn release(&mut self, thread: usize) {
        self.states[thread] &= !(WAITING | AT_BARRIER);
    }
}

/// Whether a thread waits for something that its request says.
pub fn asks(state: u32) -> bool {
    state != ENDED && state & WAITING != 0 && state & AT_BARRIER == 0
}

/// Runs the block that the context names.
pub fn run(
    code: Code,
    context: *mut Context,
    waiting: Waiting,
    threads: &mut Threads,
) -> Result<(), FaultKind> {
    let count = u32::try_from(threads.states.len()).unwrap_or(0);
    // SAFETY: the context has all that the code reads, and memory for so many threads.
    let run = |first: u32, count: u32| unsafe { code(context, first, count) };
    match waiting {
        Waiting::Never => run(0, count),
        Waiting::Together => {
            threads.states.fill(START);
            loop {
                run(0, count);
                if !barrier::release_all(threads.states) {
                    break;
                }
            }
        }
        Waiting::Variously => {
            threads.states.fill(START);
            let mut arrived = [0; barrier::COUNT];
            loop {
                warps(&run, threads, &mut arrived);
                if threads.states.iter().all(|state| *state == ENDED) {
                    break;
                }
                // Nobody can run: barriers open, or warps that wait for threads that never come go on without them.
                if !barrier::open(threads, &mut arrived) && !stragglers(threads) {
                    return Err(FaultKind::Deadlock);
                }
            }
        }
    }
    Ok(())
}

/// Runs each warp until its threads wait for others of the block, or have ended.
fn warps(run: &dyn Fn(u32, u32), threads: &mut Threads, arrived: &mut [u32; barrier::COUNT]) {
    let count = threads.states.len();
    for first in (0..count).step_by(WARP) {
        let last = (first + WARP).min(count);
        while threads.states[first..last]
            .iter()
            .any(|state| state & WAITING == 0)
        {
            run(
                u32::try_from(first).unwrap_or(0),
                u32::try_from(last - first).unwrap_or(0),
            );
            barrier::arrive(threads, first..last, arrived);
            warp::answer(threads, first..last, false);
        }
    }
}

/// Answers what warps ask without those who do not come.
fn stragglers(threads: &mut Threads) -> bool {
    let count = threads.states.len();
    let mut any = false;
    for first in (0..count).step_by(WARP) {
        any |= warp::answer(threads, first..(first + WARP).min(count), true);
    }
    any
}
