//! `dlsym` and `dlvsym`, in front of the loader's own. Comes in: a look-up of the program. Goes out: our hook where a
//! driver function of the table is asked of a library that has it; else the very look-up, carried on by a jump, since
//! the loader reads from the return address which library asks (RTLD_NEXT).

use crate::entry;
use crate::guard::quietly;
use crate::real::{driver, loader};
use crate::switch;
use crate::symbols::Symbol;
use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

/// What a look-up comes to, in the two registers that C returns such a pair in.
#[repr(C)]
struct Answer {
    /// The result (rax), if `go_on` is null.
    address: *mut c_void,
    /// The function to carry the look-up on with (rdx).
    go_on: *mut c_void,
}

/// Stands in for the loader's `dlsym`.
///
/// # Safety
/// As for the loader's own.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    naked_asm!(
        // Three words on top of the return address leave the stack aligned for the call.
        "push rdi",
        "push rsi",
        "push rdx",
        "call {answer}",
        "mov r11, rdx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "test r11, r11",
        "jz 2f",
        "jmp r11",
        "2:",
        "ret",
        answer = sym answer_dlsym,
    )
}

/// Stands in for the loader's `dlvsym`.
///
/// # Safety
/// As for the loader's own.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[unsafe(naked)]
unsafe extern "C" fn dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> *mut c_void {
    naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "call {answer}",
        "mov r11, rdx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "test r11, r11",
        "jz 2f",
        "jmp r11",
        "2:",
        "ret",
        answer = sym answer_dlvsym,
    )
}

extern "C" fn answer_dlsym(handle: *mut c_void, name: *const c_char) -> Answer {
    let look_up = |name: &CStr| loader::look_up(handle, name);
    Answer::or_go_on(decide(handle, name, look_up), loader::next_dlsym)
}

extern "C" fn answer_dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> Answer {
    let look_up = |name: &CStr| loader::look_up_version(handle, name, version);
    Answer::or_go_on(decide(handle, name, look_up), loader::next_dlvsym)
}

impl Answer {
    fn or_go_on(address: Option<*mut c_void>, next: impl FnOnce() -> *mut c_void) -> Answer {
        match address {
            Some(address) => Answer {
                address,
                go_on: null_mut(),
            },
            None => Answer {
                address: null_mut(),
                go_on: next(),
            },
        }
    }
}

/// The answer to a look-up that is for us to answer; `None`: it goes on as it is.
fn decide(
    handle: *mut c_void,
    name: *const c_char,
    look_up: impl FnOnce(&CStr) -> *mut c_void,
) -> Option<*mut c_void> {
    // "The next after me" is asked by other interposers: each must get what lies behind it, which is never us unless
    // the loader says so.
    if name.is_null() || handle == libc::RTLD_NEXT {
        return None;
    }
    // SAFETY: a name that a program hands to dlsym ends with a zero byte.
    let symbol = entry::by_export(unsafe { CStr::from_ptr(name) })?;
    quietly(|| hook_or_own(symbol, look_up(symbol.name))).flatten()
}

/// The answer for a name of the table, of which the loader found `found`.
fn hook_or_own(symbol: &'static Symbol, found: *mut c_void) -> Option<*mut c_void> {
    let exported = symbol.linked.address();
    if found.is_null() {
        return None;
    }
    if found == exported {
        // A search through all libraries came to our own export. Without a driver it would have found nothing.
        let is_there = driver::of(symbol).is_some();
        if is_there {
            loader::clear_error();
        }
        return Some(if is_there { exported } else { null_mut() });
    }
    let is_ours = switch::is_on() && driver::is_behind(symbol, found);
    loader::clear_error();
    is_ours.then(|| symbol.looked_up.address())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same_as_the_loader(handle: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: plain look-ups by names that end with zero.
        let (ours, real) = unsafe {
            (
                dlsym(handle, name.as_ptr()),
                libc::dlsym(handle, name.as_ptr()),
            )
        };
        assert_eq!(ours, real, "{name:?}");
        ours
    }

    #[test]
    fn look_ups_of_other_names_go_on_to_the_loader() {
        assert!(!same_as_the_loader(libc::RTLD_DEFAULT, c"malloc").is_null());
        assert!(!same_as_the_loader(libc::RTLD_NEXT, c"malloc").is_null());
        assert!(same_as_the_loader(libc::RTLD_DEFAULT, c"no_such_name").is_null());
        // In the test binary no hook is exported, and no driver is there.
        assert!(same_as_the_loader(libc::RTLD_DEFAULT, c"cuMemAlloc_v2").is_null());
    }

    #[test]
    fn versions_go_on_to_the_loader_too() {
        let look_up = |name: &CStr, version: &CStr| {
            // SAFETY: as above.
            unsafe { dlvsym(libc::RTLD_DEFAULT, name.as_ptr(), version.as_ptr()) }
        };
        let malloc = same_as_the_loader(libc::RTLD_DEFAULT, c"malloc");
        assert_eq!(look_up(c"malloc", c"GLIBC_2.2.5"), malloc);
        assert!(look_up(c"malloc", c"NO_SUCH_VERSION").is_null());
    }

    #[test]
    fn a_name_of_the_table_found_in_all_libraries_is_ours_only_with_a_driver_behind() {
        let symbol = entry::by_export(c"cuMemFree_v2").unwrap();
        let address = symbol.linked.address();
        assert_eq!(hook_or_own(symbol, address), Some(null_mut()));
        assert_eq!(hook_or_own(symbol, null_mut()), None);
    }
}
