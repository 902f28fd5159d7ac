//! The C border: pointers that callers hand in, the guard that no panic passes, the macro that exports functions.

use crate::code::{Code, Outcome};
use nvml_wrapper_sys::bindings::nvmlReturn_t;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an exported function; a panic becomes an error code.
pub fn guard(body: impl FnOnce() -> Outcome) -> nvmlReturn_t {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code.0,
        Err(_) => Code::UNKNOWN.0,
    }
}

/// Where the caller wants a result: null, or room for one `T` or for as many as it says. Only C callers make these.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Stores a result; null is the caller's error.
    pub fn put(&self, value: T) -> Outcome {
        self.put_all(std::iter::once(value))
    }

    /// Stores results one after the other. The caller vouches for the room, as NVML's header asks of it.
    pub fn put_all(&self, values: impl IntoIterator<Item = T>) -> Outcome {
        if self.0.is_null() {
            return Err(Code::INVALID_ARGUMENT);
        }
        for (nth, value) in values.into_iter().enumerate() {
            // SAFETY: not null, so by the C interface it points to room for all of them.
            unsafe { self.0.add(nth).write_unaligned(value) };
        }
        Ok(())
    }

    /// Whether the caller gave no room.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// The 32-bit number that the room begins with: the version of a structure, or the room that an array has.
    pub fn first_word(&self) -> Outcome<u32> {
        if self.0.is_null() {
            return Err(Code::INVALID_ARGUMENT);
        }
        // SAFETY: not null, so by the C interface it points to a structure that begins with such a number.
        Ok(unsafe { self.0.cast::<u32>().read_unaligned() })
    }

    /// The same room seen as that of another version of the structure.
    pub fn seen_as<U>(&self) -> Out<U> {
        Out(self.0.cast())
    }
}

impl Out<c_char> {
    /// Stores a text and its NUL in a buffer of `length` bytes.
    pub fn put_text(&self, length: u32, text: &str) -> Outcome {
        if text.len() >= length as usize {
            return Err(match self.is_null() {
                true => Code::INVALID_ARGUMENT,
                false => Code::INSUFFICIENT_SIZE,
            });
        }
        let bytes = text.bytes().chain(std::iter::once(0));
        self.put_all(bytes.map(|b| b as c_char))
    }
}

/// What the caller hands in by pointer: null or a value. Only C callers make these.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// The value; null is the caller's error.
    pub fn get(&self) -> Outcome<T> {
        if self.0.is_null() {
            return Err(Code::INVALID_ARGUMENT);
        }
        // SAFETY: not null, so by the C interface it points to a value of type `T`.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl In<c_char> {
    /// The NUL-terminated text; one that is no UTF-8 names nothing of ours.
    pub fn text(&self) -> Outcome<&str> {
        if self.0.is_null() {
            return Err(Code::INVALID_ARGUMENT);
        }
        // SAFETY: not null, so by the C interface it is a NUL-terminated string that outlives the call.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map_err(|_| Code::NOT_FOUND)
    }
}

/// A fixed array of C characters with this text, cut to fit, NUL-terminated.
pub fn chars<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    let room = array.iter_mut().take(N.saturating_sub(1));
    for (to, from) in room.zip(text.bytes()) {
        *to = from as c_char;
    }
    array
}

/// NVML's version number of a structure: its size and, in the top byte, which version it is.
pub const fn version<T>(number: u32) -> u32 {
    size_of::<T>() as u32 | number << 24
}

/// Exports functions of NVML: each body gives an `Outcome`.
macro_rules! exports {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $kind),*) -> nvml_wrapper_sys::bindings::nvmlReturn_t {
            $crate::border::guard(|| $body)
        }
    )*};
}

#[cfg(test)]
impl<T> Out<T> {
    pub fn to(value: &mut T) -> Out<T> {
        Out(value)
    }

    pub fn to_all(values: &mut [T]) -> Out<T> {
        Out(values.as_mut_ptr())
    }

    pub fn null() -> Out<T> {
        Out(std::ptr::null_mut())
    }
}

#[cfg(test)]
impl<T> In<T> {
    pub fn from(value: &T) -> In<T> {
        In(value)
    }

    pub fn null() -> In<T> {
        In(std::ptr::null())
    }
}

#[cfg(test)]
impl In<c_char> {
    pub fn text_of(text: &CStr) -> In<c_char> {
        In(text.as_ptr())
    }
}
