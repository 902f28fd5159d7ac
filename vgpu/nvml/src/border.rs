//! The C border as NVML has it: pointers and texts of its callers, versions of structures, exported functions.

use crate::code::{Code, Outcome};
use nvml_wrapper_sys::bindings::nvmlReturn_t;
use std::ffi::c_char;

/// Where the caller wants a result.
pub type Out<T> = migfit_vgpu_border::Out<T, Code>;

/// What the caller hands in by pointer.
pub type In<T> = migfit_vgpu_border::In<T, Code>;

/// Runs the body of an exported function; a panic becomes an error code.
pub fn guard(body: impl FnOnce() -> Outcome) -> nvmlReturn_t {
    migfit_vgpu_border::guard(body)
}

/// Stores a text and its NUL in a buffer of `length` bytes; one that is too small gets nothing.
pub fn put_text(room: Out<c_char>, length: u32, text: &str) -> Outcome {
    if text.len() >= length as usize {
        return Err(match room.is_null() {
            true => Code::INVALID_ARGUMENT,
            false => Code::INSUFFICIENT_SIZE,
        });
    }
    let bytes = text.bytes().chain(std::iter::once(0));
    room.put_all(bytes.map(|b| b as c_char))
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

/// Exports functions of NVML: each body gives an `Outcome`, unless a fault is set for the function.
macro_rules! exports {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {
        migfit_vgpu_border::exports! { $crate::border::guard; $(
            $(#[$about])*
            fn $name($($argument: $kind),*) {
                $crate::faults::check(stringify!($name))?;
                $body
            }
        )* }
    };
}
