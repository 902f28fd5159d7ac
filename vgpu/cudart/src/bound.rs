//! The calling thread's context: the one that the program made current through the driver, else the primary one.

use crate::driver::{self, Driver};
use crate::error::{Outcome, Status, checked};
use std::sync::{Mutex, PoisonError};

/// The device that this runtime knows: a process sees one at most.
pub const DEVICE: i32 = 0;

/// Contexts that the runtime retained: the primary one now (0: none), and those that a reset ended.
struct Retained {
    primary: usize,
    ended: Vec<usize>,
}

static RETAINED: Mutex<Retained> = Mutex::new(Retained {
    primary: 0,
    ended: Vec::new(),
});

/// The driver, with a context current in this thread.
pub fn bound() -> Outcome<&'static Driver> {
    let driver = driver::driver()?;
    let mut current = 0;
    // SAFETY: room for one handle.
    checked(unsafe { (driver.current_context)(&raw mut current) })?;
    let mut retained = RETAINED.lock().unwrap_or_else(PoisonError::into_inner);
    if current != 0 && (current == retained.primary || !retained.ended.contains(&current)) {
        return Ok(driver);
    }
    let first = retained.primary == 0;
    if first {
        let mut primary = 0;
        // SAFETY: room for one handle.
        checked(unsafe { (driver.retain_primary)(&raw mut primary, DEVICE) })?;
        retained.ended.retain(|ended| *ended != primary);
        retained.primary = primary;
    }
    // SAFETY: the handle is live.
    checked(unsafe { (driver.set_current_context)(retained.primary) })?;
    drop(retained);
    if first {
        crate::code::place_all_managed()?;
    }
    Ok(driver)
}

/// Waits for all work of the calling thread's context.
pub fn synchronize() -> Outcome {
    let driver = bound()?;
    let mut context = 0;
    // SAFETY: room for one handle.
    checked(unsafe { (driver.current_context)(&raw mut context) })?;
    // SAFETY: the handle is live.
    checked(unsafe { (driver.synchronize)(context) })
}

/// Ends the primary context with all that it holds.
pub fn reset() -> Outcome {
    let driver = driver::driver()?;
    let mut retained = RETAINED.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: a plain call.
    checked(unsafe { (driver.reset_primary)(DEVICE) })?;
    let ended = std::mem::take(&mut retained.primary);
    if ended != 0 {
        retained.ended.push(ended);
    }
    Ok(())
}

/// Checks that a number is the device's.
pub fn require_device(device: i32) -> Outcome {
    if device == DEVICE {
        Ok(())
    } else {
        Err(Status::INVALID_DEVICE)
    }
}
