//! Questions to the driver that the witnesses have: each by the driver's own function, found once. Where the driver does
//! not have it, there is no answer. Nothing here changes anything.

use super::driver::{self, Code, MISSING, SUCCESS};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr};

/// A driver function that is looked up at its first call.
macro_rules! asked {
    ($($name:ident = $symbol:literal ($($argument:ident: $type:ty),*);)*) => { $(
        fn $name($($argument: $type),*) -> Code {
            type Function = unsafe extern "C" fn($($type),*) -> Code;
            static FOUND: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
            static SOUGHT: AtomicBool = AtomicBool::new(false);
            if !SOUGHT.load(Acquire) {
                let found = driver::function($symbol).unwrap_or(null_mut());
                FOUND.store(found, Release);
                SOUGHT.store(true, Release);
            }
            let found = FOUND.load(Acquire);
            if found.is_null() {
                return MISSING;
            }
            // SAFETY: the driver's function of this name has this signature; results have room, and a handle that is
            // none is refused.
            unsafe { std::mem::transmute::<*mut c_void, Function>(found)($($argument),*) }
        }
    )* };
}

asked! {
    is_capturing = c"cuStreamIsCapturing" (stream: usize, status: *mut c_uint);
    device_of_context = c"cuCtxGetDevice" (device: *mut c_int);
    device_pool = c"cuDeviceGetMemPool" (pool: *mut usize, device: c_int);
    pool_attribute = c"cuMemPoolGetAttribute" (pool: usize, attribute: c_uint, value: *mut u64);
    graph_memory = c"cuDeviceGetGraphMemAttribute" (device: c_int, attribute: c_uint, value: *mut u64);
    graph_nodes = c"cuGraphGetNodes" (graph: usize, nodes: *mut usize, count: *mut usize);
    node_type = c"cuGraphNodeGetType" (node: usize, kind: *mut c_uint);
    kernel_node = c"cuGraphKernelNodeGetParams" (node: usize, launch: *mut NodeLaunch);
    child_graph = c"cuGraphChildGraphNodeGetGraph" (node: usize, graph: *mut usize);
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct NodeLaunch {
    /// The kernel.
    pub function: usize,
    /// Blocks.
    pub grid: [c_uint; 3],
    /// Threads.
    pub block: [c_uint; 3],
    /// Dynamic shared memory in bytes.
    pub shared: c_uint,
    /// Its arguments, in one of two forms.
    pub arguments: [usize; 2],
}

const _: () = assert!(size_of::<NodeLaunch>() == 56);

/// Whether work for this stream is put into a graph now, not done.
pub fn captures(stream: usize) -> bool {
    const NONE: c_uint = 0;
    let mut status = NONE;
    is_capturing(stream, &raw mut status) == SUCCESS && status != NONE
}

/// The device of the calling thread's context.
pub fn device() -> Option<c_int> {
    let mut device = 0;
    (device_of_context(&raw mut device) == SUCCESS).then_some(device)
}

/// The pool that allocations without a pool take from; 0: not known.
pub fn current_pool() -> u64 {
    let mut pool = 0;
    let found = device().is_some_and(|device| device_pool(&raw mut pool, device) == SUCCESS);
    if found { pool as u64 } else { 0 }
}

/// Bytes that a pool holds of the device, used or not.
pub fn reserved(pool: u64) -> Option<u64> {
    const RESERVED_MEM_CURRENT: c_uint = 5;
    let pool = usize::try_from(pool).ok().filter(|pool| *pool != 0)?;
    let mut bytes = 0;
    (pool_attribute(pool, RESERVED_MEM_CURRENT, &raw mut bytes) == SUCCESS).then_some(bytes)
}

/// Bytes that graphs hold of a device, used or not.
pub fn held_by_graphs(device: c_int) -> Option<u64> {
    const RESERVED_MEM_CURRENT: c_uint = 2;
    let mut bytes = 0;
    (graph_memory(device, RESERVED_MEM_CURRENT, &raw mut bytes) == SUCCESS).then_some(bytes)
}

/// The nodes of a graph.
pub fn nodes(graph: usize) -> Vec<usize> {
    let mut count = 0;
    if graph_nodes(graph, null_mut(), &raw mut count) != SUCCESS {
        return Vec::new();
    }
    let mut nodes = vec![0; count];
    let known = graph_nodes(graph, nodes.as_mut_ptr(), &raw mut count) == SUCCESS;
    nodes.truncate(if known { count } else { 0 });
    nodes
}

/// `CUgraphNodeType` of a node.
pub fn kind(node: usize) -> Option<c_uint> {
    let mut kind = 0;
    (node_type(node, &raw mut kind) == SUCCESS).then_some(kind)
}

/// The launch of a kernel node.
pub fn launch(node: usize) -> Option<NodeLaunch> {
    let mut launch = NodeLaunch::default();
    (kernel_node(node, &raw mut launch) == SUCCESS).then_some(launch)
}

/// The graph within a child graph node.
pub fn child(node: usize) -> Option<usize> {
    let mut graph = 0;
    (child_graph(node, &raw mut graph) == SUCCESS).then_some(graph)
}
