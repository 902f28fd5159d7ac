//! The driver: `libcuda.so.1`, opened at the first call, and its functions, found through `cuGetProcAddress`.

use crate::error::{Outcome, Status};
use crate::exports::AnyNode;
use crate::regions::{ArrayDescriptor, Copy3D};
use crate::structures::{Copy2D, KernelNode, LaunchConfiguration, Location, Resource, Sampling};
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::OnceLock;

/// The version of CUDA whose forms of the driver's functions this runtime is written for.
pub const VERSION: i32 = 13050;
/// The version of CUDA that this runtime is of.
pub const OWN_VERSION: i32 = if cfg!(feature = "twelve") {
    12090
} else {
    VERSION
};

/// Declares the functions that the runtime calls: `field: "name" (types)`, all of which give a `CUresult`.
macro_rules! driver_functions {
    ($($field:ident: $name:literal ($($kind:ty),*);)*) => {
        /// The driver's functions.
        pub struct Driver {
            $(
                #[doc = $name]
                pub $field: unsafe extern "C" fn($($kind),*) -> u32,
            )*
        }

        impl Driver {
            fn load(look_up: &LookUp) -> Outcome<Driver> {
                Ok(Driver {
                    // SAFETY: the driver's function of this name and version has this type.
                    $($field: unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($kind),*) -> u32>(look_up.find($name)?) },)*
                })
            }
        }
    };
}

