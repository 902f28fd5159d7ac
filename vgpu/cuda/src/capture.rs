//! Streams that are captured: what they are asked to do becomes nodes of a graph. Other streams join a capture by waiting
//! for an event of it. A call that cannot be captured makes the capture invalid.

use crate::driver::driver;
use crate::graphs::Graph;
use crate::status::{Outcome, Status};
use crate::streams::{self, Event, Stream};
use crate::work::Work;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// A capture that goes on.
pub struct Capture {
    /// Unique in this process.
    pub id: u64,
    /// The graph that it makes.
    pub graph: Arc<Graph>,
    origin: usize,
    origin_blocks: bool,
    mode: u32,
    thread: ThreadId,
    state: Mutex<State>,
}

struct State {
    invalid: bool,
    /// By stream: the nodes that what it is asked next depends on.
    ends: BTreeMap<usize, BTreeSet<usize>>,
}

/// A place in a graph that is being captured.
#[derive(Clone)]
pub struct Captured {
    capture: u64,
    nodes: BTreeSet<usize>,
}

/// Captures: how much of what other code does meanwhile is taken for a mistake.
pub const GLOBAL: u32 = 0;
const THREAD_LOCAL: u32 = 1;
const RELAXED: u32 = 2;

static CAPTURES: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());
/// How many there are: nearly always none, and then nothing has to be locked.
static GOING_ON: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

/// Begins to capture a stream into a graph, behind these nodes of it.
pub fn begin(stream: usize, graph: Arc<Graph>, behind: BTreeSet<usize>, mode: u32) -> Outcome {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let stream = streams::get(stream)?;
    if mode > RELAXED {
        return Err(Status::INVALID_VALUE);
    }
    if stream.is_legacy() {
        return Err(Status::STREAM_CAPTURE_UNSUPPORTED);
    }
    if find(stream.key()).is_some() {
        return Err(Status::ILLEGAL_STATE);
    }
    let capture = Capture {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        graph,
        origin: stream.key(),
        origin_blocks: stream.is_blocking(),
        mode,
        thread: std::thread::current().id(),
        state: Mutex::new(State {
            invalid: false,
            ends: BTreeMap::from([(stream.key(), behind)]),
        }),
    };
    captures().push(Arc::new(capture));
    GOING_ON.fetch_add(1, Ordering::Release);
    Ok(())
}

/// Ends the capture that began with this stream; its graph.
pub fn end(stream: usize) -> Outcome<Arc<Graph>> {
    let stream = streams::get(stream)?;
    let capture = find(stream.key()).ok_or(Status::ILLEGAL_STATE)?;
    if capture.origin != stream.key() {
        return Err(Status::STREAM_CAPTURE_UNMATCHED);
    }
    if capture.mode != RELAXED && capture.thread != std::thread::current().id() {
        return Err(Status::STREAM_CAPTURE_WRONG_THREAD);
    }
    remove(&capture);
    let state = capture.state();
    if state.invalid {
        return Err(Status::STREAM_CAPTURE_INVALIDATED);
    }
    // All that other streams did must come before what this one did last.
    let last = state.ends.get(&capture.origin).cloned().unwrap_or_default();
    let of_others = state
        .ends
        .iter()
        .filter(|(stream, _)| **stream != capture.origin);
    let of_others: BTreeSet<usize> = of_others.flat_map(|(_, nodes)| nodes).copied().collect();
    let open = capture.graph.leaves();
    let unjoined = open
        .iter()
        .any(|node| of_others.contains(node) && !last.contains(node));
    drop(state);
    if unjoined {
        return Err(Status::STREAM_CAPTURE_UNJOINED);
    }
    Ok(Arc::clone(&capture.graph))
}

