//! Streams and events. Every copy and launch is complete when its call returns, so a stream has nothing left but calls of
//! the program's own functions; an event remembers the host's time.

use crate::capture::{self, Captured};
use crate::contexts;
use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::host_calls;
use crate::status::{Outcome, Status};
use crate::work::Work;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A stream.
pub struct Stream {
    handle: usize,
    /// Flags that it was made with.
    pub flags: u32,
    /// Its priority.
    pub priority: i32,
    /// Unique in this process.
    pub id: u64,
    /// Handle of the context that it was made in.
    pub context: usize,
    context_id: u64,
    /// Ticket of the last call of the program's own functions in it.
    call: AtomicU64,
}

/// An event.
pub struct Event {
    handle: usize,
    timed: bool,
    recorded: Mutex<Option<Recorded>>,
    /// Where a captured stream was when it recorded the event.
    captured: Mutex<Option<Captured>>,
    context_id: u64,
}

#[derive(Clone, Copy)]
struct Recorded {
    at: Instant,
    call: u64,
}

impl Object for Stream {
    fn handle(&self) -> usize {
        self.handle
    }
}

impl Object for Event {
    fn handle(&self) -> usize {
        self.handle
    }
}

/// Handles up to this one are the default streams: null, legacy, per thread.
const DEFAULT_STREAMS: usize = 2;
/// The calling thread's own default stream.
const PER_THREAD: usize = 2;
const DISABLE_TIMING: u32 = 2;
const NON_BLOCKING: u32 = 1;

/// Value of an attribute: `CUlaunchAttributeValue`.
pub type AttributeValue = [u64; 8];

static STREAMS: Handles<Stream> = Handles::new();
static EVENTS: Handles<Event> = Handles::new();
static NEXT_ID: AtomicU64 = AtomicU64::new(DEFAULT_STREAMS as u64 + 1);
static ATTRIBUTES: Mutex<BTreeMap<(usize, u32), AttributeValue>> = Mutex::new(BTreeMap::new());

/// Makes a stream in the current context.
pub fn create(flags: u32, priority: i32) -> Outcome<usize> {
    let context = contexts::current()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let stream = Stream {
        handle: next_handle(),
        flags,
        priority: priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY),
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        context: contexts::current_handle(),
        context_id: context.id,
        call: AtomicU64::new(0),
    };
    Ok(STREAMS.insert(Arc::new(stream)))
}

/// Numerically, the lowest priority that streams have.
pub const LEAST_PRIORITY: i32 = 0;
/// Numerically, the highest priority that streams have.
pub const GREATEST_PRIORITY: i32 = -5;

/// Ends a stream.
pub fn destroy(handle: usize) -> Outcome {
    driver()?;
    let stream = STREAMS.remove(handle)?;
    capture::stream_ended(&stream);
    attributes().retain(|(owner, _), _| *owner != handle);
    Ok(())
}

/// The stream of a handle; a default stream stands in the current context.
pub fn get(handle: usize) -> Outcome<Arc<Stream>> {
    driver()?;
    if handle > DEFAULT_STREAMS {
        return STREAMS.get(handle);
    }
    let context = contexts::current()?;
    Ok(Arc::new(Stream {
        handle,
        flags: 0,
        priority: 0,
        id: handle as u64,
        context: contexts::current_handle(),
        context_id: context.id,
        // What a default stream waits for, others' calls too, is known when it is asked.
        call: AtomicU64::new(0),
    }))
}

/// Has a stream do some work: now, or when the graph is launched that it is captured into.
pub fn submit(handle: usize, work: &Work) -> Outcome {
    let stream = get(handle)?;
    if let Some(capture) = capture::of(&stream)? {
        return capture.add(&stream, work.clone()).map(drop);
    }
    stream.settle();
    work.perform(&stream)
}

impl Stream {
    /// Whether it is the default stream that waits for all others, and they for it.
    pub fn is_legacy(&self) -> bool {
        self.handle < PER_THREAD
    }

    /// Whether the legacy default stream and this one wait for each other.
    pub fn is_blocking(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }

    /// What it is known by: the per-thread default stream is another one in each thread.
    pub fn key(&self) -> usize {
        thread_local! {
            static OWN: u8 = const { 0 };
        }
        if self.handle == PER_THREAD {
            return OWN.with(|own| std::ptr::from_ref(own).addr());
        }
        self.handle
    }