driver_functions! {
    init: "cuInit" (u32);
    version: "cuDriverGetVersion" (*mut i32);
    device_count: "cuDeviceGetCount" (*mut i32);
    device_name: "cuDeviceGetName" (*mut u8, i32, i32);
    device_uuid: "cuDeviceGetUuid" (*mut [u8; 16], i32);
    device_memory: "cuDeviceTotalMem" (*mut usize, i32);
    device_attribute: "cuDeviceGetAttribute" (*mut i32, u32, i32);
    device_bus_id: "cuDeviceGetPCIBusId" (*mut u8, i32, i32);
    device_by_bus_id: "cuDeviceGetByPCIBusId" (*mut i32, *const c_char);
    can_access_peer: "cuDeviceCanAccessPeer" (*mut i32, i32, i32);
    retain_primary: "cuDevicePrimaryCtxRetain" (*mut usize, i32);
    reset_primary: "cuDevicePrimaryCtxReset" (i32);
    primary_state: "cuDevicePrimaryCtxGetState" (i32, *mut u32, *mut i32);
    set_primary_flags: "cuDevicePrimaryCtxSetFlags" (i32, u32);
    current_context: "cuCtxGetCurrent" (*mut usize);
    set_current_context: "cuCtxSetCurrent" (usize);
    synchronize: "cuCtxSynchronize" (usize);
    get_limit: "cuCtxGetLimit" (*mut usize, u32);
    set_limit: "cuCtxSetLimit" (u32, usize);
    get_cache_config: "cuCtxGetCacheConfig" (*mut u32);
    set_cache_config: "cuCtxSetCacheConfig" (u32);
    priority_range: "cuCtxGetStreamPriorityRange" (*mut i32, *mut i32);
    memory_info: "cuMemGetInfo" (*mut usize, *mut usize);
    allocate: "cuMemAlloc" (*mut u64, usize);
    allocate_managed: "cuMemAllocManaged" (*mut u64, usize, u32);
    allocate_pitch: "cuMemAllocPitch" (*mut u64, *mut usize, usize, usize, u32);
    allocate_async: "cuMemAllocAsync" (*mut u64, usize, usize);
    free: "cuMemFree" (u64);
    free_async: "cuMemFreeAsync" (u64, usize);
    allocate_host: "cuMemHostAlloc" (*mut usize, usize, u32);
    free_host: "cuMemFreeHost" (usize);
    register_host: "cuMemHostRegister" (usize, usize, u32);
    unregister_host: "cuMemHostUnregister" (usize);
    host_device_pointer: "cuMemHostGetDevicePointer" (*mut u64, usize, u32);
    host_flags: "cuMemHostGetFlags" (*mut u32, usize);
    pointer_attribute: "cuPointerGetAttribute" (*mut c_void, u32, u64);
    copy: "cuMemcpy" (u64, u64, usize);
    copy_async: "cuMemcpyAsync" (u64, u64, usize, usize);
    copy_to_device: "cuMemcpyHtoD" (u64, u64, usize);
    copy_to_device_async: "cuMemcpyHtoDAsync" (u64, u64, usize, usize);
    copy_to_host: "cuMemcpyDtoH" (u64, u64, usize);
    copy_to_host_async: "cuMemcpyDtoHAsync" (u64, u64, usize, usize);
    copy_on_device: "cuMemcpyDtoD" (u64, u64, usize);
    copy_on_device_async: "cuMemcpyDtoDAsync" (u64, u64, usize, usize);
    copy_rows: "cuMemcpy2DUnaligned" (*const Copy2D);
    copy_rows_async: "cuMemcpy2DAsync" (*const Copy2D, usize);
    fill: "cuMemsetD8" (u64, u8, usize);
    fill_async: "cuMemsetD8Async" (u64, u8, usize, usize);
    fill_rows: "cuMemsetD2D8" (u64, usize, u8, usize, usize);
    fill_rows_async: "cuMemsetD2D8Async" (u64, usize, u8, usize, usize, usize);
    stream_create: "cuStreamCreate" (*mut usize, u32);
    stream_create_with_priority: "cuStreamCreateWithPriority" (*mut usize, u32, i32);
    stream_destroy: "cuStreamDestroy" (usize);
    stream_synchronize: "cuStreamSynchronize" (usize);
    stream_query: "cuStreamQuery" (usize);
    stream_wait_event: "cuStreamWaitEvent" (usize, usize, u32);
    stream_priority: "cuStreamGetPriority" (usize, *mut i32);
    stream_flags: "cuStreamGetFlags" (usize, *mut u32);
    stream_id: "cuStreamGetId" (usize, *mut u64);
    stream_capturing: "cuStreamIsCapturing" (usize, *mut u32);
    event_create: "cuEventCreate" (*mut usize, u32);
    event_destroy: "cuEventDestroy" (usize);
    event_record: "cuEventRecord" (usize, usize);
    event_record_with_flags: "cuEventRecordWithFlags" (usize, usize, u32);
    event_query: "cuEventQuery" (usize);
    event_synchronize: "cuEventSynchronize" (usize);
    event_elapsed: "cuEventElapsedTime" (*mut f32, usize, usize);
    library_load: "cuLibraryLoadData" (*mut usize, *const c_void, usize, usize, u32, usize, usize, u32);
    library_unload: "cuLibraryUnload" (usize);
    library_kernel: "cuLibraryGetKernel" (*mut usize, usize, *const c_char);
    library_global: "cuLibraryGetGlobal" (*mut u64, *mut usize, usize, *const c_char);
    library_managed: "cuLibraryGetManaged" (*mut u64, *mut usize, usize, *const c_char);
    kernel_function: "cuKernelGetFunction" (*mut usize, usize);
    function_attribute: "cuFuncGetAttribute" (*mut i32, u32, usize);
    set_function_attribute: "cuFuncSetAttribute" (usize, u32, i32);
    set_function_cache_config: "cuFuncSetCacheConfig" (usize, u32);
    function_name: "cuFuncGetName" (*mut *const c_char, usize);
    blocks_per_sm: "cuOccupancyMaxActiveBlocksPerMultiprocessor" (*mut i32, usize, i32, usize);
    blocks_per_sm_with_flags: "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" (*mut i32, usize, i32, usize, u32);
    available_shared: "cuOccupancyAvailableDynamicSMemPerBlock" (*mut usize, usize, i32, i32);
    launch: "cuLaunchKernel" (usize, u32, u32, u32, u32, u32, u32, u32, usize, usize, usize);
    launch_cooperative: "cuLaunchCooperativeKernel" (usize, u32, u32, u32, u32, u32, u32, u32, usize, usize);
    launch_ex: "cuLaunchKernelEx" (*const LaunchConfiguration, usize, usize, usize);
    allocate_from_pool: "cuMemAllocFromPoolAsync" (usize, usize, usize, usize);
    pool_create: "cuMemPoolCreate" (usize, usize);
    pool_destroy: "cuMemPoolDestroy" (usize);
    pool_trim: "cuMemPoolTrimTo" (usize, usize);
    pool_set_attribute: "cuMemPoolSetAttribute" (usize, u32, usize);
    pool_attribute: "cuMemPoolGetAttribute" (usize, u32, usize);
    pool_set_access: "cuMemPoolSetAccess" (usize, usize, usize);
    pool_access: "cuMemPoolGetAccess" (usize, usize, usize);
    default_pool: "cuDeviceGetDefaultMemPool" (usize, i32);
    device_pool: "cuDeviceGetMemPool" (usize, i32);
    set_device_pool: "cuDeviceSetMemPool" (i32, usize);
    default_pool_at: "cuMemGetDefaultMemPool" (usize, usize, u32);
    pool_at: "cuMemGetMemPool" (usize, usize, u32);
    set_pool_at: "cuMemSetMemPool" (usize, u32, usize);
    graph_memory: "cuDeviceGetGraphMemAttribute" (i32, u32, usize);
    set_graph_memory: "cuDeviceSetGraphMemAttribute" (i32, u32, usize);
    trim_graph_memory: "cuDeviceGraphMemTrim" (i32);
    prefetch: "cuMemPrefetchAsync" (u64, usize, Location, u32, usize);
    advise: "cuMemAdvise" (u64, usize, u32, Location);
    range_attribute: "cuMemRangeGetAttribute" (usize, usize, u32, u64, usize);
    range_attributes: "cuMemRangeGetAttributes" (usize, usize, usize, usize, u64, usize);
    attach: "cuStreamAttachMemAsync" (usize, u64, usize, u32);
    library_load_file: "cuLibraryLoadFromFile" (usize, usize, usize, usize, u32, usize, usize, u32);
    library_kernel_count: "cuLibraryGetKernelCount" (usize, usize);
    library_kernels: "cuLibraryEnumerateKernels" (usize, u32, usize);
    set_kernel_attribute: "cuKernelSetAttribute" (u32, i32, usize, i32);
    stream_callback: "cuStreamAddCallback" (usize, usize, usize, u32);
    host_call: "cuLaunchHostFunc" (usize, usize, usize);
    stream_attribute: "cuStreamGetAttribute" (usize, u32, usize);
    set_stream_attribute: "cuStreamSetAttribute" (usize, u32, usize);
    copy_stream_attributes: "cuStreamCopyAttributes" (usize, usize);
    stream_device: "cuStreamGetDevice" (usize, usize);
    capture_begin: "cuStreamBeginCapture" (usize, u32);
    capture_begin_to: "cuStreamBeginCaptureToGraph" (usize, usize, usize, usize, usize, u32);
    capture_end: "cuStreamEndCapture" (usize, usize);
    capture_info: "cuStreamGetCaptureInfo" (usize, usize, usize, usize, usize, usize, usize);
    capture_update: "cuStreamUpdateCaptureDependencies" (usize, usize, usize, usize, u32);
    capture_mode: "cuThreadExchangeStreamCaptureMode" (usize);
    graph_create: "cuGraphCreate" (usize, u32);
    graph_destroy: "cuGraphDestroy" (usize);
    graph_clone: "cuGraphClone" (usize, usize);
    graph_id: "cuGraphGetId" (usize, usize);
    graph_nodes: "cuGraphGetNodes" (usize, usize, usize);
    graph_roots: "cuGraphGetRootNodes" (usize, usize, usize);
    graph_edges: "cuGraphGetEdges" (usize, usize, usize, usize, usize);
    graph_connect: "cuGraphAddDependencies" (usize, usize, usize, usize, usize);
    graph_disconnect: "cuGraphRemoveDependencies" (usize, usize, usize, usize, usize);
    node_destroy: "cuGraphDestroyNode" (usize);
    node_type: "cuGraphNodeGetType" (usize, usize);
    node_graph: "cuGraphNodeGetContainingGraph" (usize, usize);
    node_before: "cuGraphNodeGetDependencies" (usize, usize, usize, usize);
    node_behind: "cuGraphNodeGetDependentNodes" (usize, usize, usize, usize);
    node_in_clone: "cuGraphNodeFindInClone" (usize, usize, usize);
    add_host: "cuGraphAddHostNode" (usize, usize, usize, usize, usize);
    host_parameters: "cuGraphHostNodeGetParams" (usize, usize);
    set_host_parameters: "cuGraphHostNodeSetParams" (usize, usize);
    add_child: "cuGraphAddChildGraphNode" (usize, usize, usize, usize, usize);
    child_graph: "cuGraphChildGraphNodeGetGraph" (usize, usize);
    add_empty: "cuGraphAddEmptyNode" (usize, usize, usize, usize);
    add_record: "cuGraphAddEventRecordNode" (usize, usize, usize, usize, usize);
    record_event: "cuGraphEventRecordNodeGetEvent" (usize, usize);
    set_record_event: "cuGraphEventRecordNodeSetEvent" (usize, usize);
    add_wait: "cuGraphAddEventWaitNode" (usize, usize, usize, usize, usize);
    wait_event: "cuGraphEventWaitNodeGetEvent" (usize, usize);
    set_wait_event: "cuGraphEventWaitNodeSetEvent" (usize, usize);
    add_allocation: "cuGraphAddMemAllocNode" (usize, usize, usize, usize, usize);
    allocation_parameters: "cuGraphMemAllocNodeGetParams" (usize, usize);
    add_free: "cuGraphAddMemFreeNode" (usize, usize, usize, usize, u64);
    free_parameters: "cuGraphMemFreeNodeGetParams" (usize, usize);
    memset_parameters: "cuGraphMemsetNodeGetParams" (usize, usize);
    set_memset_parameters: "cuGraphMemsetNodeSetParams" (usize, usize);
    instantiate_with: "cuGraphInstantiateWithParams" (usize, usize, usize);
    executable_flags: "cuGraphExecGetFlags" (usize, usize);
    executable_id: "cuGraphExecGetId" (usize, usize);
    executable_destroy: "cuGraphExecDestroy" (usize);
    executable_update: "cuGraphExecUpdate" (usize, usize, usize);
    executable_host: "cuGraphExecHostNodeSetParams" (usize, usize, usize);
    executable_child: "cuGraphExecChildGraphNodeSetParams" (usize, usize, usize);
    executable_record: "cuGraphExecEventRecordNodeSetEvent" (usize, usize, usize);
    executable_wait: "cuGraphExecEventWaitNodeSetEvent" (usize, usize, usize);
    executable_enable: "cuGraphNodeSetEnabled" (usize, usize, u32);
    executable_enabled: "cuGraphNodeGetEnabled" (usize, usize, usize);
    executable_upload: "cuGraphUpload" (usize, usize);
    executable_launch: "cuGraphLaunch" (usize, usize);
    instantiate: "cuGraphInstantiateWithFlags" (usize, usize, u64);
    add_kernel: "cuGraphAddKernelNode" (usize, usize, usize, usize, *const KernelNode);
    kernel_parameters: "cuGraphKernelNodeGetParams" (usize, *mut KernelNode);
    set_kernel_parameters: "cuGraphKernelNodeSetParams" (usize, *const KernelNode);
    executable_kernel: "cuGraphExecKernelNodeSetParams" (usize, usize, *const KernelNode);
    add_copy: "cuGraphAddMemcpyNode" (usize, usize, usize, usize, *const Copy3D, usize);
    copy_parameters: "cuGraphMemcpyNodeGetParams" (usize, *mut Copy3D);
    set_copy_parameters: "cuGraphMemcpyNodeSetParams" (usize, *const Copy3D);
    executable_copy: "cuGraphExecMemcpyNodeSetParams" (usize, usize, *const Copy3D, usize);
    add_memset: "cuGraphAddMemsetNode" (usize, usize, usize, usize, usize, usize);
    executable_memset: "cuGraphExecMemsetNodeSetParams" (usize, usize, usize, usize);
    add_any: "cuGraphAddNode" (usize, usize, usize, usize, usize, *mut AnyNode);
    set_any: "cuGraphNodeSetParams" (usize, *mut AnyNode);
    executable_any: "cuGraphExecNodeSetParams" (usize, usize, *mut AnyNode);
    node_attribute: "cuGraphKernelNodeGetAttribute" (usize, u32, usize);
    set_node_attribute: "cuGraphKernelNodeSetAttribute" (usize, u32, usize);
    copy_node_attributes: "cuGraphKernelNodeCopyAttributes" (usize, usize);
    array_create: "cuArray3DCreate" (*mut usize, *const ArrayDescriptor);
    array_destroy: "cuArrayDestroy" (usize);
    array_descriptor: "cuArray3DGetDescriptor" (*mut ArrayDescriptor, usize);
    array_requirements: "cuArrayGetMemoryRequirements" (usize, usize, i32);
    array_plane: "cuArrayGetPlane" (usize, usize, u32);
    mipmap_create: "cuMipmappedArrayCreate" (*mut usize, *const ArrayDescriptor, u32);
    mipmap_destroy: "cuMipmappedArrayDestroy" (usize);
    mipmap_level: "cuMipmappedArrayGetLevel" (usize, usize, u32);
    mipmap_requirements: "cuMipmappedArrayGetMemoryRequirements" (usize, usize, i32);
    copy_planes: "cuMemcpy3D" (*const Copy3D);
    copy_planes_async: "cuMemcpy3DAsync" (*const Copy3D, usize);
    texture_create: "cuTexObjectCreate" (*mut usize, *const Resource, *const Sampling, usize);
    texture_destroy: "cuTexObjectDestroy" (usize);
    surface_create: "cuSurfObjectCreate" (*mut usize, *const Resource);
    surface_destroy: "cuSurfObjectDestroy" (usize);
    parameter_info: "cuFuncGetParamInfo" (usize, usize, usize, usize);
    parameter_count: "cuFuncGetParamCount" (usize, usize);
    cluster_size: "cuOccupancyMaxPotentialClusterSize" (*mut i32, usize, *const LaunchConfiguration);
    cluster_count: "cuOccupancyMaxActiveClusters" (*mut i32, usize, *const LaunchConfiguration);
    peer_attribute: "cuDeviceGetP2PAttribute" (usize, u32, i32, i32);
    linear_texture_width: "cuDeviceGetTexture1DLinearMaxWidth" (*mut usize, u32, u32, i32);
}

