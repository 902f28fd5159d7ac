//! What kernels are called: from the calls by which the program got its handles, else from the driver (since CUDA 12.3).

use super::memory::read;
use crate::real::driver::{self, Code, SUCCESS};
use crate::session::Session;
use cust::sys::{CUfunction, CUmodule};
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

/// `CUkernel`: a kernel of a library, which may stand where a function of a module is asked for.
pub type Kernel = *mut c_void;

/// In the record for a kernel whose name nobody told.
const NAMELESS: &[u8] = b"(name unknown)";

/// `cuModuleGetFunction`.
pub fn of_function(
    session: &Session,
    out: *mut CUfunction,
    _module: CUmodule,
    name: *const c_char,
) -> impl FnOnce(Code) {
    move |code| learn(session, code, read(out.cast::<usize>()), name)
}

/// `cuLibraryGetKernel`.
pub fn of_kernel(
    session: &Session,
    out: *mut Kernel,
    _library: *mut c_void,
    name: *const c_char,
) -> impl FnOnce(Code) {
    move |code| learn(session, code, read(out.cast::<usize>()), name)
}

/// `cuKernelGetFunction`.
pub fn of_kernels_function(
    session: &Session,
    out: *mut CUfunction,
    kernel: Kernel,
) -> impl FnOnce(Code) {
    move |code| {
        if let (SUCCESS, Some(function)) = (code, read(out.cast::<usize>())) {
            session.kernels().learn_same(function, kernel.addr());
        }
    }
}

/// The mangled name of what is launched.
pub fn of_launched(session: &Session, function: CUfunction) -> Arc<[u8]> {
    let known = session.kernels().name(function.addr());
    known
        .or_else(|| asked_of_driver(function))
        .unwrap_or_else(|| NAMELESS.into())
}

fn learn(session: &Session, code: Code, handle: Option<usize>, name: *const c_char) {
    if let (SUCCESS, Some(handle), false) = (code, handle, name.is_null()) {
        // SAFETY: the driver has just found a kernel by this name.
        let name = unsafe { CStr::from_ptr(name) };
        session.kernels().learn(handle, name.to_bytes());
    }
}

fn asked_of_driver(function: CUfunction) -> Option<Arc<[u8]>> {
    type GetName = unsafe extern "C" fn(*mut *const c_char, CUfunction) -> Code;
    let get_name = driver::function(c"cuFuncGetName")?;
    let mut name = std::ptr::null();
    // SAFETY: the driver's function of this name has this signature, and has just launched this function.
    let code =
        unsafe { std::mem::transmute::<*mut c_void, GetName>(get_name)(&raw mut name, function) };
    if code != SUCCESS || name.is_null() {
        return None;
    }
    // SAFETY: the driver's own text, which lives as long as the function.
    Some(unsafe { CStr::from_ptr(name) }.to_bytes().into())
}
