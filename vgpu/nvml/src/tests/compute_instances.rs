//! Compute instances by the driver's rules.

use super::lab::*;
use crate::border::Out;
use crate::exports::compute_instance::*;
use crate::exports::compute_profile::*;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::handle::{ComputeInstanceHandle, GpuInstanceHandle};
use crate::library;
use migfit_schema::units::Bytes;
use migfit_vgpu_device::VirtualGpu;
use nvml_wrapper_sys::bindings as nvml;
use std::sync::Arc;

const THREE: u32 = 9;

fn profile(
    gi: GpuInstanceHandle,
    constant: u32,
) -> Result<nvml::nvmlComputeInstanceProfileInfo_t, u32> {
    // SAFETY: all fields are plain numbers.
    let blank = unsafe { std::mem::zeroed() };
    ask(blank, |out| {
        nvmlGpuInstanceGetComputeInstanceProfileInfo(gi, constant, 0, out)
    })
}

fn room(gi: GpuInstanceHandle, id: u32) -> u32 {
    ask(0, |out| {
        nvmlGpuInstanceGetComputeInstanceRemainingCapacity(gi, id, out)
    })
    .unwrap()
}

#[test]
fn kinds_are_enumerated_until_invalid_argument() {
    let _lab = Lab::a100();
    let gi = create(THREE, None).unwrap();
    let kinds: Vec<(u32, u32, u32)> = (0..9)
        .filter_map(|c| profile(gi, c).ok())
        .map(|p| (p.sliceCount, p.instanceCount, p.multiprocessorCount))
        .collect();
    assert_eq!(kinds, [(1, 3, 14), (2, 1, 28), (3, 1, 42)]);
    assert_eq!(profile(gi, 3).unwrap_err(), 3);
    assert_eq!(profile(gi, 9).unwrap_err(), 2);
}

#[test]
fn a_second_full_compute_instance_is_refused() {
    let _lab = Lab::a100();
    let gi = create(THREE, None).unwrap();
    create_compute(gi, 2).unwrap();
    assert_eq!(create_compute(gi, 2).unwrap_err(), 23);
    assert_eq!(create_compute(gi, 0).unwrap_err(), 23);
    assert_eq!(create_compute(gi, 77).unwrap_err(), 2);
}

#[test]
fn smaller_ones_share_a_gpu_instance() {
    let _lab = Lab::a100();
    let gi = create(THREE, None).unwrap();
    assert_eq!((room(gi, 0), room(gi, 1), room(gi, 2)), (3, 1, 1));
    let one = create_compute(gi, 0).unwrap();
    let two = create_compute(gi, 1).unwrap();
    assert_ne!(one, two);
    assert_eq!((room(gi, 0), room(gi, 1), room(gi, 2)), (0, 0, 0));
    let mut found = [ComputeInstanceHandle::of(0, 0, 0); 3];
    let mut count = 0;
    let code =
        nvmlGpuInstanceGetComputeInstances(gi, 1, Out::to_all(&mut found), Out::to(&mut count));
    assert_eq!((code, count, found[0]), (0, 1, two));
    let by_id = |id| {
        ask(one, |out| {
            nvmlGpuInstanceGetComputeInstanceById(gi, id, out)
        })
    };
    assert_eq!((by_id(1), by_id(2)), (Ok(two), Err(6)));
}

#[test]
fn a_gpu_instance_with_a_compute_instance_is_in_use() {
    let _lab = Lab::a100();
    let gi = create(THREE, None).unwrap();
    let ci = create_compute(gi, 2).unwrap();
    assert_eq!(nvmlGpuInstanceDestroy(gi), 19);
    assert_eq!(nvmlComputeInstanceDestroy(ci), 0);
    assert_eq!(nvmlComputeInstanceDestroy(ci), 2);
    assert_eq!(nvmlGpuInstanceDestroy(gi), 0);
}

#[test]
fn a_compute_instance_with_a_process_is_in_use() {
    let _lab = Lab::a100();
    let gi = create(THREE, None).unwrap();
    let ci = create_compute(gi, 2).unwrap();
    let gpu: Arc<VirtualGpu> = library::gpu(0).unwrap();
    let slice = gpu.slices().unwrap().remove(0);
    let bytes = Bytes(64 << 20);
    gpu.charge(&slice, bytes).unwrap();
    assert_eq!(nvmlComputeInstanceDestroy(ci), 19);
    gpu.uncharge(&slice, bytes).unwrap();
    assert_eq!(nvmlComputeInstanceDestroy(ci), 19, "for a moment");
    assert_eq!(nvmlComputeInstanceDestroy(ci), 0);
    assert_eq!(nvmlGpuInstanceDestroy(gi), 19, "for a moment");
    assert_eq!(nvmlGpuInstanceDestroy(gi), 0);
}