static DRIVER: OnceLock<Outcome<Driver>> = OnceLock::new();

/// The driver, initialised; an error where none is installed or it has no device.
pub fn driver() -> Outcome<&'static Driver> {
    let loaded = loaded()?;
    // SAFETY: cuInit may be called any number of times; it also tells a forked child that it has no driver.
    crate::error::checked(unsafe { (loaded.init)(0) })?;
    Ok(loaded)
}

/// The driver, perhaps not initialised.
pub fn loaded() -> Outcome<&'static Driver> {
    DRIVER
        .get_or_init(|| LookUp::open().and_then(|look_up| Driver::load(&look_up)))
        .as_ref()
        .map_err(|status| *status)
}

/// Tells the virtual GPU's driver, if it is one, the name of a function that is not done here.
pub fn note_unsupported(name: &str) {
    let (Ok(name), Some(found)) = (CString::new(name), in_library(c"migfit_vgpu_unsupported"))
    else {
        return;
    };
    // SAFETY: the virtual driver's function of this name takes one string.
    unsafe {
        let note: extern "C" fn(*const c_char) = std::mem::transmute(found);
        note(name.as_ptr());
    }
}

/// The address of a driver function for a program that asks for it itself.
pub fn entry_point(
    name: *const c_char,
    found: *mut *mut c_void,
    version: i32,
    flags: u64,
    status: *mut u32,
) -> Outcome {
    let look_up = LookUp::open()?;
    // SAFETY: the caller's pointers are handed on as they are.
    crate::error::checked(unsafe { (look_up.find)(name, found, version, flags, status) })
}

