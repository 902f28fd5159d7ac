//! `cuGetProcAddress`: comes in: the driver's answer. Goes out: our hook in its place, where the table has one.

use crate::entry;
use crate::real::driver::{self, Code, SUCCESS};
use crate::symbols::Symbol;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;

/// The form of CUDA 11.3.
pub fn first_form(
    _: (),
    name: *const c_char,
    out: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> impl FnOnce(Code) {
    move |code| exchange(code, name, out, version, flags)
}

/// The form of CUDA 12, which also says why there is no answer; that is left as it is.
pub fn second_form(
    _: (),
    name: *const c_char,
    out: *mut *mut c_void,
    version: c_int,
    flags: u64,
    _status: *mut c_int,
) -> impl FnOnce(Code) {
    move |code| exchange(code, name, out, version, flags)
}

fn exchange(code: Code, name: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) {
    if code != SUCCESS || name.is_null() || out.is_null() {
        return;
    }
    // SAFETY: the driver has just read this name and written this answer, and reported success.
    let (name, found) = unsafe { (CStr::from_ptr(name), out.read()) };
    if found.is_null() {
        return;
    }
    let is_real = |symbol: &Symbol| driver::of(symbol) == Some(found);
    let Some(symbol) = entry::by_answer(name, version, flags, is_real) else {
        return;
    };
    if driver::of(symbol).is_none() {
        // A driver that takes its own functions by exported name hands out our export: there is nothing behind that.
        if found == symbol.linked.address() {
            return;
        }
        symbol.driver.store(found, Relaxed);
    }
    // SAFETY: as above.
    unsafe { out.write(symbol.looked_up.address()) };
}