    fn last_call(&self) -> u64 {
        if self.handle <= DEFAULT_STREAMS {
            host_calls::last()
        } else {
            self.call.load(Ordering::Relaxed)
        }
    }

    /// Waits until all that it was asked for is done.
    pub fn settle(&self) {
        host_calls::wait(self.last_call());
    }

    /// Whether all that it was asked for is done.
    pub fn is_done(&self) -> bool {
        host_calls::is_done(self.last_call())
    }

    /// The call of this ticket was put into it.
    pub fn note_call(&self, ticket: u64) {
        self.call.fetch_max(ticket, Ordering::Relaxed);
    }

    /// What follows in it waits for what came before the event.
    pub fn wait_for(&self, event: &Event) -> Outcome {
        if let Some(recorded) = *lock(&event.recorded) {
            self.note_call(recorded.call);
        }
        Ok(())
    }
}

impl Event {
    /// Records it in a stream that is not captured.
    pub fn record(&self, stream: &Stream) {
        *lock(&self.captured) = None;
        *lock(&self.recorded) = Some(Recorded {
            at: Instant::now(),
            call: stream.last_call(),
        });
    }

    /// It stands for a place in a graph now.
    pub fn capture(&self, captured: Captured) {
        *lock(&self.captured) = Some(captured);
    }

    /// The place in a graph that it stands for.
    pub fn captured(&self) -> Option<Captured> {
        lock(&self.captured).clone()
    }

    /// Ticket of the last call before it.
    pub fn call(&self) -> Outcome<u64> {
        if self.captured().is_some() {
            return Err(Status::CAPTURED_EVENT);
        }
        Ok(lock(&self.recorded).map_or(0, |recorded| recorded.call))
    }
}

/// Makes an event in the current context.
pub fn create_event(flags: u32) -> Outcome<usize> {
    let context = contexts::current()?;
    let event = Event {
        handle: next_handle(),
        timed: flags & DISABLE_TIMING == 0,
        recorded: Mutex::new(None),
        captured: Mutex::new(None),
        context_id: context.id,
    };
    Ok(EVENTS.insert(Arc::new(event)))
}

/// Ends an event.
pub fn destroy_event(handle: usize) -> Outcome {
    driver()?;
    EVENTS.remove(handle).map(drop)
}

/// The event of a handle.
pub fn event(handle: usize) -> Outcome<Arc<Event>> {
    driver()?;
    EVENTS.get(handle)
}

/// Milliseconds of host time between two recorded events.
pub fn elapsed(start: usize, end: usize) -> Outcome<f32> {
    driver()?;
    let time = |handle| {
        let event = EVENTS.get(handle)?;
        if !host_calls::is_done(event.call()?) {
            return Err(Status::NOT_READY);
        }
        let recorded = *lock(&event.recorded);
        recorded
            .filter(|_| event.timed)
            .map(|recorded| recorded.at)
            .ok_or(Status::INVALID_HANDLE)
    };
    let (start, end) = (time(start)?, time(end)?);
    let forth = end.saturating_duration_since(start).as_secs_f32();
    let back = start.saturating_duration_since(end).as_secs_f32();
    Ok((forth - back) * 1000.0)
}

/// An attribute of a stream, if it was set.
pub fn attribute(handle: usize, attribute: u32) -> Option<AttributeValue> {
    attributes().get(&(handle, attribute)).copied()
}

/// Sets it.
pub fn set_attribute(handle: usize, attribute: u32, value: AttributeValue) {
    attributes().insert((handle, attribute), value);
}

/// Takes over all attributes of another stream.
pub fn copy_attributes(to: usize, from: usize) {
    let mut attributes = attributes();
    let of_source = attributes.iter().filter(|((owner, _), _)| *owner == from);
    let copied: Vec<_> = of_source
        .map(|((_, which), value)| ((to, *which), *value))
        .collect();
    attributes.extend(copied);
}

/// Streams and events die with their context.
pub fn context_ended(context: u64) {
    STREAMS.remove_where(|stream| stream.context_id == context);
    EVENTS.remove_where(|event| event.context_id == context);
}

fn attributes() -> MutexGuard<'static, BTreeMap<(usize, u32), AttributeValue>> {
    lock(&ATTRIBUTES)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