type GetProcAddress =
    unsafe extern "C" fn(*const c_char, *mut *mut c_void, i32, u64, *mut u32) -> u32;

/// `cuGetProcAddress` of the driver that is installed.
struct LookUp {
    find: GetProcAddress,
}

impl LookUp {
    fn open() -> Outcome<LookUp> {
        let found = in_library(c"cuGetProcAddress_v2").ok_or(Status::INSUFFICIENT_DRIVER)?;
        // SAFETY: the driver's function of this name has this type.
        let find = unsafe { std::mem::transmute::<*mut c_void, GetProcAddress>(found) };
        Ok(LookUp { find })
    }

    fn find(&self, name: &str) -> Outcome<*mut c_void> {
        let name = CString::new(name).map_err(|_| Status::UNKNOWN)?;
        let mut found = std::ptr::null_mut();
        // SAFETY: a NUL-terminated name, room for one pointer, and no room for the optional status.
        let result = unsafe {
            (self.find)(
                name.as_ptr(),
                &raw mut found,
                VERSION,
                0,
                std::ptr::null_mut(),
            )
        };
        crate::error::checked(result).map_err(|_| Status::INSUFFICIENT_DRIVER)?;
        if found.is_null() {
            Err(Status::INSUFFICIENT_DRIVER)
        } else {
            Ok(found)
        }
    }
}

fn in_library(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: plain loader calls. The library stays open: functions of it are used to the end.
    let found = unsafe {
        let library = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        if library.is_null() {
            return None;
        }
        libc::dlsym(library, name.as_ptr())
    };
    (!found.is_null()).then_some(found)
}