/// The capture that a stream is part of. A call on the legacy stream while a stream is captured that waits for it cannot
/// be captured, and spoils that capture.
pub fn of(stream: &Stream) -> Outcome<Option<Arc<Capture>>> {
    if GOING_ON.load(Ordering::Acquire) == 0 {
        return Ok(None);
    }
    if let Some(capture) = find(stream.key()) {
        if capture.state().invalid {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        return Ok(Some(capture));
    }
    let spoiled = stream
        .is_legacy()
        .then(|| captures().iter().find(|one| one.origin_blocks).cloned());
    match spoiled.flatten() {
        Some(capture) => Err(capture.spoil(Status::STREAM_CAPTURE_IMPLICIT)),
        None => Ok(None),
    }
}

/// The capture that a stream is part of, and whether it is still valid; nothing is spoiled by asking.
pub fn state(stream: &Stream) -> Option<(Arc<Capture>, bool)> {
    let capture = find(stream.key())?;
    let valid = !capture.state().invalid;
    Some((capture, valid))
}

/// For calls that a capture forbids on its streams (waiting, asking): spoils it.
pub fn forbid_on(stream: &Stream) -> Outcome {
    match of(stream)? {
        Some(capture) => Err(capture.spoil(Status::STREAM_CAPTURE_UNSUPPORTED)),
        None => Ok(()),
    }
}

/// For calls that may wait for the device, such as allocations: spoils a capture of this thread, and one of any thread
/// that asked for it.
pub fn forbid() -> Outcome {
    if GOING_ON.load(Ordering::Acquire) == 0 || MODE.get() == RELAXED {
        return Ok(());
    }
    let here = std::thread::current().id();
    let minds = |capture: &&Arc<Capture>| match capture.mode {
        RELAXED => false,
        THREAD_LOCAL => capture.thread == here,
        _ => capture.thread == here || MODE.get() == GLOBAL,
    };
    let found = captures().iter().find(minds).cloned();
    match found {
        Some(capture) => Err(capture.spoil(Status::STREAM_CAPTURE_UNSUPPORTED)),
        None => Ok(()),
    }
}

/// Gives the calling thread another mode; the one that it had.
pub fn exchange_mode(mode: u32) -> Outcome<u32> {
    driver()?;
    if mode > RELAXED {
        return Err(Status::INVALID_VALUE);
    }
    Ok(MODE.replace(mode))
}

/// A stream that is gone is captured no more.
pub fn stream_ended(stream: &Stream) {
    if let Some(capture) = find(stream.key()) {
        if capture.origin == stream.key() {
            remove(&capture);
        } else {
            capture.state().invalid = true;
        }
    }
}

/// Records an event in a captured stream: from now on it stands for the place that the stream has come to.
pub fn record(capture: &Capture, stream: &Stream, event: &Event) {
    event.capture(Captured {
        capture: capture.id,
        nodes: capture.ends(stream),
    });
}

/// Has a stream wait for an event where one of them is captured; whether that was so.
pub fn wait(stream: &Stream, event: &Event) -> Outcome<bool> {
    let own = of(stream)?;
    let Some(captured) = event.captured() else {
        return match own {
            // What was recorded outside cannot be waited for inside.
            Some(capture) => Err(capture.spoil(Status::STREAM_CAPTURE_ISOLATION)),
            None => Ok(false),
        };
    };
    let from = captures()
        .iter()
        .find(|one| one.id == captured.capture)
        .cloned();
    let from = from.ok_or(Status::INVALID_VALUE)?;
    if let Some(own) = own.filter(|own| own.id != from.id) {
        from.state().invalid = true;
        return Err(own.spoil(Status::STREAM_CAPTURE_MERGE));
    }
    if stream.is_legacy() {
        return Err(from.spoil(Status::STREAM_CAPTURE_IMPLICIT));
    }
    from.state()
        .ends
        .entry(stream.key())
        .or_default()
        .extend(captured.nodes);
    Ok(true)
}

impl Capture {
    /// Puts work into the graph, behind what the stream was asked before.
    pub fn add(&self, stream: &Stream, work: Work) -> Outcome<usize> {
        let behind = self.ends(stream);
        let node = self.graph.add(work, behind)?;
        self.state()
            .ends
            .insert(stream.key(), BTreeSet::from([node]));
        Ok(node)
    }

    /// The nodes that what the stream is asked next depends on.
    pub fn ends(&self, stream: &Stream) -> BTreeSet<usize> {
        self.state()
            .ends
            .get(&stream.key())
            .cloned()
            .unwrap_or_default()
    }

    /// Sets them, or adds to them.
    pub fn set_ends(&self, stream: &Stream, nodes: BTreeSet<usize>, add: bool) {
        let mut state = self.state();
        let ends = state.ends.entry(stream.key()).or_default();
        if !add {
            ends.clear();
        }
        ends.extend(nodes);
    }

    fn spoil(&self, status: Status) -> Status {
        self.state().invalid = true;
        status
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(stream: usize) -> Option<Arc<Capture>> {
    if GOING_ON.load(Ordering::Acquire) == 0 {
        return None;
    }
    let captures = captures();
    let of_stream = |capture: &&Arc<Capture>| capture.state().ends.contains_key(&stream);
    captures.iter().find(of_stream).cloned()
}

fn remove(capture: &Arc<Capture>) {
    captures().retain(|one| !Arc::ptr_eq(one, capture));
    GOING_ON.fetch_sub(1, Ordering::Release);
}

fn captures() -> MutexGuard<'static, Vec<Arc<Capture>>> {
    CAPTURES.lock().unwrap_or_else(PoisonError::into_inner)
}
