//! Contexts: where an allocation is made, and that it ends with its context. A primary context is known by its device.

use crate::real::driver::{self, Code, SUCCESS};
use crate::session::Session;
use cust::context::ContextHandle;
use cust::context::legacy::CurrentContext;
use cust::sys::{CUcontext, CUdevice};
use std::ffi::{c_int, c_uint, c_void};

/// `cuInit`: nothing to note, but the record begins here.
pub fn begin(_: &Session, _flags: c_uint) -> impl FnOnce(Code) {
    |_| ()
}

/// The context that this thread allocates in; 0 where there is none.
pub fn current() -> u64 {
    CurrentContext::get_current().map_or(0, |context| context.get_inner() as u64)
}

/// `cuCtxDestroy`: the memory of the context is freed with it.
pub fn destroy(session: &Session, context: CUcontext) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            session.context_gone(context as u64);
        }
    }
}

/// `cuDevicePrimaryCtxRetain`: the only call that tells which context is a device's primary one.
pub fn retain_primary(
    session: &Session,
    out: *mut CUcontext,
    device: CUdevice,
) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS && !out.is_null() {
            // SAFETY: the driver has written it and reported success.
            session.remember_primary(device, unsafe { out.read() } as u64);
        }
    }
}

/// `cuDevicePrimaryCtxRelease`: the last release destroys the context.
pub fn release_primary(session: &Session, device: CUdevice) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS && primary_is_gone(device) {
            forget_primary(session, device);
        }
    }
}

/// `cuDevicePrimaryCtxReset`: destroys the context whoever holds it.
pub fn reset_primary(session: &Session, device: CUdevice) -> impl FnOnce(Code) {
    move |code| {
        if code == SUCCESS {
            forget_primary(session, device);
        }
    }
}

fn forget_primary(session: &Session, device: CUdevice) {
    if let Some(context) = session.primary(device) {
        session.context_gone(context);
    }
}

/// Asks the driver. Where it does not say, the context is taken to live on: rather too much memory than too little.
fn primary_is_gone(device: CUdevice) -> bool {
    type State = unsafe extern "C" fn(CUdevice, *mut c_uint, *mut c_int) -> Code;
    let Some(state) = driver::function(c"cuDevicePrimaryCtxGetState") else {
        return false;
    };
    let (mut flags, mut active) = (0, 1);
    // SAFETY: the driver's function of this name has this signature; both results have room.
    let code = unsafe {
        std::mem::transmute::<*mut c_void, State>(state)(device, &raw mut flags, &raw mut active)
    };
    code == SUCCESS && active == 0
}
