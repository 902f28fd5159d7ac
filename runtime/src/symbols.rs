//! The one table of the driver functions that are hooked: each row gives the export, its real pointers and its look-up
//! by name and version. It must not know how names are looked up (entry.rs) or what is noted (hooks/).

#![expect(non_snake_case, reason = "the driver's own names")]

use crate::guard;
use crate::hooks::{arrays, contexts, graphs, launch, lookup, memory, names, physical, pools};
use crate::real::ask::NodeLaunch;
use crate::real::driver::Code;
use cust::sys::{
    CUarray, CUcontext, CUdevice, CUdeviceptr, CUfunction, CUmemGenericAllocationHandle,
    CUmemoryPool, CUmipmappedArray, CUmodule, CUstream,
};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::AtomicPtr;

/// One hooked driver function.
pub struct Symbol {
    /// The exported name.
    pub name: &'static CStr,
    /// The name by which `cuGetProcAddress` is asked for it.
    pub base: &'static CStr,
    /// The first CUDA version for which `base` means this form.
    pub since: i32,
    /// Which default stream this form means.
    pub stream: Stream,
    /// Our function under the exported name.
    pub linked: Hook,
    /// Our function for those who look the driver's up.
    pub looked_up: Hook,
    /// What the exported name would have meant without us, once found.
    pub next: AtomicPtr<c_void>,
    /// What a look-up would have given without us: the driver's own, once found.
    pub driver: AtomicPtr<c_void>,
}

/// The default stream that a form of a function means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The one of the whole process, or none at all.
    Legacy,
    /// The calling thread's own (`_ptsz`).
    PerThread,
}

/// The way by which a program came to a hook; it decides what lies behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// By linked name: the next library that exports the name may be another interposer.
    Linked,
    /// By a look-up in the driver: the driver.
    LookedUp,
}

/// The address of one of our functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hook(*const c_void);

// SAFETY: the address of a function, which no one changes.
unsafe impl Sync for Hook {}

impl Hook {
    /// As a look-up returns it.
    pub fn address(self) -> *mut c_void {
        self.0.cast_mut()
    }
}

/// A device pointer and size of the first, 32-bit forms, which 64-bit drivers still export.
pub type Narrow = c_uint;
type Params = *mut *mut c_void;
type Handle = CUmemGenericAllocationHandle;
type Pool = CUmemoryPool;

