//! Tells migfit's runtime library, where it is in the process, of each piece of work that is done. What a program is told
//! does not depend on it.

use crate::copying::{ARRAY, Copy, End, HOST};
use crate::execution;
use crate::launching::Launch;
use crate::{spans, uses};
use migfit_schema::observed::{
    LAUNCH, Listener, MEMORY_QUERY, Observed, TO_DEVICE, TO_HOST, WITHIN,
};
use migfit_schema::record::Work;
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static LISTENER: OnceLock<Listener> = OnceLock::new();
/// Whether a launch was not executed.
static SKIPPED: AtomicBool = AtomicBool::new(false);

/// Takes the listener; the first one stays.
#[unsafe(no_mangle)]
pub extern "C" fn migfit_vgpu_observe(listener: Listener) {
    // The runtime library asks once per process.
    let _ = LISTENER.set(listener);
}

/// Whether anybody listens, for whom work is counted.
pub fn is_heard() -> bool {
    LISTENER.get().is_some()
}

/// A launch was executed.
pub fn launched(name: &CStr, shape: &Launch, work: Work) {
    let name = name.to_bytes();
    tell(&Observed {
        name: name.as_ptr().cast(),
        name_bytes: name.len() as u64,
        grid: shape.grid,
        block: shape.block,
        shared: shape.shared,
        work,
        ..Observed::moved(LAUNCH, 0)
    });
}

/// A launch was not executed: what is read from now on is not what the program would read. Managed memory is read
/// without a call, so a live piece of it counts as read.
pub fn skipped() {
    SKIPPED.store(true, Ordering::Relaxed);
    if uses::any_managed() {
        tell(&Observed {
            unreal: 1,
            ..Observed::moved(TO_HOST, 0)
        });
    }
}

/// A copy was done.
pub fn copied(copy: &Copy) {
    if !is_heard() {
        return;
    }
    let kind = match (on_device(&copy.from), on_device(&copy.to)) {
        (true, false) => TO_HOST,
        (false, true) => TO_DEVICE,
        (true, true) => WITHIN,
        (false, false) => return,
    };
    let bytes = (copy.width as u64).saturating_mul(copy.height as u64);
    let bytes = bytes.saturating_mul(copy.depth as u64);
    let unreal = kind == TO_HOST && SKIPPED.load(Ordering::Relaxed) && !execution::executes();
    tell(&Observed {
        unreal: unreal.into(),
        ..Observed::moved(kind, bytes)
    });
}

/// Device memory was filled.
pub fn filled(bytes: u64) {
    tell(&Observed::moved(WITHIN, bytes));
}

/// The program asked how much memory is free.
pub fn memory_asked() {
    tell(&Observed::moved(MEMORY_QUERY, 0));
}

fn on_device(end: &End) -> bool {
    match end.kind {
        ARRAY => true,
        HOST => false,
        _ => spans::device_span(end.device).is_some(),
    }
}

fn tell(observed: &Observed) {
    if let Some(listener) = LISTENER.get() {
        // SAFETY: the listener takes a value of this form, for the time of the call.
        unsafe { listener(observed) };
    }
}
