//! The calls that a slice is made for: device memory taken and given back, launches.

use crate::outside::throws;
use migfit_schema::program::{Callee, Op, SizeProgram};

/// Allocation and free calls of the runtime and the driver, and the push of a launch configuration.
const EVENTS: &[&str] = &[
    "cudaMalloc",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocArray",
    "cudaMalloc3DArray",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaFree",
    "cudaFreeAsync",
    "cudaFreeArray",
    "cudaDeviceReset",
    "cudaDeviceSetLimit",
    "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchKernelExC",
    "__cudaPushCallConfiguration",
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemAllocManaged",
    "cuMemAllocAsync",
    "cuMemFree_v2",
    "cuMemFreeAsync",
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
];

/// Whether this instruction is one that a slice is made for.
pub fn is_event(program: &SizeProgram, op: &Op) -> bool {
    match op {
        Op::Launch { .. } => true,
        Op::Call {
            callee: Callee::External(name),
            ..
        } => EVENTS.contains(&name.as_str()) || program.opaque.contains(name),
        _ => false,
    }
}

/// Whether an instruction calls a function that nobody looked into.
pub fn is_opaque(program: &SizeProgram, op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if program.opaque.contains(name))
}

/// Whether an instruction throws an exception.
pub fn is_throw(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. } if throws(name))
}

/// Whether an instruction throws where something may catch it: what comes then is not known.
pub fn is_caught_throw(program: &SizeProgram, op: &Op) -> bool {
    !program.catches.is_empty() && is_throw(op)
}

/// Index of the argument that an evaluator does not need (a stream, a launch's argument array).
pub fn needless_argument(name: &str, index: usize) -> bool {
    matches!(
        (name, index),
        ("__cudaPushCallConfiguration", 5)
            | ("cudaLaunchKernel", 5 | 7)
            | ("cudaLaunchCooperativeKernel", 5 | 7)
            | ("cuLaunchKernel", 8..)
            | ("cudaFreeAsync" | "cuMemFreeAsync", 1)
            | ("cudaMallocAsync" | "cuMemAllocAsync", 2)
    )
}
