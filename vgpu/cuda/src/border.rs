//! The C border: pointers that callers hand in, the guard that no panic passes, and the macros that export functions.

use crate::status::{Outcome, Status};
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an exported function; a panic becomes an error code.
pub fn guard(body: impl FnOnce() -> Outcome) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status.0,
        Err(_) => Status::UNKNOWN.0,
    }
}

/// Where the caller wants a result: null, or room for one `T`. Only C callers make these.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Stores a result; null is the caller's error.
    pub fn put(&self, value: T) -> Outcome {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so by the C interface it points to room for a `T`.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Stores a result where the caller wants one.
    pub fn offer(&self, value: T) {
        // Null means that the caller does not want it.
        let _ = self.put(value);
    }

    /// Whether the caller gave no room.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Stores results one after the other, in room that the caller said is for `values.len()` of them.
    pub fn put_all(&self, values: impl IntoIterator<Item = T>) -> Outcome {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        for (nth, value) in values.into_iter().enumerate() {
            // SAFETY: the caller vouches for room for all of them.
            unsafe { self.0.add(nth).write_unaligned(value) };
        }
        Ok(())
    }
}

/// What the caller hands in by pointer: null, or one or more `T`. Only C callers make these.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// The value; null is the caller's error.
    pub fn get(&self) -> Outcome<T> {
        self.nth(0)
    }

    /// The `index`-th of several; the caller vouches that there are as many.
    pub fn nth(&self, index: usize) -> Outcome<T> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so by the C interface it points to enough values of type `T`.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

impl In<c_char> {
    /// The NUL-terminated text.
    pub fn text<'a>(&self) -> Outcome<&'a CStr> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so by the C interface it is a NUL-terminated string that outlives the call.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }

    /// The text as UTF-8, which every name of ours is.
    pub fn name<'a>(&self) -> Outcome<&'a str> {
        self.text()?.to_str().map_err(|_| Status::NOT_FOUND)
    }
}

/// Copies a text into a caller's buffer of `len` bytes, cut to fit, NUL-terminated.
pub fn put_text(room: &Out<u8>, len: i32, text: &str) -> Outcome {
    let len = usize::try_from(len)
        .ok()
        .filter(|len| *len > 0)
        .ok_or(Status::INVALID_VALUE)?;
    let cut = text.bytes().take(len - 1).chain(std::iter::once(0));
    room.put_all(cut)
}

/// Exports functions of the driver interface: each body gives an `Outcome`.
macro_rules! exports {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $kind),*) -> u32 {
            $crate::border::guard(|| $body)
        }
    )*};
}
