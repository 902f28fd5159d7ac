//! Pointers as C callers make them, from what a test holds. A test keeps it until the call returns.

use crate::border::{In, Out};
use std::ffi::{CStr, c_char};

/// Rooms for results.
pub trait Room<T> {
    fn to(value: &mut T) -> Out<T>;
    fn to_all(values: &mut [T]) -> Out<T>;
}

impl<T> Room<T> for Out<T> {
    fn to(value: &mut T) -> Out<T> {
        // SAFETY: room for one.
        unsafe { Out::at(value) }
    }

    fn to_all(values: &mut [T]) -> Out<T> {
        // SAFETY: room for as many as the test tells the call.
        unsafe { Out::at(values.as_mut_ptr()) }
    }
}

/// Arguments by pointer.
pub trait Argument<T> {
    fn of(value: &T) -> In<T>;
}

impl<T: Copy> Argument<T> for In<T> {
    fn of(value: &T) -> In<T> {
        // SAFETY: one value.
        unsafe { In::at(value) }
    }
}

/// A text by pointer.
pub fn text(text: &CStr) -> In<c_char> {
    // SAFETY: NUL-terminated.
    unsafe { In::at(text.as_ptr()) }
}
