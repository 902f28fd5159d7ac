//! Device code and launches.

use super::lab::{self, OwnContext};
use std::ffi::{CStr, c_void};
use std::sync::atomic::Ordering;

const INVALID_VALUE: u32 = 1;
const INVALID_IMAGE: u32 = 200;
const NO_BINARY_FOR_GPU: u32 = 209;
const INVALID_PTX: u32 = 218;
const INVALID_HANDLE: u32 = 400;
const NOT_FOUND: u32 = 500;
const COOPERATIVE_LAUNCH_TOO_LARGE: u32 = 720;

const PTX: &CStr = c".version 8.0
.target sm_80
.address_size 64
.visible .const .align 4 .u32 seeds[3] = {5, 6};
.visible .entry add(.param .u64 a, .param .u32 n)
{ .shared .align 4 .b8 tile[4096]; ret; }
.visible .entry small() .maxntid 64, 1, 1
{ ret; }
";

struct Module(usize);

impl Module {
    fn load(image: *const c_void) -> Result<Module, u32> {
        let mut module = 0;
        // SAFETY: room for one handle, and an image of one of the known forms.
        match unsafe { lab::cuModuleLoadData(&raw mut module, image) } {
            0 => Ok(Module(module)),
            error => Err(error),
        }
    }

    fn function(&self, name: &CStr) -> Result<usize, u32> {
        let mut function = 0;
        // SAFETY: room for one handle, and a NUL-terminated name.
        match unsafe { lab::cuModuleGetFunction(&raw mut function, self.0, name.as_ptr()) } {
            0 => Ok(function),
            error => Err(error),
        }
    }
}

fn launch(function: usize, grid: [u32; 3], block: [u32; 3], shared: u32) -> u32 {
    let value = 0_u64;
    let arguments = [(&raw const value).cast::<c_void>(); 4];
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    // SAFETY: an address for each argument, and the kernels do nothing.
    unsafe {
        lab::cuLaunchKernel(
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            shared,
            0,
            arguments.as_ptr().cast(),
            std::ptr::null(),
        )
    }
}

#[test]
fn a_launch_is_held_to_the_limits_of_device_and_kernel() {
    let _context = OwnContext::new();
    let module = Module::load(PTX.as_ptr().cast()).unwrap();
    let (add, small) = (
        module.function(c"add").unwrap(),
        module.function(c"small").unwrap(),
    );
    assert_eq!(launch(add, [65536, 1, 1], [256, 4, 1], 0), 0);
    for (grid, block) in [
        ([0, 1, 1], [1, 1, 1]),
        ([1, 65536, 1], [1, 1, 1]),
        ([1, 1, 1], [1024, 2, 1]),
        ([1, 1, 1], [1, 1, 65]),
        ([1, 1, 1], [1, 0, 1]),
    ] {
        assert_eq!(
            launch(add, grid, block, 0),
            INVALID_VALUE,
            "{grid:?} {block:?}"
        );
    }
    assert_eq!(launch(small, [1, 1, 1], [64, 1, 1], 0), 0);
    assert_eq!(launch(small, [1, 1, 1], [65, 1, 1], 0), INVALID_VALUE);
    // SAFETY: a null list of arguments is what is tried.
    let without = unsafe {
        lab::cuLaunchKernel(
            add,
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            0,
            std::ptr::null(),
            std::ptr::null(),
        )
    };
    assert_eq!(without, INVALID_VALUE);
    let launches = |kernel| {
        crate::images::kernel_of(kernel)
            .unwrap()
            .launches
            .load(Ordering::Relaxed)
    };
    assert_eq!((launches(add), launches(small)), (1, 1));
    assert_eq!(launch(12345, [1, 1, 1], [1, 1, 1], 0), INVALID_HANDLE);
}

#[test]
fn shared_memory_beyond_48_kib_needs_opting_in() {
    let _context = OwnContext::new();
    let module = Module::load(PTX.as_ptr().cast()).unwrap();
    let add = module.function(c"add").unwrap();
    assert_eq!(launch(add, [1, 1, 1], [1, 1, 1], 44 << 10), 0);
    assert_eq!(
        launch(add, [1, 1, 1], [1, 1, 1], (44 << 10) + 1),
        INVALID_VALUE
    );
    // SAFETY: a live function.
    unsafe {
        assert_eq!(lab::cuFuncSetAttribute(add, 8, 160 << 10), INVALID_VALUE);
        assert_eq!(lab::cuFuncSetAttribute(add, 8, 100 << 10), 0);
    }
    assert_eq!(launch(add, [1, 1, 1], [1, 1, 1], 100 << 10), 0);
}

#[test]
fn a_cooperative_launch_must_fit_at_once() {
    let _context = OwnContext::new();
    let module = Module::load(PTX.as_ptr().cast()).unwrap();
    let small = module.function(c"small").unwrap();
    // 28 SMs, each with 32 blocks of 64 threads.
    // SAFETY: a kernel without parameters.
    let launch = |blocks| unsafe {
        lab::cuLaunchCooperativeKernel(small, blocks, 1, 1, 64, 1, 1, 0, 0, std::ptr::null())
    };
    assert_eq!(launch(28 * 32), 0);
    assert_eq!(launch(28 * 32 + 1), COOPERATIVE_LAUNCH_TOO_LARGE);
}

#[test]
fn names_and_handles_that_are_none_are_refused() {
    let _context = OwnContext::new();
    let module = Module::load(PTX.as_ptr().cast()).unwrap();
    assert_eq!(module.function(c"sub"), Err(NOT_FOUND));
    let add = module.function(c"add").unwrap();
    // SAFETY: a live module.
    assert_eq!(unsafe { lab::cuModuleUnload(module.0) }, 0);
    assert_eq!(launch(add, [1, 1, 1], [1, 1, 1], 0), INVALID_HANDLE);
    assert_eq!(module.function(c"add"), Err(INVALID_HANDLE));
}

#[test]
fn a_variable_has_its_first_values() {
    let _context = OwnContext::new();
    let module = Module::load(PTX.as_ptr().cast()).unwrap();
    let (mut address, mut bytes, mut values) = (0, 0, [9_u32; 3]);
    // SAFETY: room for each result.
    unsafe {
        let name = c"seeds".as_ptr();
        assert_eq!(
            lab::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module.0, name),
            0
        );
        assert_eq!(
            lab::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, 12),
            0
        );
        let none = c"none".as_ptr();
        assert_eq!(
            lab::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module.0, none),
            NOT_FOUND
        );
    }
    assert_eq!((bytes, values), (12, [5, 6, 0]));
}

#[test]
fn images_that_cannot_run_here_are_told_apart() {
    let _context = OwnContext::new();
    let newer = c".version 8.0\n.target sm_90\n.address_size 64\n";
    assert_eq!(
        Module::load(newer.as_ptr().cast()).err(),
        Some(NO_BINARY_FOR_GPU)
    );
    assert_eq!(
        Module::load(c"hello".as_ptr().cast()).err(),
        Some(INVALID_PTX)
    );
    assert_eq!(
        Module::load(b"\x7fELF\x02".as_ptr().cast()).err(),
        Some(NO_BINARY_FOR_GPU)
    );
    let mut container = [0_u8; 16];
    container[..4].copy_from_slice(&0xba55_ed50_u32.to_le_bytes());
    assert_eq!(
        Module::load(container.as_ptr().cast()).err(),
        Some(INVALID_IMAGE)
    );
    assert_eq!(Module::load(std::ptr::null()).err(), Some(INVALID_VALUE));
}
