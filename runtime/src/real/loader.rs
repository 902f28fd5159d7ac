//! The real `dlsym` and `dlvsym`: the C library's own, for our look-ups, and the next ones after ours, to which the
//! program's look-ups go on (another preloaded library may stand in for them too).

use super::elf;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Dlvsym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// Where glibc keeps them: libc since 2.34, libdl before.
const HOMES: [&[u8]; 2] = [b"libc.so.6", b"libdl.so.2"];

static DLSYM: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static NEXT_DLSYM: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static NEXT_DLVSYM: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Looks `name` up; `RTLD_NEXT` means: in the libraries after ours. Null where it is not there.
pub fn look_up(handle: *mut c_void, name: &CStr) -> *mut c_void {
    let dlsym = cached(&DLSYM, || elf::exported(&HOMES, c"dlsym"));
    if dlsym.is_null() {
        return null_mut();
    }
    // SAFETY: the C library's dlsym, a name that ends with zero, and a handle that the caller answers for.
    unsafe { std::mem::transmute::<*mut c_void, Dlsym>(dlsym)(handle, name.as_ptr()) }
}

/// Looks a versioned name up, as the next `dlvsym` does.
pub fn look_up_version(handle: *mut c_void, name: &CStr, version: *const c_char) -> *mut c_void {
    let dlvsym = next_dlvsym();
    if dlvsym.is_null() {
        return null_mut();
    }
    // SAFETY: as in `look_up`; the version is the caller's own argument.
    unsafe { std::mem::transmute::<*mut c_void, Dlvsym>(dlvsym)(handle, name.as_ptr(), version) }
}

/// Where the program's `dlsym` calls go on.
pub fn next_dlsym() -> *mut c_void {
    cached(&NEXT_DLSYM, || after_us(c"dlsym"))
}

/// Where the program's `dlvsym` calls go on.
pub fn next_dlvsym() -> *mut c_void {
    cached(&NEXT_DLVSYM, || after_us(c"dlvsym"))
}

/// Forgets the error that a failed look-up of ours left, lest the program's next `dlerror` reports it.
pub fn clear_error() {
    // SAFETY: takes and forgets this thread's message.
    unsafe { libc::dlerror() };
}

fn after_us(name: &CStr) -> *mut c_void {
    let next = look_up(libc::RTLD_NEXT, name);
    // In the test binary ours is no preloaded library, so that there may be nothing after it.
    if next.is_null() {
        elf::exported(&HOMES, name)
    } else {
        next
    }
}

fn cached(place: &AtomicPtr<c_void>, find: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let known = place.load(Relaxed);
    if !known.is_null() {
        return known;
    }
    let found = find();
    place.store(found, Relaxed);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_real_functions_are_the_c_librarys() {
        let malloc = look_up(libc::RTLD_DEFAULT, c"malloc");
        assert_eq!(malloc, elf::exported(&[b"libc.so.6"], c"malloc"));
        assert!(!next_dlsym().is_null());
        assert!(!next_dlvsym().is_null());
    }
}
