//! The C border: where results go, the guard that no panic passes, and the macro that exports functions.

use crate::error::{self, Outcome, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an exported function: a panic becomes an error, and every error the thread's last one.
pub fn guard(body: impl FnOnce() -> Outcome) -> u32 {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Status::UNKNOWN));
    match outcome {
        Ok(()) => 0,
        Err(status) => {
            error::remember(status);
            status.0
        }
    }
}

/// Where the caller wants a result: null, or room for one `T`. Only C callers make these.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Stores a result; null is the caller's error.
    pub fn put(self, value: T) -> Outcome {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so by the C interface it points to room for a `T`.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Stores a result where the caller wants one.
    pub fn offer(self, value: T) {
        // Null means that the caller does not want it.
        let _ = self.put(value);
    }

    /// The pointer itself, to hand on to the driver; null is the caller's error.
    pub fn room(self) -> Outcome<*mut T> {
        if self.0.is_null() {
            Err(Status::INVALID_VALUE)
        } else {
            Ok(self.0)
        }
    }
}

/// Three extents, passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// First dimension.
    pub x: u32,
    /// Second dimension.
    pub y: u32,
    /// Third dimension.
    pub z: u32,
}

/// Exports functions of the runtime interface: each body gives an `Outcome`.
macro_rules! exports {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $kind),*) -> u32 {
            $crate::border::guard(|| $body)
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_the_last_one() {
        assert_eq!(guard(|| panic!("in a test")), Status::UNKNOWN.0);
        assert_eq!(error::take_last(), Status::UNKNOWN.0);
    }

    #[test]
    fn a_null_room_is_the_callers_error_unless_it_is_optional() {
        let room = Out::<i32>(std::ptr::null_mut());
        assert_eq!(room.put(1), Err(Status::INVALID_VALUE));
        assert_eq!(room.room().err(), Some(Status::INVALID_VALUE));
        room.offer(1);
        let mut value = 0;
        assert_eq!(Out(&raw mut value).put(5), Ok(()));
        assert_eq!(value, 5);
    }
}
