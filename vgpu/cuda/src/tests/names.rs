//! The look-up of functions, as a CUDA runtime does it.

use super::lab::{self, OwnContext};
use crate::driver;
use crate::names::{self, Search};
use std::ffi::{CString, c_void};

fn found(name: &str, version: i32, flags: u64) -> (u32, *const c_void, u32) {
    let name = CString::new(name).unwrap();
    let (mut function, mut status) = (std::ptr::null(), 99);
    // SAFETY: a NUL-terminated name and room for both results.
    let result = unsafe {
        lab::cuGetProcAddress_v2(
            name.as_ptr(),
            &raw mut function,
            version,
            flags,
            &raw mut status,
        )
    };
    (result, function, status)
}

#[test]
fn a_version_gets_the_form_that_it_knows() {
    let address = |name, version| found(name, version, 0).1;
    assert_eq!(
        address("cuMemAlloc", 13050),
        lab::cuMemAlloc_v2 as *const c_void
    );
    assert_ne!(
        address("cuMemAlloc", 3000),
        lab::cuMemAlloc_v2 as *const c_void
    );
    assert_eq!(
        address("cuCtxCreate", 12050),
        lab::cuCtxCreate_v4 as *const c_void
    );
    assert_ne!(
        address("cuCtxCreate", 12040),
        lab::cuCtxCreate_v4 as *const c_void
    );
}

#[test]
fn unknown_and_too_new_names_give_null_and_say_why() {
    let null = std::ptr::null();
    assert_eq!(found("cuNoSuchThing", 13050, 0), (0, null, 1));
    assert_eq!(found("cuLaunchKernelEx", 11000, 0), (0, null, 2));
    assert_eq!(found("cuMemAlloc", 99999, 0).0, 1);
}

#[test]
fn per_thread_forms_are_given_where_there_are_any() {
    let Search::Found(per_thread) = names::search("cuLaunchKernel", driver::VERSION, true) else {
        panic!("cuLaunchKernel is not found");
    };
    assert_ne!(
        per_thread as *const c_void,
        lab::cuLaunchKernel as *const c_void
    );
    assert_eq!(
        found("cuLaunchKernel", 13050, 2).1,
        per_thread as *const c_void
    );
    assert_eq!(
        found("cuMemAlloc", 13050, 2).1,
        lab::cuMemAlloc_v2 as *const c_void
    );
}

#[test]
fn what_is_not_done_says_so_and_leaves_its_name_once() {
    let _context = OwnContext::new();
    let mut handle = 0;
    for _ in 0..2 {
        // SAFETY: room for one handle.
        let result = unsafe { lab::cuMulticastCreate(&raw mut handle, std::ptr::null()) };
        assert_eq!(result, 801);
    }
    assert_eq!(lab::log().matches("cuMulticastCreate\n").count(), 1);
}