#[rustfmt::skip]
driver_table! {
    hook cuInit = "cuInit" 2000 Legacy (flags: c_uint) => contexts::begin;
    hook cuMemAlloc = "cuMemAlloc" 2000 Legacy (out: *mut Narrow, bytes: Narrow) => memory::allocate_narrow;
    hook cuMemAlloc_v2 = "cuMemAlloc" 3020 Legacy (out: *mut CUdeviceptr, bytes: usize) => memory::allocate;
    hook cuMemAllocPitch = "cuMemAllocPitch" 2000 Legacy (out: *mut Narrow, pitch: *mut Narrow, width: Narrow, height: Narrow, element: c_uint) => memory::allocate_pitch_narrow;
    hook cuMemAllocPitch_v2 = "cuMemAllocPitch" 3020 Legacy (out: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, element: c_uint) => memory::allocate_pitch;
    hook cuMemAllocManaged = "cuMemAllocManaged" 6000 Legacy (out: *mut CUdeviceptr, bytes: usize, flags: c_uint) => memory::allocate_managed;
    hook cuMemAllocAsync = "cuMemAllocAsync" 11020 Legacy (out: *mut CUdeviceptr, bytes: usize, stream: CUstream) => pools::allocate;
    hook cuMemAllocAsync_ptsz = "cuMemAllocAsync" 11020 PerThread (out: *mut CUdeviceptr, bytes: usize, stream: CUstream) => pools::allocate;
    hook cuMemAllocFromPoolAsync = "cuMemAllocFromPoolAsync" 11020 Legacy (out: *mut CUdeviceptr, bytes: usize, pool: Pool, stream: CUstream) => pools::allocate_from;
    hook cuMemAllocFromPoolAsync_ptsz = "cuMemAllocFromPoolAsync" 11020 PerThread (out: *mut CUdeviceptr, bytes: usize, pool: Pool, stream: CUstream) => pools::allocate_from;
    hook cuMemFree = "cuMemFree" 2000 Legacy (pointer: Narrow) => memory::free_narrow;
    hook cuMemFree_v2 = "cuMemFree" 3020 Legacy (pointer: CUdeviceptr) => memory::free;
    hook cuMemFreeAsync = "cuMemFreeAsync" 11020 Legacy (pointer: CUdeviceptr, stream: CUstream) => pools::free;
    hook cuMemFreeAsync_ptsz = "cuMemFreeAsync" 11020 PerThread (pointer: CUdeviceptr, stream: CUstream) => pools::free;

    hook cuArrayCreate = "cuArrayCreate" 2000 Legacy (out: *mut CUarray, plan: *const arrays::NarrowPlane) => arrays::create_plane_narrow;
    hook cuArrayCreate_v2 = "cuArrayCreate" 3020 Legacy (out: *mut CUarray, plan: *const arrays::Plane) => arrays::create_plane;
    hook cuArray3DCreate = "cuArray3DCreate" 2000 Legacy (out: *mut CUarray, plan: *const arrays::NarrowVolume) => arrays::create_volume_narrow;
    hook cuArray3DCreate_v2 = "cuArray3DCreate" 3020 Legacy (out: *mut CUarray, plan: *const arrays::Volume) => arrays::create_volume;
    hook cuArrayDestroy = "cuArrayDestroy" 2000 Legacy (array: CUarray) => arrays::destroy;
    hook cuMipmappedArrayCreate = "cuMipmappedArrayCreate" 5000 Legacy (out: *mut CUmipmappedArray, plan: *const arrays::Volume, levels: c_uint) => arrays::create_mipmap;
    hook cuMipmappedArrayDestroy = "cuMipmappedArrayDestroy" 5000 Legacy (array: CUmipmappedArray) => arrays::destroy_mipmap;

    hook cuMemCreate = "cuMemCreate" 10020 Legacy (out: *mut Handle, bytes: usize, properties: *const physical::Properties, flags: c_ulonglong) => physical::create;
    hook cuMemRelease = "cuMemRelease" 10020 Legacy (handle: Handle) => physical::release;
    hook cuMemRetainAllocationHandle = "cuMemRetainAllocationHandle" 11000 Legacy (out: *mut Handle, address: *mut c_void) => physical::retain;
    hook cuMemMap = "cuMemMap" 10020 Legacy (pointer: CUdeviceptr, bytes: usize, offset: usize, handle: Handle, flags: c_ulonglong) => physical::map;
    hook cuMemUnmap = "cuMemUnmap" 10020 Legacy (pointer: CUdeviceptr, bytes: usize) => physical::unmap;

    hook cuLaunchKernel = "cuLaunchKernel" 4000 Legacy (function: CUfunction, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: CUstream, params: Params, extra: Params) => launch::kernel;
    hook cuLaunchKernel_ptsz = "cuLaunchKernel" 7000 PerThread (function: CUfunction, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: CUstream, params: Params, extra: Params) => launch::kernel;
    hook cuLaunchKernelEx = "cuLaunchKernelEx" 11060 Legacy (config: *const launch::Config, function: CUfunction, params: Params, extra: Params) => launch::configured;
    hook cuLaunchKernelEx_ptsz = "cuLaunchKernelEx" 11060 PerThread (config: *const launch::Config, function: CUfunction, params: Params, extra: Params) => launch::configured;
    hook cuLaunchCooperativeKernel = "cuLaunchCooperativeKernel" 9000 Legacy (function: CUfunction, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: CUstream, params: Params) => launch::cooperative;
    hook cuLaunchCooperativeKernel_ptsz = "cuLaunchCooperativeKernel" 9000 PerThread (function: CUfunction, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: CUstream, params: Params) => launch::cooperative;

    hook cuMemPoolTrimTo = "cuMemPoolTrimTo" 11020 Legacy (pool: Pool, keep: usize) => pools::trim;
    hook cuMemPoolDestroy = "cuMemPoolDestroy" 11020 Legacy (pool: Pool) => pools::destroy;

    hook cuGraphInstantiate = "cuGraphInstantiate" 10000 Legacy (out: *mut usize, graph: usize, node: *mut usize, text: *mut c_char, room: usize) => graphs::instantiate;
    hook cuGraphInstantiate_v2 = "cuGraphInstantiate" 11000 Legacy (out: *mut usize, graph: usize, node: *mut usize, text: *mut c_char, room: usize) => graphs::instantiate;
    hook cuGraphInstantiateWithFlags = "cuGraphInstantiateWithFlags" 11040 Legacy (out: *mut usize, graph: usize, flags: u64) => graphs::instantiate_with_flags;
    hook cuGraphInstantiateWithParams = "cuGraphInstantiateWithParams" 12000 Legacy (out: *mut usize, graph: usize, parameters: *mut u64) => graphs::instantiate_with_parameters;
    hook cuGraphInstantiateWithParams_ptsz = "cuGraphInstantiateWithParams" 12000 PerThread (out: *mut usize, graph: usize, parameters: *mut u64) => graphs::instantiate_with_parameters;
    hook cuGraphExecDestroy = "cuGraphExecDestroy" 10000 Legacy (executable: usize) => graphs::destroy;
    hook cuGraphExecUpdate = "cuGraphExecUpdate" 10020 Legacy (executable: usize, graph: usize, node: *mut usize, result: *mut c_uint) => graphs::update_first;
    hook cuGraphExecUpdate_v2 = "cuGraphExecUpdate" 12000 Legacy (executable: usize, graph: usize, found: *mut u64) => graphs::update;
    hook cuGraphExecKernelNodeSetParams = "cuGraphExecKernelNodeSetParams" 10010 Legacy (executable: usize, node: usize, launch: *const NodeLaunch) => graphs::set_kernel;
    hook cuGraphExecKernelNodeSetParams_v2 = "cuGraphExecKernelNodeSetParams" 12000 Legacy (executable: usize, node: usize, launch: *const NodeLaunch) => graphs::set_kernel;
    hook cuGraphExecNodeSetParams = "cuGraphExecNodeSetParams" 12020 Legacy (executable: usize, node: usize, description: *mut graphs::AnyNode) => graphs::set_any;
    hook cuGraphExecChildGraphNodeSetParams = "cuGraphExecChildGraphNodeSetParams" 11010 Legacy (executable: usize, node: usize, graph: usize) => graphs::set_child;
    hook cuGraphNodeSetEnabled = "cuGraphNodeSetEnabled" 11060 Legacy (executable: usize, node: usize, enabled: c_uint) => graphs::enable;
    hook cuGraphLaunch = "cuGraphLaunch" 10000 Legacy (executable: usize, stream: CUstream) => graphs::launch;
    hook cuGraphLaunch_ptsz = "cuGraphLaunch" 10000 PerThread (executable: usize, stream: CUstream) => graphs::launch;
    hook cuDeviceGraphMemTrim = "cuDeviceGraphMemTrim" 11040 Legacy (device: c_int) => graphs::trim;

    hook cuModuleGetFunction = "cuModuleGetFunction" 2000 Legacy (out: *mut CUfunction, module: CUmodule, name: *const c_char) => names::of_function;
    hook cuLibraryGetKernel = "cuLibraryGetKernel" 12000 Legacy (out: *mut names::Kernel, library: *mut c_void, name: *const c_char) => names::of_kernel;
    hook cuKernelGetFunction = "cuKernelGetFunction" 12000 Legacy (out: *mut CUfunction, kernel: names::Kernel) => names::of_kernels_function;

    hook cuCtxDestroy = "cuCtxDestroy" 2000 Legacy (context: CUcontext) => contexts::destroy;
    hook cuCtxDestroy_v2 = "cuCtxDestroy" 4000 Legacy (context: CUcontext) => contexts::destroy;
    hook cuDevicePrimaryCtxRetain = "cuDevicePrimaryCtxRetain" 7000 Legacy (out: *mut CUcontext, device: CUdevice) => contexts::retain_primary;
    hook cuDevicePrimaryCtxRelease = "cuDevicePrimaryCtxRelease" 7000 Legacy (device: CUdevice) => contexts::release_primary;
    hook cuDevicePrimaryCtxRelease_v2 = "cuDevicePrimaryCtxRelease" 11000 Legacy (device: CUdevice) => contexts::release_primary;
    hook cuDevicePrimaryCtxReset = "cuDevicePrimaryCtxReset" 7000 Legacy (device: CUdevice) => contexts::reset_primary;
    hook cuDevicePrimaryCtxReset_v2 = "cuDevicePrimaryCtxReset" 11000 Legacy (device: CUdevice) => contexts::reset_primary;

    lookup cuGetProcAddress = "cuGetProcAddress" 11030 Legacy (name: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) => lookup::first_form;
    lookup cuGetProcAddress_v2 = "cuGetProcAddress" 12000 Legacy (name: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int) => lookup::second_form;
}
