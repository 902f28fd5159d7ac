//! Variables of device code: when they take device memory, how much, and until when.

use super::lab::{self, OwnContext};
use crate::contexts;
use std::ffi::{CStr, c_void};

const INVALID_VALUE: u32 = 1;
const OUT_OF_MEMORY: u32 = 2;
const GRANULE: u64 = 2 << 20;

/// Three megabytes and a bit: two granules.
const PTX: &CStr = c".version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b8 table[3000000];
.visible .const .align 4 .u32 seeds[2] = {5, 6};
.visible .entry empty()
{ ret; }
";

/// More than any slice of the GPU holds.
const HUGE: &CStr = c".version 8.0
.target sm_80
.address_size 64
.visible .global .align 1 .b8 table[50000000000];
.visible .entry empty()
{ ret; }
";

/// Bytes that a context holds, itself included.
fn held(context: &OwnContext) -> u64 {
    contexts::get(context.0).unwrap().memory.held().0
}

fn load_module(image: &CStr) -> Result<usize, u32> {
    let mut module = 0;
    // SAFETY: room for one handle, and NUL-terminated PTX.
    match unsafe { lab::cuModuleLoadData(&raw mut module, image.as_ptr().cast()) } {
        0 => Ok(module),
        error => Err(error),
    }
}

fn load_library(image: *const c_void) -> Result<usize, u32> {
    let mut library = 0;
    // SAFETY: room for one handle, an image of one of the known forms, and no options.
    match unsafe { lab::cuLibraryLoadData(&raw mut library, image, 0, 0, 0, 0, 0, 0) } {
        0 => Ok(library),
        error => Err(error),
    }
}

fn kernel(library: usize) -> usize {
    let mut kernel = 0;
    // SAFETY: room for one handle, and a NUL-terminated name.
    let result = unsafe { lab::cuLibraryGetKernel(&raw mut kernel, library, c"empty".as_ptr()) };
    assert_eq!(result, 0);
    kernel
}

fn launch(kernel: usize) -> u32 {
    let none = std::ptr::null();
    // SAFETY: a kernel without parameters.
    unsafe { lab::cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, none, none) }
}

#[test]
fn a_modules_variables_take_whole_granules_from_its_loading_to_its_unloading() {
    let context = OwnContext::new();
    let before = held(&context);
    let module = load_module(PTX).unwrap();
    assert_eq!(held(&context), before + 2 * GRANULE);
    let second = load_module(PTX).unwrap();
    assert_eq!(held(&context), before + 4 * GRANULE);
    // SAFETY: live modules.
    unsafe {
        assert_eq!(lab::cuModuleUnload(module), 0);
        assert_eq!(held(&context), before + 2 * GRANULE);
        assert_eq!(lab::cuModuleUnload(second), 0);
    }
    assert_eq!(held(&context), before);
}

#[test]
fn a_librarys_variables_take_memory_at_the_first_use_of_a_kernel_once_in_each_context() {
    let first = OwnContext::new();
    let before = held(&first);
    let library = load_library(PTX.as_ptr().cast()).unwrap();
    let kernel = kernel(library);
    assert_eq!(held(&first), before, "nothing of it was used yet");
    assert_eq!((launch(kernel), launch(kernel)), (0, 0));
    assert_eq!(held(&first), before + 2 * GRANULE);
    let second = OwnContext::new();
    assert_eq!(held(&second), before);
    let mut function = 0;
    // SAFETY: room for one handle, live handles.
    unsafe {
        assert_eq!(lab::cuKernelGetFunction(&raw mut function, kernel), 0);
        assert_eq!(held(&second), before + 2 * GRANULE);
        assert_eq!(lab::cuLibraryUnload(library), 0);
    }
    assert_eq!((held(&first), held(&second)), (before, before));
}

#[test]
fn a_variable_that_is_asked_for_is_a_first_use_too() {
    let context = OwnContext::new();
    let before = held(&context);
    let library = load_library(PTX.as_ptr().cast()).unwrap();
    let (mut address, mut bytes, mut values) = (0, 0, [9_u32; 2]);
    // SAFETY: room for each result, live handles.
    unsafe {
        let name = c"seeds".as_ptr();
        let found = lab::cuLibraryGetGlobal(&raw mut address, &raw mut bytes, library, name);
        assert_eq!((found, bytes), (0, 8));
        let to = values.as_mut_ptr().cast();
        assert_eq!(lab::cuMemcpyDtoH_v2(to, address, 8), 0);
        assert_eq!(values, [5, 6]);
        assert_eq!(held(&context), before + 2 * GRANULE);
        assert_eq!(lab::cuLibraryUnload(library), 0);
    }
}

#[test]
fn variables_cannot_be_freed_as_if_the_program_had_allocated_them() {
    let context = OwnContext::new();
    let module = load_module(PTX).unwrap();
    let before = held(&context);
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: room for each result, live handles.
    unsafe {
        let find = lab::cuModuleGetGlobal_v2;
        for name in [c"table", c"seeds"] {
            let found = find(&raw mut address, &raw mut bytes, module, name.as_ptr());
            assert_eq!(found, 0);
            assert_eq!(lab::cuMemFree_v2(address), INVALID_VALUE);
        }
        assert_eq!(held(&context), before);
        assert_eq!(lab::cuModuleUnload(module), 0);
    }
}

#[test]
fn variables_that_do_not_fit_fail_the_loading_of_a_module_and_the_launch_of_a_library() {
    let context = OwnContext::new();
    let before = held(&context);
    assert_eq!(load_module(HUGE), Err(OUT_OF_MEMORY));
    let library = load_library(HUGE.as_ptr().cast()).unwrap();
    let kernel = kernel(library);
    let mut function = 0;
    assert_eq!(launch(kernel), OUT_OF_MEMORY);
    // SAFETY: room for one handle, live handles.
    unsafe {
        let found = lab::cuKernelGetFunction(&raw mut function, kernel);
        assert_eq!((found, held(&context)), (OUT_OF_MEMORY, before));
        assert_eq!(lab::cuLibraryUnload(library), 0);
    }
}
