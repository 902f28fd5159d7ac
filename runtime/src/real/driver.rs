//! The driver's own functions behind our hooks, found when first needed: nothing here opens libcuda, it only asks
//! for the one that the program has opened. Comes in: a table row. Goes out: an address.

use super::loader;
use crate::symbols::{Door, Symbol};
use cust::error::CudaError;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr};

/// A driver's result. Not cust's enum: a newer driver may return codes that it lacks.
pub type Code = u32;

/// `CUDA_SUCCESS`.
pub const SUCCESS: Code = 0;
/// What a hook returns when there is no driver behind it, as in a program that links the driver weakly.
pub const MISSING: Code = CudaError::SharedObjectSymbolNotFound as Code;
/// The code that proves a lack of device memory.
pub const OUT_OF_MEMORY: Code = CudaError::OutOfMemory as Code;

static LIBRARY: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// The function that the program would have called without us.
pub fn behind(symbol: &Symbol, door: Door) -> Option<*mut c_void> {
    match door {
        Door::Linked => next(symbol),
        Door::LookedUp => of(symbol),
    }
}

/// The driver's own function.
pub fn of(symbol: &Symbol) -> Option<*mut c_void> {
    cached(&symbol.driver, || function(symbol.name))
}

/// The one that the next library exports: libcuda when linked, or another interposer.
fn next(symbol: &Symbol) -> Option<*mut c_void> {
    cached(&symbol.next, || {
        found(loader::look_up(libc::RTLD_NEXT, symbol.name)).or_else(|| of(symbol))
    })
}

/// A driver function of any name.
pub fn function(name: &CStr) -> Option<*mut c_void> {
    library()
        .and_then(|library| found(loader::look_up(library, name)))
        .or_else(|| found(loader::look_up(libc::RTLD_NEXT, name)))
}

/// Whether `address`, which the program was about to get for this name, is the driver's own function. Of a driver that
/// cannot be found by its soname, the first address seen is taken for it.
pub fn is_behind(symbol: &Symbol, address: *mut c_void) -> bool {
    if library().is_none() && symbol.driver.load(Relaxed).is_null() {
        symbol.driver.store(address, Relaxed);
    }
    of(symbol) == Some(address)
}

/// Whether this is a driver that accepts launches without executing them: a virtual GPU says so itself.
pub fn skips_kernels() -> bool {
    static EXECUTES: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    static ASKED: AtomicBool = AtomicBool::new(false);
    if !ASKED.load(Acquire) {
        let answer = function(c"migfit_vgpu_executes_kernels");
        EXECUTES.store(answer.unwrap_or(null_mut()), Relaxed);
        ASKED.store(true, Release);
    }
    let Some(address) = found(EXECUTES.load(Relaxed)) else {
        return false;
    };
    // SAFETY: the virtual driver's private export has this signature.
    let executes =
        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(address)() };
    executes == 0
}

/// The libcuda that is loaded already, if one is.
fn library() -> Option<*mut c_void> {
    cached(&LIBRARY, || {
        // SAFETY: RTLD_NOLOAD opens nothing, it only finds.
        found(unsafe {
            libc::dlopen(
                c"libcuda.so.1".as_ptr(),
                libc::RTLD_LAZY | libc::RTLD_NOLOAD,
            )
        })
    })
}

fn cached(
    place: &AtomicPtr<c_void>,
    find: impl FnOnce() -> Option<*mut c_void>,
) -> Option<*mut c_void> {
    if let Some(known) = found(place.load(Relaxed)) {
        return Some(known);
    }
    let address = find()?;
    place.store(address, Relaxed);
    Some(address)
}

fn found(address: *mut c_void) -> Option<*mut c_void> {
    (!address.is_null()).then_some(address)
}
