//! Around every exported function: the real call happens exactly once, and no panic of ours leaves.
//! Comes in: a table row, the real call, a witness. Goes out: the driver's own result. It must not know what is noted.

use crate::real::driver::{self, Code};
use crate::session::{self, Session};
use crate::switch;
use crate::symbols::{Door, Symbol};
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Whether this thread is inside one of our hooks. What the driver, or we ourselves, call then is not the program's.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The guard of functions that are recorded: the witness gets the session of this process.
pub fn hook<After: FnOnce(Code)>(
    symbol: &'static Symbol,
    door: Door,
    call: impl FnOnce(*mut c_void) -> Code,
    witness: impl FnOnce(&'static Session) -> After,
) -> Code {
    around(symbol, door, call, || session::current().map(witness))
}

/// The guard of functions that look others up: these are no work of the program yet, so they begin no record.
pub fn lookup<After: FnOnce(Code)>(
    symbol: &'static Symbol,
    door: Door,
    call: impl FnOnce(*mut c_void) -> Code,
    witness: impl FnOnce(()) -> After,
) -> Code {
    around(symbol, door, call, || switch::is_on().then(|| witness(())))
}

fn around<After: FnOnce(Code)>(
    symbol: &'static Symbol,
    door: Door,
    call: impl FnOnce(*mut c_void) -> Code,
    before: impl FnOnce() -> Option<After>,
) -> Code {
    // Found outside the mark and before any work of ours: this part must not fail for the program.
    let Some(real) = driver::behind(symbol, door) else {
        return driver::MISSING;
    };
    let Some(_mark) = Mark::enter() else {
        return call(real);
    };
    let after = quietly(before).flatten();
    let result = call(real);
    if let Some(after) = after {
        quietly(|| after(result));
    }
    result
}

/// Runs work of ours so that the program does not notice: `errno` stays, and a panic only ends the recording.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    // SAFETY: the C library's own place for this thread's errno, valid as long as the thread runs.
    let errno = unsafe { *libc::__errno_location() };
    let outcome = catch_unwind(AssertUnwindSafe(work)).ok();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    if outcome.is_none() {
        session::disturb();
    }
    outcome
}

/// Marks this thread as being inside a hook until dropped.
struct Mark;

impl Mark {
    /// `None` where the thread is inside already.
    fn enter() -> Option<Mark> {
        INSIDE.with(|inside| (!inside.replace(true)).then_some(Mark))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        INSIDE.with(|inside| inside.set(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::TABLE;
    use std::sync::atomic::Ordering::Relaxed;

    fn with_a_real_function() -> &'static Symbol {
        let symbol = &TABLE[0];
        let address = std::ptr::without_provenance_mut(0x1000);
        symbol.next.store(address, Relaxed);
        symbol.driver.store(address, Relaxed);
        symbol
    }

    #[test]
    fn the_real_call_happens_once_whatever_the_witness_does() {
        let symbol = with_a_real_function();
        for panics_before in [true, false] {
            let calls = Cell::new(0);
            let call = |_| {
                calls.set(calls.get() + 1);
                7
            };
            let before = || {
                assert!(!panics_before, "a failure of ours before the call");
                Some(|_| panic!("a failure of ours after the call"))
            };
            assert_eq!(around(symbol, Door::Linked, call, before), 7);
            assert_eq!(calls.get(), 1);
        }
    }

    #[test]
    fn a_call_from_inside_a_hook_is_not_witnessed() {
        let symbol = with_a_real_function();
        let witnessed = Cell::new(0);
        let before = || {
            witnessed.set(witnessed.get() + 1);
            Some(|_| ())
        };
        let outer = |_| around(symbol, Door::Linked, |_| 0, before);
        around(symbol, Door::LookedUp, outer, before);
        assert_eq!(witnessed.get(), 1);
        around(symbol, Door::Linked, |_| 0, before);
        assert_eq!(witnessed.get(), 2, "the mark is gone after the call");
    }

    #[test]
    fn errno_stays_as_it_was() {
        // SAFETY: this thread's errno.
        unsafe { *libc::__errno_location() = 42 };
        quietly(|| std::fs::read("/no/such/file").is_err());
        // SAFETY: as above.
        assert_eq!(unsafe { *libc::__errno_location() }, 42);
    }
}
