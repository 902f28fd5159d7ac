//! Rows of the CUDA runtime and driver: a status comes back; only what stands here writes to host memory.

use super::letters::{Effect, Returns, plain};

/// The effect of a function, when it is one of CUDA's.
pub fn effect(name: &str) -> Option<Effect> {
    let letters = match name {
        "cudaMalloc"
        | "cudaMallocManaged"
        | "cudaMallocHost"
        | "cudaHostAlloc"
        | "cudaMallocAsync"
        | "cudaMallocFromPoolAsync"
        | "cudaGetSymbolAddress"
        | "cuMemAlloc"
        | "cuMemAlloc_v2"
        | "cuMemAllocManaged"
        | "cuMemAllocHost_v2"
        | "cuMemHostAlloc"
        | "cuMemAllocAsync" => "m-",
        "cudaMallocPitch" | "cuMemAllocPitch_v2" => "mw-",
        // Extents and descriptions come by value or by pointer: in memory either way.
        "cudaMalloc3D" => "mr",
        "cudaMallocArray" => "mr--",
        "cudaMalloc3DArray" => "mrr-",
        "cudaLaunchKernelExC" => "r--",
        "cudaMemcpy"
        | "cudaMemcpyAsync"
        | "cudaMemcpy2D"
        | "cudaMemcpy2DAsync"
        | "cudaMemcpy2DFromArray"
        | "cudaMemcpyFromArray"
        | "cudaMemcpyFromSymbol"
        | "cudaMemcpyFromSymbolAsync"
        | "cuMemcpyDtoH_v2"
        | "cuMemcpyDtoHAsync_v2" => "w-",
        "cudaGetDeviceCount"
        | "cudaGetDevice"
        | "cudaGetDeviceProperties"
        | "cudaGetDeviceProperties_v2"
        | "cudaGetDeviceFlags"
        | "cudaDeviceGetAttribute"
        | "cudaDeviceGetLimit"
        | "cudaDeviceCanAccessPeer"
        | "cudaEventElapsedTime"
        | "cudaEventElapsedTime_v2"
        | "cudaDriverGetVersion"
        | "cudaRuntimeGetVersion"
        | "cudaFuncGetAttributes"
        | "cudaPointerGetAttributes"
        | "cudaGetSymbolSize"
        | "cudaStreamCreate"
        | "cudaStreamCreateWithFlags"
        | "cudaStreamCreateWithPriority"
        | "cudaEventCreate"
        | "cudaEventCreateWithFlags"
        | "cudaCreateChannelDesc"
        | "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
        | "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"
        | "cuCtxCreate_v2"
        | "cuDeviceGet"
        | "cuDeviceGetAttribute"
        | "cuDeviceGetCount"
        | "cuDeviceGetName"
        | "cuDevicePrimaryCtxRetain"
        | "cuDeviceTotalMem_v2"
        | "cuModuleGetFunction"
        | "cuModuleLoad"
        | "cuModuleLoadData" => "w-",
        "cudaChooseDevice" => "wr",
        "cudaLaunchHostFunc" | "cudaStreamAddCallback" => "-f-",
        "cudaMemGetInfo"
        | "cuMemGetInfo_v2"
        | "cudaOccupancyMaxPotentialBlockSize"
        | "cudaDeviceGetStreamPriorityRange" => "ww-",
        "__cudaPopCallConfiguration" => "w",
        // Stores the host pointer, under which the device sees the same memory.
        "cudaHostGetDevicePointer" => "m-",
        "cudaGetErrorString" | "cudaGetErrorName" => return Some(plain("-", Returns::Hidden)),
        // What these copy hangs from a structure: like a stranger, they may write all that it leads to.
        "cudaMemcpy3D" | "cudaMemcpy3DAsync" | "cudaMemcpy3DPeer" => return None,
        _ if name.starts_with("cuda") || name.starts_with("__cuda") || is_driver(name) => "-",
        _ => return None,
    };
    Some(plain(letters, Returns::Status))
}

/// Plain calls of the driver interface; others of its names have pointers to write through and no row.
fn is_driver(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "cuInit",
        "cuCtxDestroy_v2",
        "cuCtxSetCurrent",
        "cuCtxSynchronize",
        "cuLaunchKernel",
        "cuLaunchCooperativeKernel",
        "cuMemFree_v2",
        "cuMemFreeAsync",
        "cuMemcpyDtoD_v2",
        "cuMemcpyHtoD_v2",
        "cuMemcpyHtoDAsync_v2",
        "cuModuleUnload",
    ];
    NAMES.contains(&name)
}
