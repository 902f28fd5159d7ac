//! The virtual A100 of the test process, and the driver's functions as C declares them.

use migfit_vgpu_device::VirtualGpu;
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use tempfile::TempDir;

/// Bytes of the slice that the tests run on: a 2g.10gb.
pub const SLICE_BYTES: usize = 9856 << 20;

#[expect(
    clashing_extern_declarations,
    reason = "the table of names declares all functions without their types"
)]
unsafe extern "C" {
    pub fn cuInit(flags: u32) -> u32;
    pub fn cuDeviceGetCount(count: *mut i32) -> u32;
    pub fn cuDeviceGetName(name: *mut u8, len: i32, device: i32) -> u32;
    pub fn cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32) -> u32;
    pub fn cuDevicePrimaryCtxRetain(context: *mut usize, device: i32) -> u32;
    pub fn cuCtxCreate_v4(
        context: *mut usize,
        parameters: *const c_void,
        flags: u32,
        device: i32,
    ) -> u32;
    pub fn cuCtxDestroy_v2(context: usize) -> u32;
    pub fn cuCtxSetCurrent(context: usize) -> u32;
    pub fn cuCtxGetCurrent(context: *mut usize) -> u32;
    pub fn cuCtxPopCurrent_v2(context: *mut usize) -> u32;
    pub fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32;
    pub fn cuMemAllocPitch_v2(
        address: *mut u64,
        pitch: *mut usize,
        width: usize,
        height: usize,
        element: u32,
    ) -> u32;
    pub fn cuMemFree_v2(address: u64) -> u32;
    pub fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32;
    pub fn cuMemGetAddressRange_v2(start: *mut u64, bytes: *mut usize, address: u64) -> u32;
    pub fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: u32) -> u32;
    pub fn cuMemHostUnregister(address: *mut c_void) -> u32;
    pub fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> u32;
    pub fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> u32;
    pub fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> u32;
    pub fn cuMemcpy2D_v2(copy: *const c_void) -> u32;
    pub fn cuMemsetD32_v2(start: u64, value: u32, count: usize) -> u32;
    pub fn cuModuleLoadData(module: *mut usize, image: *const c_void) -> u32;
    pub fn cuModuleUnload(module: usize) -> u32;
    pub fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> u32;
    pub fn cuModuleGetGlobal_v2(
        address: *mut u64,
        bytes: *mut usize,
        module: usize,
        name: *const c_char,
    ) -> u32;
    pub fn cuLibraryLoadData(
        library: *mut usize,
        image: *const c_void,
        names: usize,
        values: usize,
        options: u32,
        library_names: usize,
        library_values: usize,
        library_options: u32,
    ) -> u32;
    pub fn cuLibraryUnload(library: usize) -> u32;
    pub fn cuLibraryGetKernel(kernel: *mut usize, library: usize, name: *const c_char) -> u32;
    pub fn cuLibraryGetGlobal(
        address: *mut u64,
        bytes: *mut usize,
        library: usize,
        name: *const c_char,
    ) -> u32;
    pub fn cuKernelGetFunction(function: *mut usize, kernel: usize) -> u32;
    pub fn cuFuncSetAttribute(function: usize, attribute: u32, value: i32) -> u32;
    pub fn cuLaunchKernel(
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        arguments: *const c_void,
        extra: *const c_void,
    ) -> u32;
    pub fn cuLaunchCooperativeKernel(
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        arguments: *const c_void,
    ) -> u32;
    pub fn cuGetProcAddress_v2(
        name: *const c_char,
        function: *mut *const c_void,
        version: i32,
        flags: u64,
        found: *mut u32,
    ) -> u32;
    pub fn cuMulticastCreate(handle: *mut u64, properties: *const c_void) -> u32;
}

struct Lab {
    _folder: TempDir,
    log: PathBuf,
}

static LAB: OnceLock<Lab> = OnceLock::new();

/// Makes the slice and initialises the driver on it, once.
fn lab() -> &'static Lab {
    LAB.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let (path, log) = (folder.path().join("state"), folder.path().join("log"));
        let gpu = VirtualGpu::open(&path, Some("a100-40gb")).unwrap();
        let owner = gpu.create_gpu_instance(14, None).unwrap().id;
        gpu.create_compute_instance(owner, 1, None).unwrap();
        // SAFETY: every test comes here first, so no other thread reads the environment yet.
        unsafe {
            std::env::set_var("MIGFIT_VGPU_STATE", &path);
            std::env::set_var("MIGFIT_VGPU_LOG", &log);
            std::env::remove_var("MIGFIT_VGPU");
            std::env::remove_var("CUDA_VISIBLE_DEVICES");
            assert_eq!(cuInit(0), 0);
        }
        Lab {
            _folder: folder,
            log,
        }
    })
}

/// What the log of unsupported calls holds.
pub fn log() -> String {
    std::fs::read_to_string(&lab().log).unwrap_or_default()
}

/// A context of a test's own, current in its thread, ended with the test.
pub struct OwnContext(pub usize);

impl OwnContext {
    pub fn new() -> OwnContext {
        lab();
        let mut context = 0;
        // SAFETY: room for one handle, no parameters.
        let result = unsafe { cuCtxCreate_v4(&raw mut context, std::ptr::null(), 0, 0) };
        assert_eq!(result, 0);
        OwnContext(context)
    }
}

impl Drop for OwnContext {
    fn drop(&mut self) {
        // SAFETY: a stale handle is refused.
        unsafe { cuCtxDestroy_v2(self.0) };
    }
}

/// Allocates device memory.
pub fn allocate(bytes: usize) -> Result<u64, u32> {
    let mut address = 0;
    // SAFETY: room for one address.
    match unsafe { cuMemAlloc_v2(&raw mut address, bytes) } {
        0 => Ok(address),
        error => Err(error),
    }
}
