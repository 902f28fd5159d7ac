//! The calls that a slice is made for: device memory taken and given back, launches.

use crate::outside::{LEAVES, RESUME, THREAD_BEGINS, THREAD_ENDS, throws};
use migfit_schema::program::{Callee, Op, SizeProgram};

/// Allocation and free calls of the runtime and the driver, launches in every form, what graphs are made of, and what
/// decides whether these succeed.
const EVENTS: &[&str] = &[
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocArray",
    "cudaMalloc3DArray",
    "cudaMallocMipmappedArray",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaFree",
    "cudaFreeAsync",
    "cudaFreeArray",
    "cudaFreeMipmappedArray",
    "cudaDeviceReset",
    // Fails where it asks for a second device.
    "cudaSetDevice",
    "cudaDeviceSetLimit",
    "cudaFuncSetAttribute",
    "cuFuncSetAttribute",
    "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchKernelExC",
    "__cudaPushCallConfiguration",
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemAllocManaged",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuArrayCreate_v2",
    "cuArray3DCreate_v2",
    "cuMipmappedArrayCreate",
    "cuArrayDestroy",
    "cuMipmappedArrayDestroy",
    "cuMemFree_v2",
    "cuMemFreeAsync",
    "cuMemCreate",
    "cuMemRelease",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemRetainAllocationHandle",
    "cuCtxDestroy_v2",
    "cuCtxSetLimit",
    "cuDevicePrimaryCtxReset_v2",
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernelEx",
    "cudaGraphLaunch",
    "cudaGraphInstantiate",
    "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams",
    "cudaGraphCreate",
    "cudaGraphClone",
    "cudaGraphNodeFindInClone",
    "cudaGraphExecUpdate",
    "cudaGraphDestroyNode",
    "cudaGraphNodeSetEnabled",
    "cuGraphCreate",
    "cuGraphLaunch",
    "cuGraphInstantiateWithFlags",
    "cuGraphAddKernelNode_v2",
];

/// Beginnings of the names of calls that make or change a graph's nodes.
const NODE_CALLS: &[&str] = &[
    "cudaGraphAdd",
    "cudaGraphKernelNodeSetParams",
    "cudaGraphNodeSetParams",
    "cudaGraphExecKernelNodeSetParams",
    "cudaGraphExecNodeSetParams",
    "cudaGraphExecChildGraphNodeSetParams",
    "cudaStreamBeginCapture",
    "cudaStreamEndCapture",
    "cuStreamBeginCapture",
    "cuStreamEndCapture",
];

/// Calls that make nodes, or lead from stream to stream, where a stream is captured.
const CAPTURED: &[&str] = &[
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaStreamWaitEvent",
    "cuEventRecord",
    "cuStreamWaitEvent",
    "cudaMemcpyAsync",
    "cudaMemcpy2DAsync",
    "cudaMemsetAsync",
    "cudaMemset2DAsync",
    "cudaLaunchHostFunc",
];

/// Whether a program captures streams.
pub fn captures(program: &SizeProgram) -> bool {
    let blocks = program.functions.iter().flat_map(|body| &body.blocks);
    let mut ops = blocks.flat_map(|block| &block.ops);
    ops.any(|found| {
        let Op::Call {
            callee: Callee::External(name),
            ..
        } = &found.op
        else {
            return false;
        };
        name.starts_with("cudaStreamBeginCapture") || name.starts_with("cuStreamBeginCapture")
    })
}

/// Whether this instruction is one that a slice is made for.
pub fn is_event(program: &SizeProgram, op: &Op) -> bool {
    match op {
        Op::Launch { .. } => true,
        Op::Call {
            callee: Callee::External(name),
            ..
        } => is_named_event(program, name) || program.opaque.contains(name),
        _ => false,
    }
}

fn is_named_event(program: &SizeProgram, name: &str) -> bool {
    let name = name.strip_suffix("_ptsz").unwrap_or(name);
    EVENTS.contains(&name)
        || NODE_CALLS.iter().any(|start| name.starts_with(start))
        || (program.captures && CAPTURED.contains(&name))
}

/// Whether an instruction may take device memory or run kernels: an event that does not only give memory back.
pub fn takes_or_launches(program: &SizeProgram, op: &Op) -> bool {
    const OTHERS: [&str; 5] = [
        "Free",
        "SetDevice",
        "SetAttribute",
        "SetLimit",
        "DeviceReset",
    ];
    let other = |name: &str| may_fail(name) && OTHERS.iter().any(|part| name.contains(part));
    let of_no_interest =
        matches!(op, Op::Call { callee: Callee::External(name), .. } if other(name));
    is_event(program, op) && !of_no_interest
}

/// Whether a call is an event, whose status an evaluation knows.
pub fn may_fail(name: &str) -> bool {
    EVENTS.contains(&name)
}

/// Whether an instruction calls a function that nobody looked into.
pub fn is_opaque(program: &SizeProgram, op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if program.opaque.contains(name))
}

/// Whether an exception is on its way where this instruction stands: it throws, or a function is left by one.
pub fn is_on_the_way(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if throws(name) || name == LEAVES || name == RESUME)
}

/// Whether a thread begins or ends here.
pub fn is_thread(op: &Op) -> bool {
    let named = |name: &str| name == THREAD_BEGINS || name == THREAD_ENDS;
    matches!(op, Op::Call { callee: Callee::External(name), .. } if named(name))
}

/// Index of the argument that an evaluator does not need: a launch's argument array, a stream where none is captured.
pub fn needless_argument(program: &SizeProgram, name: &str, index: usize) -> bool {
    let arguments = matches!(
        (name, index),
        ("cudaLaunchKernel" | "cudaLaunchCooperativeKernel", 5) | ("cuLaunchKernel", 9..)
    );
    let stream = matches!(
        (name, index),
        ("__cudaPushCallConfiguration", 5)
            | ("cudaLaunchKernel" | "cudaLaunchCooperativeKernel", 7)
            | ("cuLaunchKernel", 8)
            | ("cudaFreeAsync" | "cuMemFreeAsync", 1)
            | ("cudaMallocAsync" | "cuMemAllocAsync", 2)
    );
    arguments || (stream && !program.captures)
}
