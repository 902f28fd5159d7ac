//! Results of the runtime: the driver's numbers, plus some of its own; and each thread's last error.

use std::cell::Cell;
use std::ffi::CStr;

/// A `cudaError_t` other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

/// Outcome of a runtime call.
pub type Outcome<T = ()> = Result<T, Status>;

impl Status {
    pub const INVALID_VALUE: Status = Status(1);
    pub const INVALID_CONFIGURATION: Status = Status(9);
    pub const INVALID_SYMBOL: Status = Status(13);
    pub const INVALID_MEMCPY_DIRECTION: Status = Status(21);
    pub const INSUFFICIENT_DRIVER: Status = Status(35);
    pub const INVALID_DEVICE_FUNCTION: Status = Status(98);
    pub const INVALID_DEVICE: Status = Status(101);
    pub const SYMBOL_NOT_FOUND: Status = Status(500);
    pub const NOT_SUPPORTED: Status = Status(801);
    pub const UNKNOWN: Status = Status(999);
}

/// The result of a driver call.
pub fn checked(result: u32) -> Outcome {
    if result == 0 {
        Ok(())
    } else {
        Err(Status(result))
    }
}

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// Makes a failure the thread's last error. That an event or stream is not ready yet is none.
pub fn remember(status: Status) {
    const NOT_READY: Status = Status(600);
    if status != NOT_READY {
        LAST.set(status.0);
    }
}

/// The thread's last error, which stays.
pub fn last() -> u32 {
    LAST.get()
}

/// The thread's last error, which is forgotten.
pub fn take_last() -> u32 {
    LAST.replace(0)
}

static NAMES: &[(u32, &CStr, &CStr)] = include!(concat!(env!("OUT_DIR"), "/errors.rs"));

/// Name and text of a result.
pub fn describe(value: u32) -> (&'static CStr, &'static CStr) {
    let found = NAMES.iter().find(|(known, _, _)| *known == value);
    found.map_or(
        (c"cudaErrorUnknown", c"unrecognized error code"),
        |(_, name, text)| (*name, *text),
    )
}
