//! What a program would be told of a slice as its CUDA device, and whether a program asks at all.

use migfit_mig::{MigProfile, Model, ProfileName};
use migfit_schema::program::{Callee, Op, SizeProgram};
use migfit_schema::units::Bytes;
use migfit_sizes::{DeviceProperties, Need, Verdict};

/// CUDA calls whose results do not depend on the slice. Any other makes each slice's answer its own: a call that
/// is missing here costs time, never correctness.
const TELL_NOTHING: &[&str] = &[
    "cudaMalloc",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaMallocManaged",
    "cudaFree",
    "cudaFreeHost",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpyToSymbol",
    "cudaMemcpyFromSymbol",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaGetLastError",
    "cudaPeekAtLastError",
    "cudaGetErrorString",
    "cudaGetErrorName",
    "cudaDeviceSynchronize",
    "cudaThreadSynchronize",
    "cudaDeviceReset",
    "cudaSetDevice",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaLaunchKernel",
    "cudaStreamCreate",
    "cudaStreamDestroy",
    "cudaStreamSynchronize",
    "cudaEventCreate",
    "cudaEventDestroy",
    "cudaEventRecord",
    "cudaEventSynchronize",
    "cudaEventElapsedTime",
];

/// Whether the host code asks for anything that differs between slices.
#[must_use]
pub fn asks(program: &SizeProgram) -> bool {
    let blocks = program
        .functions
        .iter()
        .flat_map(|function| &function.blocks);
    blocks
        .flat_map(|block| &block.ops)
        .any(|instruction| match &instruction.op {
            Op::Call {
                callee: Callee::External(name),
                ..
            } => differs(name),
            _ => false,
        })
}

fn differs(name: &str) -> bool {
    let cuda = name.starts_with("cuda") || is_driver_call(name);
    cuda && !TELL_NOTHING.contains(&name)
}

/// `cuDeviceGetName`, not `cube_root`.
fn is_driver_call(name: &str) -> bool {
    name.strip_prefix("cu")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// The properties of a slice; none where no source has its SMs.
#[must_use]
pub fn properties(model: &Model, profile: &MigProfile) -> Option<DeviceProperties> {
    let name = match profile.name {
        ProfileName::WHOLE_GPU => model.board().to_owned(),
        name => format!("{} MIG {name}", model.board()),
    };
    Some(DeviceProperties {
        name,
        compute_capability: model.compute_capability,
        sm_count: profile.sms?,
        total_bytes: profile.memory_mib.to_bytes().0,
        // No model has these two; 0 is "not known".
        l2_bytes: 0,
        clock_khz: 0,
        ..DeviceProperties::default()
    })
}

/// The device of a program that never asks for one.
#[must_use]
pub fn nowhere() -> DeviceProperties {
    DeviceProperties::default()
}

/// A slice as a program sees it that asks for nothing but memory.
#[must_use]
pub fn with_memory_of(profile: &MigProfile) -> DeviceProperties {
    DeviceProperties {
        total_bytes: profile.memory_mib.to_bytes().0,
        ..nowhere()
    }
}

/// Whether a program may notice on a slice that memory lacks.
#[must_use]
pub fn may_lack(need: &Need, profile: &MigProfile) -> bool {
    let peak = need.peak_rounded.or(need.peak);
    peak.is_some_and(|peak| peak > profile.memory_mib.to_bytes())
}

/// What a program wants to hold at once: where memory lacked, more than it got. A program that goes on with what it
/// gets wants no more than that.
#[must_use]
pub fn wanted(need: &Need) -> Option<Bytes> {
    let peak = need.peak_rounded.or(need.peak);
    match need.verdict {
        Verdict::Elastic => peak,
        _ => peak.max(need.lacked),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use migfit_schema::program::{Block, Function, Instruction, Place, Terminator};

    /// A program whose `main` calls one function outside.
    pub(crate) fn calling(name: &str) -> SizeProgram {
        let op = Op::Call {
            dst: Vec::new(),
            results: Vec::new(),
            callee: Callee::External(name.to_owned()),
            args: Vec::new(),
        };
        let place = Place::default();
        let block = Block {
            phis: Vec::new(),
            ops: vec![Instruction { op, place }],
            end: Terminator::Unreachable,
            end_place: place,
        };
        SizeProgram {
            functions: vec![Function {
                name: "main".to_owned(),
                params: Vec::new(),
                results: Vec::new(),
                registers: 0,
                blocks: vec![block],
                names: Vec::new(),
            }],
            ..SizeProgram::default()
        }
    }

    #[test]
    fn a_property_is_asked_for_and_a_copy_asks_nothing() {
        for name in [
            "cudaGetDeviceProperties_v2",
            "cudaMemGetInfo",
            "cuDeviceTotalMem_v2",
            "cudaNewInFuture",
        ] {
            assert!(asks(&calling(name)), "{name}");
        }
        for name in ["cudaMalloc", "strtol", "cube_root", "_Znwm"] {
            assert!(!asks(&calling(name)), "{name}");
        }
    }

    #[test]
    fn a_slice_is_told_apart_from_the_board() {
        let model = migfit_mig::find("a100-40gb").unwrap();
        let slice = properties(model, &model.profiles[0]).unwrap();
        assert_eq!(slice.name, "NVIDIA A100-SXM4-40GB MIG 1g.5gb");
        assert_eq!((slice.sm_count, slice.total_bytes), (14, 4864 << 20));
    }
}
