//! Calls behind which code runs or memory is taken that nobody follows: other processes, loaded libraries, signals,
//! jumps, and CUDA interfaces without a model.

/// Functions that start, load or end other code, or let it run later.
const STARTS: &[&str] = &[
    "fork",
    "vfork",
    "_Fork",
    "clone",
    "clone3",
    "system",
    "popen",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "execveat",
    "fexecve",
    "posix_spawn",
    "posix_spawnp",
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlvsym",
    "fchdir",
    "thrd_create",
    "kill",
    "killpg",
    "tgkill",
    "raise",
    "pthread_kill",
    "sigqueue",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "at_quick_exit",
];

/// How the C++ library's functions that start threads begin.
const STD_THREAD: &str = "_ZNSt6thread15_M_start_thread";

/// CUDA's calls with a model, among those that look like allocations.
const MODELLED: &[&str] = &[
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocArray",
    "cudaMalloc3DArray",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemAllocManaged",
    "cuMemAllocAsync",
    // These take memory of the host.
    "cudaMallocHost",
    "cudaHostAlloc",
    "cuMemAllocHost_v2",
    "cuMemHostAlloc",
    "cudaMallocMipmappedArray",
    "cuMemAllocFromPoolAsync",
    "cuMemCreate",
    "cuArrayCreate_v2",
    "cuArray3DCreate_v2",
    "cuLaunchKernelEx",
    "cudaGraphAddMemAllocNode",
];

/// Beginnings of CUDA's calls that may take device memory or run kernels, and have no model.
const UNMODELLED: &[&str] = &[
    "cudaGraphConditional",
    "cuGraphAddNode",
    "cuGraphAddMem",
    "cuGraphAddBatch",
    "cuGraphAddHostNode",
    "cuGraphAddChildGraphNode",
    "cuGraphExec",
    "cuGraphClone",
    "cuGraphConditional",
    "cuGraphKernelNodeSetParams",
    "cuGraphNodeSet",
    "cuGraphInstantiateWithParams",
    "cudaStreamBeginRecapture",
    "cudaStreamGetCaptureInfo",
    "cudaStreamUpdateCaptureDependencies",
    "cuStreamBeginCaptureToGraph",
    "cuStreamGetCaptureInfo",
    "cuStreamUpdateCaptureDependencies",
    "cudaLibraryGetUnifiedFunction",
    "cudaLibraryEnumerateKernels",
    "cudaLibraryGetManaged",
    "cuLinkComplete",
    "cudaIpcOpenMemHandle",
    "cuIpcOpenMemHandle",
    "cudaImportExternalMemory",
    "cuImportExternalMemory",
    "cudaExternalMemoryGetMapped",
    "cuExternalMemoryGetMapped",
    "cuMemImport",
    "cudaMemPoolImport",
    "cuMemPoolImport",
    "cuMipmappedArrayCreate",
    "cudaLaunchCooperativeKernelMultiDevice",
    "cuLaunchCooperativeKernelMultiDevice",
    "cuLaunchGrid",
    "cuLaunchHostFunc_v2",
    "cudaGetDriverEntryPoint",
    "cuGetProcAddress",
];

/// Whether a function starts, loads or ends other code.
pub fn starts_code(name: &str) -> bool {
    STARTS.contains(&name) || name.starts_with(STD_THREAD)
}

/// Whether a name is one of the CUDA runtime's or driver's: `cudaMalloc`, `cuInit`; not `cublasCreate`.
pub fn is_cuda(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    let driver = |rest: &str| rest.starts_with(|first: char| first.is_ascii_uppercase());
    name.starts_with("cuda") || name.strip_prefix("cu").is_some_and(driver)
}

/// Whether a CUDA function may take device memory in a way that has no model.
pub fn is_unmodelled_cuda(name: &str) -> bool {
    // A call on a per-thread default stream has the model of the plain one.
    let name = name
        .strip_suffix("_ptsz")
        .or_else(|| name.strip_suffix("_ptds"))
        .unwrap_or(name);
    let allocates = (name.contains("Alloc") || name.contains("alloc")) && !name.contains("Get");
    let listed = UNMODELLED.iter().any(|start| name.starts_with(start));
    let gives_back = name.contains("Destroy") || name.contains("Free");
    is_cuda(name) && !MODELLED.contains(&name) && (allocates || listed) && !gives_back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuda_calls_without_a_model_are_told() {
        for name in [
            "cuMemImportFromShareableHandle",
            "cudaGraphConditionalHandleCreate",
            "cuMipmappedArrayCreate",
            "cudaIpcOpenMemHandle",
            "cudaMallocSomethingNew",
        ] {
            assert!(is_unmodelled_cuda(name), "{name}");
        }
        for name in [
            "cudaMalloc",
            "cuMemAlloc_v2",
            "cudaHostAlloc",
            "cudaMallocAsync_ptsz",
            "cudaGraphLaunch",
            "cuMemCreate",
            "cuMemGetAllocationGranularity",
            "cudaGraphDestroy",
            "cudaFree",
            "mallocator",
        ] {
            assert!(!is_unmodelled_cuda(name), "{name}");
        }
    }

    #[test]
    fn processes_libraries_threads_and_signals_start_code() {
        assert!(starts_code("fork") && starts_code("dlsym") && starts_code("raise"));
        assert!(starts_code("_setjmp") && !starts_code("atexit"));
        assert!(starts_code("_ZNSt6thread15_M_start_threadESt10unique_ptr"));
        assert!(!starts_code("forkful") && !starts_code("_ZNSt6thread4joinEv"));
    }
}
