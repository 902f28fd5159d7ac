//! Functions of the program that a stream calls (`cuLaunchHostFunc`): one after the other, in a thread of our own, so that
//! the program may hold a lock that they want. They must not call CUDA.

use crate::status::{Outcome, Status};
use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A call that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCall {
    /// Address of the function.
    pub function: usize,
    /// What it is given.
    pub data: usize,
    /// The stream that the older form, `cuStreamAddCallback`, is given, too.
    pub stream: Option<usize>,
}

/// Calls that wait, and how far they have come. A ticket is the number of a call; 0: none.
struct Queue {
    waiting: VecDeque<HostCall>,
    issued: u64,
    done: u64,
    runs: bool,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    waiting: VecDeque::new(),
    issued: 0,
    done: 0,
    runs: false,
});
/// The ticket of the last call, without the lock.
static ISSUED: AtomicU64 = AtomicU64::new(0);
static CHANGED: Condvar = Condvar::new();

thread_local! {
    static IN_CALL: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread is in such a call.
pub fn in_call() -> bool {
    IN_CALL.get()
}

/// Puts a call behind the others; its ticket.
pub fn enqueue(call: HostCall) -> Outcome<u64> {
    if call.function == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let mut queue = queue();
    if !queue.runs {
        let thread = std::thread::Builder::new().name("migfit-host-fn".to_owned());
        thread.spawn(work).map_err(|_| Status::OUT_OF_MEMORY)?;
        queue.runs = true;
    }
    queue.waiting.push_back(call);
    queue.issued += 1;
    ISSUED.store(queue.issued, Ordering::Release);
    CHANGED.notify_all();
    Ok(queue.issued)
}

/// The ticket of the last call.
pub fn last() -> u64 {
    ISSUED.load(Ordering::Acquire)
}

/// Whether the call of this ticket has returned.
pub fn is_done(ticket: u64) -> bool {
    ticket == 0 || queue().done >= ticket
}

/// Waits until the call of this ticket has returned.
pub fn wait(ticket: u64) {
    if ticket == 0 {
        return;
    }
    let mut queue = queue();
    while queue.done < ticket {
        queue = CHANGED.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

fn work() {
    IN_CALL.set(true);
    let mut queue = queue();
    loop {
        let Some(call) = queue.waiting.pop_front() else {
            queue = CHANGED.wait(queue).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        drop(queue);
        call.make();
        queue = self::queue();
        queue.done += 1;
        CHANGED.notify_all();
    }
}

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostCall {
    fn make(self) {
        type Plain = extern "C" fn(usize);
        type WithStream = extern "C" fn(usize, u32, usize);
        let function = std::ptr::with_exposed_provenance::<()>(self.function);
        // SAFETY: the program handed in a function of this form, as the C interface asks of it.
        unsafe {
            match self.stream {
                None => std::mem::transmute::<*const (), Plain>(function)(self.data),
                Some(stream) => {
                    std::mem::transmute::<*const (), WithStream>(function)(stream, 0, self.data);
                }
            }
        }
    }
}
