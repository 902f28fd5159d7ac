//! What code that nvcc made calls by itself: fat binaries, kernels and variables, before `main` and at the end.

use crate::border::Out;
use crate::code;
use std::ffi::{c_char, c_void};

/// Runs the body of a function that gives no result; a panic ends here.
fn quietly(body: impl FnOnce()) {
    crate::border::guard(|| {
        body();
        Ok(())
    });
}

/// Takes a fat binary in; the handle stands for it from now on.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut *mut c_void {
    let mut handle = 0;
    quietly(|| handle = code::register_binary(wrapper));
    std::ptr::without_provenance_mut(handle)
}

/// All of the fat binary is registered. There is nothing to do: it is loaded when first used.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: usize) {}

/// Forgets a fat binary.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaUnregisterFatBinary(handle: usize) {
    quietly(|| code::unregister_binary(handle));
}

/// Sets the pointers to managed variables: compiled code calls it before it uses one. The rest of a fat binary needs
/// no initialisation; it is loaded when first used.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaInitModule(handle: usize) -> c_char {
    c_char::from(crate::border::guard(|| code::place_managed(handle)) == 0)
}

/// A host stub stands for a kernel.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterFunction(
    handle: usize,
    stub: usize,
    _device_stub: usize,
    name: *const c_char,
    _thread_limit: i32,
    _ids: usize,
    _block_ids: usize,
    _block: usize,
    _grid: usize,
    _warp: usize,
) {
    quietly(|| code::register_kernel(handle, stub, name));
}

/// A host shadow stands for a variable.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterVar(
    handle: usize,
    shadow: usize,
    _address: usize,
    name: *const c_char,
    _external: i32,
    _bytes: usize,
    _constant: i32,
    _global: i32,
) {
    quietly(|| code::register_variable(handle, shadow, name));
}

/// A host pointer is to point to a managed variable.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterManagedVar(
    handle: usize,
    pointer: usize,
    _address: usize,
    name: *const c_char,
    _external: i32,
    _bytes: usize,
    _constant: i32,
    _global: i32,
) {
    quietly(|| code::register_managed(handle, pointer, name));
}

/// A host variable that device code may use, where the GPU reads the host's memory: the virtual one does so anyway.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterHostVar(
    _handle: usize,
    _name: *const c_char,
    _variable: usize,
    _bytes: usize,
) {
}

/// A table of functions that host and device share, which only machine code has.
#[unsafe(no_mangle)]
pub extern "C" fn __cudaRegisterUnifiedTable(_handle: usize, _table: usize) {}

exports! {
    /// The driver's kernel of a host stub: compiled code asks once and launches by it, whatever the answer. Where
    /// there is none it gets the stub back, so that the launch fails for the same reason.
    fn __cudaGetKernel(kernel: Out<usize>, stub: usize) {
        let found = code::kernel(stub);
        kernel.put(*found.as_ref().unwrap_or(&stub))?;
        found.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_without_a_kernel_comes_back_so_that_its_launch_fails_for_the_same_reason() {
        let (stub, mut kernel) = (0x1230, 0);
        // SAFETY: room for one handle.
        let room = unsafe { Out::at(&raw mut kernel) };
        assert_ne!(__cudaGetKernel(room, stub), 0);
        assert_eq!(kernel, stub);
        crate::error::take_last();
    }
}
