//! Several GPUs: each has its own layout, and a handle of one means nothing on another.

use super::lab::*;
use super::pointers;
use crate::border::Out;
use crate::exports::compute_instance::nvmlGpuInstanceCreateComputeInstance;
use crate::exports::facts::*;
use crate::exports::gpu_instance::*;
use crate::exports::lookup::*;
use crate::exports::memory::nvmlDeviceGetMemoryInfo;
use crate::exports::mig_device::*;
use crate::handle::{ComputeInstanceHandle, DeviceHandle, GpuInstanceHandle};
use std::ffi::CString;

/// A 1g of either model.
const ONE: u32 = 19;
const ONE_OF_A30: u32 = 14;

fn nth(number: u32) -> DeviceHandle {
    ask(gpu(), |out| nvmlDeviceGetHandleByIndex_v2(number, out)).unwrap()
}

fn create_on(device: DeviceHandle, profile: u32) -> Result<GpuInstanceHandle, u32> {
    let blank = GpuInstanceHandle::of(9, 99);
    ask(blank, |out| {
        nvmlDeviceCreateGpuInstance(device, profile, out)
    })
}

fn name(device: DeviceHandle) -> String {
    ask_text(|out, length| nvmlDeviceGetName(device, out, length)).unwrap()
}

fn uuid(device: DeviceHandle) -> String {
    ask_text(|out, length| nvmlDeviceGetUUID(device, out, length)).unwrap()
}

#[test]
fn each_is_found_by_index_address_and_uuid() {
    let _lab = Lab::of_several(&["a100-40gb", "a30-24gb"]);
    assert_eq!(ask(0, |out| nvmlDeviceGetCount_v2(out)), Ok(2));
    let second = nth(1);
    assert_eq!(
        ask(gpu(), |out| nvmlDeviceGetHandleByIndex_v2(2, out)),
        Err(2)
    );
    assert_eq!(
        (name(nth(0)).as_str(), name(second).as_str()),
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A30")
    );
    assert_eq!(ask(9, |out| nvmlDeviceGetIndex(second, out)), Ok(1));
    let by_address = ask(gpu(), |out| {
        nvmlDeviceGetHandleByPciBusId_v2(pointers::text(c"00000000:02:00.0"), out)
    });
    assert_eq!(by_address, Ok(second));
    let text = CString::new(uuid(second)).unwrap();
    let by_uuid = ask(gpu(), |out| {
        nvmlDeviceGetHandleByUUID(pointers::text(&text), out)
    });
    assert_eq!(by_uuid, Ok(second));
}

#[test]
fn a_layout_is_of_one_gpu() {
    let _lab = Lab::of_several(&["a100-40gb", "a30-24gb"]);
    let (first, second) = (nth(0), nth(1));
    assert_eq!(
        create_on(second, ONE).unwrap_err(),
        2,
        "an A30 has no such profile"
    );
    let instance = create_on(second, ONE_OF_A30).unwrap();
    let told = info(instance).unwrap();
    assert_eq!((told.device, told.id), (second, 3));
    let blank = ComputeInstanceHandle::of(9, 9, 9);
    ask(blank, |out| {
        nvmlGpuInstanceCreateComputeInstance(instance, 0, out)
    })
    .unwrap();
    let mig = |device| {
        ask(gpu(), |out| {
            nvmlDeviceGetMigDeviceHandleByIndex(device, 0, out)
        })
    };
    assert_eq!(mig(first), Err(6));
    let slice = mig(second).unwrap();
    assert_eq!(name(slice), "NVIDIA A30 MIG 1g.6gb");
    let parent = ask(gpu(), |out| {
        nvmlDeviceGetDeviceHandleFromMigDeviceHandle(slice, out)
    });
    assert_eq!(parent, Ok(second));
    let text = CString::new(uuid(slice)).unwrap();
    let by_uuid = ask(gpu(), |out| {
        nvmlDeviceGetHandleByUUID(pointers::text(&text), out)
    });
    assert_eq!(by_uuid, Ok(slice));
    // The same ids on the other GPU are of nothing.
    assert_eq!(nvmlGpuInstanceDestroy(GpuInstanceHandle::of(0, 3)), 2);
    assert_eq!(nvmlGpuInstanceDestroy(GpuInstanceHandle::of(7, 3)), 2);
    let mut memory = [0_u64; 3];
    let room = Out::to(&mut memory).seen_as();
    assert_eq!(nvmlDeviceGetMemoryInfo(DeviceHandle::gpu(7), room), 2);
}
