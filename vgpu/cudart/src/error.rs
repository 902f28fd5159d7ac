//! Results of the runtime: the driver's numbers, plus some of its own; and each thread's last error.

use migfit_vgpu_border::Refusal;
use std::cell::Cell;
use std::ffi::CStr;

/// A `cudaError_t` other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

/// Outcome of a runtime call.
pub type Outcome<T = ()> = Result<T, Status>;

impl Status {
    pub const INVALID_VALUE: Status = Status(1);
    pub const OUT_OF_MEMORY: Status = Status(2);
    pub const INVALID_CONFIGURATION: Status = Status(9);
    pub const INVALID_SYMBOL: Status = Status(13);
    pub const INVALID_MEMCPY_DIRECTION: Status = Status(21);
    pub const INSUFFICIENT_DRIVER: Status = Status(35);
    pub const INVALID_DEVICE_FUNCTION: Status = Status(98);
    pub const INVALID_DEVICE: Status = Status(101);
    pub const INVALID_HANDLE: Status = Status(400);
    pub const SYMBOL_NOT_FOUND: Status = Status(500);
    pub const NOT_SUPPORTED: Status = Status(801);
    pub const UNKNOWN: Status = Status(999);
}

impl Refusal for Status {
    const NULL_POINTER: Status = Status::INVALID_VALUE;
    const NO_SUCH_NAME: Status = Status::SYMBOL_NOT_FOUND;
    const PANICKED: Status = Status::UNKNOWN;

    fn answer(self) -> u32 {
        remember(self);
        self.0
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_stays_until_it_is_taken() {
        remember(Status::INVALID_VALUE);
        assert_eq!(last(), 1);
        assert_eq!(take_last(), 1);
        assert_eq!(take_last(), 0);
    }

    #[test]
    fn not_ready_is_an_answer_and_no_error() {
        remember(Status(600));
        assert_eq!(last(), 0);
    }

    #[test]
    fn each_thread_has_its_own_last_error() {
        remember(Status::INVALID_VALUE);
        assert_eq!(std::thread::spawn(last).join().unwrap(), 0);
        take_last();
    }

    #[test]
    fn results_have_the_names_of_the_header() {
        let name = |value| describe(value).0.to_str().unwrap();
        assert_eq!(name(0), "cudaSuccess");
        assert_eq!(name(2), "cudaErrorMemoryAllocation");
        assert_eq!(name(100), "cudaErrorNoDevice");
        assert_eq!(describe(2).1, c"out of memory");
        assert_eq!(describe(700).1, c"an illegal memory access was encountered");
        assert_eq!(describe(77777).1, c"unrecognized error code");
    }
}
