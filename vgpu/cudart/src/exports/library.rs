//! Device code that the program loads itself.

use crate::bound::{bound, require_device};
use crate::error::checked;
use std::ffi::{c_char, c_void};

exports! {
    fn cudaLibraryLoadData(
        library: *mut usize, image: *const c_void, names: usize, values: usize, options: u32, library_names: usize,
        library_values: usize, library_options: u32,
    ) {
        let load = bound()?.library_load;
        // SAFETY: the driver checks the pointers; the image is the program's own.
        checked(unsafe {
            load(library, image, names, values, options, library_names, library_values, library_options)
        })
    }

    fn cudaLibraryUnload(library: usize) {
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.library_unload)(library) })
    }

    fn cudaLibraryGetKernel(kernel: *mut usize, library: usize, name: *const c_char) {
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.library_kernel)(kernel, library, name) })
    }

    fn cudaLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: usize, name: *const c_char) {
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.library_global)(address, bytes, library, name) })
    }

    fn cudaLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: usize, name: *const c_char) {
        // SAFETY: the driver checks the pointers.
        checked(unsafe { (bound()?.library_managed)(address, bytes, library, name) })
    }

    fn cudaKernelSetAttributeForDevice(kernel: usize, attribute: u32, value: i32, device: i32) {
        require_device(device)?;
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.set_kernel_attribute)(attribute, value, kernel, device) })
    }
}

forwards! {
    fn cudaLibraryLoadFromFile(library: usize, file: usize, names: usize, values: usize, options: u32, library_names: usize, library_values: usize, library_options: u32) => library_load_file;
    fn cudaLibraryGetKernelCount(count: usize, library: usize) => library_kernel_count;
    fn cudaLibraryEnumerateKernels(kernels: usize, room: u32, library: usize) => library_kernels;
}
