//! Streams and events. Every copy and launch is complete when its call returns, so a stream never has work left; an
//! event remembers the host's time.

use crate::contexts;
use crate::driver::driver;
use crate::handles::{Handles, Object, next_handle};
use crate::status::{Outcome, Status};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
}

/// An event.
pub struct Event {
    handle: usize,
    timed: bool,
    recorded: Mutex<Option<Instant>>,
    context_id: u64,
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
const DISABLE_TIMING: u32 = 2;

static STREAMS: Handles<Stream> = Handles::new();
static EVENTS: Handles<Event> = Handles::new();
static NEXT_ID: AtomicU64 = AtomicU64::new(DEFAULT_STREAMS as u64 + 1);

/// Makes a stream in the current context.
pub fn create(flags: u32, priority: i32) -> Outcome<usize> {
    let context = contexts::current()?;
    let stream = Stream {
        handle: next_handle(),
        flags,
        priority: priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY),
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        context: contexts::current_handle(),
        context_id: context.id,
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
    STREAMS.remove(handle).map(drop)
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
    }))
}

/// Makes an event in the current context.
pub fn create_event(flags: u32) -> Outcome<usize> {
    let context = contexts::current()?;
    let event = Event {
        handle: next_handle(),
        timed: flags & DISABLE_TIMING == 0,
        recorded: Mutex::new(None),
        context_id: context.id,
    };
    Ok(EVENTS.insert(Arc::new(event)))
}

/// Ends an event.
pub fn destroy_event(handle: usize) -> Outcome {
    driver()?;
    EVENTS.remove(handle).map(drop)
}

/// Checks that a handle is an event's.
pub fn require_event(handle: usize) -> Outcome {
    driver()?;
    EVENTS.get(handle).map(drop)
}

/// Records an event in a stream.
pub fn record(event: usize, stream: usize) -> Outcome {
    get(stream)?;
    let event = EVENTS.get(event)?;
    *event
        .recorded
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    Ok(())
}

/// Milliseconds of host time between two recorded events.
pub fn elapsed(start: usize, end: usize) -> Outcome<f32> {
    driver()?;
    let time = |handle| {
        let event = EVENTS.get(handle)?;
        let recorded = *event
            .recorded
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        recorded
            .filter(|_| event.timed)
            .ok_or(Status::INVALID_HANDLE)
    };
    let (start, end) = (time(start)?, time(end)?);
    let forth = end.saturating_duration_since(start).as_secs_f32();
    let back = start.saturating_duration_since(end).as_secs_f32();
    Ok((forth - back) * 1000.0)
}

/// Streams and events die with their context.
pub fn context_ended(context: u64) {
    STREAMS.remove_where(|stream| stream.context_id == context);
    EVENTS.remove_where(|event| event.context_id == context);
}
