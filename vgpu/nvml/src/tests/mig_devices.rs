//! MIG devices: indices with holes, UUIDs, attributes, memory, processes.

use super::lab::*;
use super::pointers;
use crate::border::Out;
use crate::exports::compute_instance::*;
use crate::exports::facts::*;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::exports::lookup::*;
use crate::exports::memory::*;
use crate::exports::mig_device::*;
use crate::exports::processes::*;
use crate::handle::DeviceHandle;
use crate::library;
use migfit_schema::units::Bytes;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::CString;

const ONE: u32 = 19;
const THREE: u32 = 9;

fn uuid(device: DeviceHandle) -> String {
    ask_text(|out, length| nvmlDeviceGetUUID(device, out, length)).unwrap()
}

fn memory(device: DeviceHandle) -> nvml::nvmlMemory_t {
    let blank = nvml::nvmlMemory_t {
        total: 1,
        free: 1,
        used: 1,
    };
    ask(blank, |out| nvmlDeviceGetMemoryInfo(device, out)).unwrap()
}

/// A 3g.20gb at 4 and a 1g.5gb at 0, each with its full compute instance.
fn two_slices() -> (DeviceHandle, DeviceHandle) {
    let three = create(THREE, Some((4, 4))).unwrap();
    create_compute(three, 2).unwrap();
    let one = create(ONE, Some((0, 1))).unwrap();
    create_compute(one, 0).unwrap();
    (mig_device(4).unwrap(), mig_device(0).unwrap())
}

#[test]
fn an_index_without_mig_device_is_a_hole_up_to_the_maximum() {
    let _lab = Lab::a100();
    two_slices();
    let count = ask(0, |out| nvmlDeviceGetMaxMigDeviceCount(gpu(), out)).unwrap();
    let codes: Vec<u32> = (0..=count)
        .map(|i| mig_device(i).err().unwrap_or(0))
        .collect();
    assert_eq!(codes, [0, 6, 6, 6, 0, 6, 6, 2]);
}

#[test]
fn a_mig_device_tells_its_ids_name_and_attributes() {
    let _lab = Lab::a100();
    let (three, _) = two_slices();
    assert_eq!(ask(9, |out| nvmlDeviceIsMigDeviceHandle(three, out)), Ok(1));
    assert_eq!(ask(9, |out| nvmlDeviceIsMigDeviceHandle(gpu(), out)), Ok(0));
    assert_eq!(ask(9, |out| nvmlDeviceGetGpuInstanceId(three, out)), Ok(1));
    assert_eq!(
        ask(9, |out| nvmlDeviceGetComputeInstanceId(three, out)),
        Ok(0)
    );
    assert_eq!(ask(9, |out| nvmlDeviceGetIndex(three, out)), Ok(4));
    assert_eq!(
        ask(three, |out| nvmlDeviceGetDeviceHandleFromMigDeviceHandle(
            three, out
        )),
        Ok(gpu())
    );
    let name = ask_text(|out, length| nvmlDeviceGetName(three, out, length));
    assert_eq!(name.as_deref(), Ok("NVIDIA A100-SXM4-40GB MIG 3g.20gb"));
    // SAFETY: all fields are plain numbers.
    let blank = unsafe { std::mem::zeroed() };
    let attributes: nvml::nvmlDeviceAttributes_t =
        ask(blank, |out| nvmlDeviceGetAttributes_v2(three, out)).unwrap();
    assert_eq!(
        (
            attributes.multiprocessorCount,
            attributes.gpuInstanceSliceCount
        ),
        (42, 3)
    );
    assert_eq!(attributes.memorySizeMB << 20, memory(three).total);
}

#[test]
fn what_only_mig_devices_or_only_the_gpu_have_is_not_supported_on_the_other() {
    let _lab = Lab::a100();
    let (three, _) = two_slices();
    assert_eq!(ask(0, |out| nvmlDeviceGetGpuInstanceId(gpu(), out)), Err(3));
    assert_eq!(
        ask(0, |out| nvmlDeviceGetMaxMigDeviceCount(three, out)),
        Err(3)
    );
}

#[test]
fn a_uuid_leads_back_to_its_device_and_survives_making_it_again() {
    let _lab = Lab::a100();
    let (three, one) = two_slices();
    let (text, whole) = (uuid(three), uuid(gpu()));
    assert!(
        text.starts_with("MIG-") && text.as_bytes()[18] == b'5',
        "{text}"
    );
    assert!(whole.starts_with("GPU-"), "{whole}");
    assert_ne!(text, uuid(one));
    let find = |text: &str| {
        let text = CString::new(text).unwrap();
        ask(gpu(), |out| {
            nvmlDeviceGetHandleByUUID(pointers::text(&text), out)
        })
    };
    assert_eq!((find(&text), find(&whole)), (Ok(three), Ok(gpu())));
    assert_eq!(find("MIG-00000000-0000-5000-8000-000000000000"), Err(6));
    let gi = crate::handle::GpuInstanceHandle::of(1);
    assert_eq!(
        nvmlComputeInstanceDestroy(crate::handle::ComputeInstanceHandle::of(1, 0)),
        0
    );
    assert_eq!(nvmlGpuInstanceDestroy(gi), 0);
    assert_eq!(find(&text), Err(6));
    assert_eq!(
        ask_text(|out, length| nvmlDeviceGetUUID(three, out, length)),
        Err(2)
    );
    create_compute(create(THREE, Some((4, 4))).unwrap(), 2).unwrap();
    assert_eq!(uuid(mig_device(4).unwrap()), text);
}

#[test]
fn memory_and_processes_are_told_per_slice_and_summed_for_the_gpu() {
    let _lab = Lab::a100();
    let (three, one) = two_slices();
    let slices = library::gpu().unwrap().slices().unwrap();
    let slice = slices.iter().find(|s| s.uuid == uuid(three)).unwrap();
    library::gpu()
        .unwrap()
        .charge(slice, Bytes(100 << 20))
        .unwrap();
    assert_eq!(
        (memory(three).used, memory(one).used, memory(gpu()).used),
        (100 << 20, 0, 100 << 20)
    );
    assert_eq!(memory(three).total - memory(three).free, 100 << 20);
    // SAFETY: all fields are plain numbers.
    let mut infos: [nvml::nvmlProcessInfo_t; 2] = unsafe { std::mem::zeroed() };
    let ask_processes = |device, mut room: u32, infos: &mut [_]| {
        let out = if room == 0 {
            Out::null()
        } else {
            Out::to_all(infos)
        };
        (
            nvmlDeviceGetComputeRunningProcesses_v3(device, Out::to(&mut room), out),
            room,
        )
    };
    assert_eq!(ask_processes(three, 0, &mut infos), (7, 1));
    assert_eq!(ask_processes(one, 0, &mut infos), (0, 0));
    assert_eq!(ask_processes(three, 2, &mut infos), (0, 1));
    assert_eq!(
        (infos[0].pid, infos[0].usedGpuMemory),
        (std::process::id(), 100 << 20)
    );
    assert_eq!((infos[0].gpuInstanceId, infos[0].computeInstanceId), (1, 0));
}
