//! Strings that LLVM lends or gives away. Lossy where they are not UTF-8: they are only names for people.

use llvm_sys::core::LLVMDisposeMessage;
use std::ffi::{CStr, c_char};

/// Copies `length` bytes that LLVM lends.
pub(in crate::ir) fn lent(start: *const c_char, length: usize) -> String {
    if start.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: LLVM returned this pointer together with this length, and the owner is still alive.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes a null-ended message that LLVM gives away, and frees it.
pub(crate) fn given(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returned a null-ended string of its own that the caller has to dispose of, once.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
