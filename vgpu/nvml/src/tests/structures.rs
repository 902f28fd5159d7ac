//! The structures have the sizes, offsets and version numbers that a C compiler gives those of nvml.h 13.5.

use crate::border::version;
use crate::exports::compute_instance::ComputeInstanceInfo;
use crate::exports::gpu_instance::GpuInstanceInfo;
use nvml_wrapper_sys::bindings as nvml;
use std::mem::{offset_of, size_of};

#[test]
fn sizes() {
    assert_eq!(size_of::<nvml::nvmlMemory_t>(), 24);
    assert_eq!(size_of::<nvml::nvmlMemory_v2_t>(), 40);
    assert_eq!(size_of::<nvml::nvmlPciInfo_t>(), 68);
    assert_eq!(size_of::<nvml::nvmlDeviceAttributes_t>(), 40);
    assert_eq!(size_of::<nvml::nvmlGpuInstancePlacement_t>(), 8);
    assert_eq!(size_of::<nvml::nvmlGpuInstanceProfileInfo_t>(), 48);
    assert_eq!(size_of::<nvml::nvmlGpuInstanceProfileInfo_v2_t>(), 152);
    assert_eq!(size_of::<nvml::nvmlGpuInstanceProfileInfo_v3_t>(), 152);
    assert_eq!(size_of::<GpuInstanceInfo>(), 24);
    assert_eq!(size_of::<nvml::nvmlComputeInstancePlacement_t>(), 8);
    assert_eq!(size_of::<nvml::nvmlComputeInstanceProfileInfo_t>(), 36);
    assert_eq!(size_of::<nvml::nvmlComputeInstanceProfileInfo_v2_t>(), 136);
    assert_eq!(size_of::<nvml::nvmlComputeInstanceProfileInfo_v3_t>(), 140);
    assert_eq!(size_of::<ComputeInstanceInfo>(), 32);
    assert_eq!(size_of::<nvml::nvmlProcessInfo_v1_t>(), 16);
    assert_eq!(size_of::<nvml::nvmlProcessInfo_t>(), 24);
    assert_eq!(size_of::<nvml::nvmlProcessDetail_v1_t>(), 32);
    assert_eq!(size_of::<nvml::nvmlProcessDetailList_t>(), 24);
    assert_eq!(size_of::<nvml::nvmlBAR1Memory_t>(), 24);
    assert_eq!(size_of::<nvml::nvmlUUID_t>(), 52);
    assert_eq!(size_of::<nvml::nvmlPciInfoExt_t>(), 64);
}

#[test]
fn offsets() {
    assert_eq!(offset_of!(nvml::nvmlPciInfo_t, domain), 16);
    assert_eq!(offset_of!(nvml::nvmlPciInfo_t, busId), 36);
    assert_eq!(offset_of!(nvml::nvmlDeviceAttributes_t, memorySizeMB), 32);
    assert_eq!(
        offset_of!(nvml::nvmlGpuInstanceProfileInfo_t, memorySizeMB),
        40
    );
    assert_eq!(offset_of!(nvml::nvmlGpuInstanceProfileInfo_v2_t, name), 56);
    assert_eq!(offset_of!(nvml::nvmlGpuInstanceProfileInfo_v3_t, name), 48);
    assert_eq!(
        offset_of!(nvml::nvmlGpuInstanceProfileInfo_v3_t, capabilities),
        144
    );
    assert_eq!(offset_of!(GpuInstanceInfo, placement), 16);
    assert_eq!(
        offset_of!(nvml::nvmlComputeInstanceProfileInfo_v2_t, name),
        40
    );
    assert_eq!(offset_of!(ComputeInstanceInfo, id), 16);
    assert_eq!(offset_of!(ComputeInstanceInfo, placement), 24);
    assert_eq!(offset_of!(nvml::nvmlProcessInfo_t, gpuInstanceId), 16);
}

#[test]
fn versions() {
    assert_eq!(version::<nvml::nvmlMemory_v2_t>(2), 0x0200_0028);
    assert_eq!(
        version::<nvml::nvmlGpuInstanceProfileInfo_v2_t>(2),
        0x0200_0098
    );
    assert_eq!(
        version::<nvml::nvmlGpuInstanceProfileInfo_v3_t>(3),
        0x0300_0098
    );
    assert_eq!(
        version::<nvml::nvmlComputeInstanceProfileInfo_v2_t>(2),
        0x0200_0088
    );
    assert_eq!(
        version::<nvml::nvmlComputeInstanceProfileInfo_v3_t>(3),
        0x0300_008c
    );
}
