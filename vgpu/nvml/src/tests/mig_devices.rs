//! MIG devices: indices, UUIDs, attributes, memory, processes.

use super::lab::*;
use super::pointers;
use crate::border::{In, Out};
use crate::exports::compute_instance::*;
use crate::exports::facts::*;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::exports::lookup::*;
use crate::exports::memory::*;
use crate::exports::mig_device::*;
use crate::exports::modes::*;
use crate::exports::processes::*;
use crate::handle::DeviceHandle;
use crate::library;
use migfit_schema::units::Bytes;
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::CString;

const ONE: u32 = 19;
const THREE: u32 = 9;
const BAR1_BLANK: nvml::nvmlBAR1Memory_t = nvml::nvmlBAR1Memory_t {
    bar1Total: 9,
    bar1Free: 9,
    bar1Used: 9,
};

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
    (mig_device(0).unwrap(), mig_device(1).unwrap())
}

#[test]
fn indices_go_by_gi_id_and_those_up_to_the_maximum_may_be_asked() {
    let _lab = Lab::a100();
    two_slices();
    let count = ask(0, |out| nvmlDeviceGetMaxMigDeviceCount(gpu(), out)).unwrap();
    let codes: Vec<u32> = (0..=count)
        .map(|i| mig_device(i).err().unwrap_or(0))
        .collect();
    assert_eq!(codes, [0, 0, 6, 6, 6, 6, 6, 2]);
}

#[test]
fn a_mig_device_tells_its_ids_name_and_attributes() {
    let _lab = Lab::a100();
    let (three, _) = two_slices();
    assert_eq!(ask(9, |out| nvmlDeviceIsMigDeviceHandle(three, out)), Ok(1));
    assert_eq!(ask(9, |out| nvmlDeviceIsMigDeviceHandle(gpu(), out)), Ok(0));
    assert_eq!(ask(9, |out| nvmlDeviceGetGpuInstanceId(three, out)), Ok(2));
    assert_eq!(
        ask(9, |out| nvmlDeviceGetComputeInstanceId(three, out)),
        Ok(0)
    );
    assert_eq!(ask(9, |out| nvmlDeviceGetIndex(three, out)), Ok(0));
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
    let gi = crate::handle::GpuInstanceHandle::of(0, 2);
    assert_eq!(
        nvmlComputeInstanceDestroy(crate::handle::ComputeInstanceHandle::of(0, 2, 0)),
        0
    );
    assert_eq!(nvmlGpuInstanceDestroy(gi), 0);
    assert_eq!(find(&text), Err(6));
    assert_eq!(
        ask_text(|out, length| nvmlDeviceGetUUID(three, out, length)),
        Err(2)
    );
    create_compute(create(THREE, Some((4, 4))).unwrap(), 2).unwrap();
    assert_eq!(uuid(mig_device(0).unwrap()), text);
}

#[test]
fn memory_and_processes_are_told_per_slice_and_summed_for_the_gpu() {
    let _lab = Lab::a100();
    let (three, one) = two_slices();
    let slices = library::gpu(0).unwrap().slices().unwrap();
    let slice = slices.iter().find(|s| s.uuid == uuid(three)).unwrap();
    library::gpu(0)
        .unwrap()
        .charge(slice, Bytes(100 << 20))
        .unwrap();
    assert_eq!(
        (memory(three).used, memory(one).used, memory(gpu()).used),
        (100 << 20, 0, 100 << 20)
    );
    assert_eq!(memory(three).total - memory(three).free, 100 << 20);
    let window = |device| ask(BAR1_BLANK, |out| nvmlDeviceGetBAR1MemoryInfo(device, out)).unwrap();
    assert_eq!(window(gpu()).bar1Total, 64 << 30);
    assert_eq!(
        (window(three).bar1Total, window(one).bar1Total),
        (32 << 30, 8 << 30)
    );
    assert_eq!((window(one).bar1Free, window(one).bar1Used), (8 << 30, 0));
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
    assert_eq!((infos[0].gpuInstanceId, infos[0].computeInstanceId), (2, 0));
}

#[test]
fn processes_are_told_by_mode_and_by_name() {
    let _lab = Lab::a100();
    let (three, one) = two_slices();
    let gpu = library::gpu(0).unwrap();
    let slices = gpu.slices().unwrap();
    let slice = slices.iter().find(|s| s.uuid == uuid(three)).unwrap();
    gpu.charge(slice, Bytes(5 << 20)).unwrap();
    for call in [
        nvmlDeviceGetGraphicsRunningProcesses_v3,
        nvmlDeviceGetMPSComputeRunningProcesses_v2,
    ] {
        assert_eq!(ask(7, |out| call(three, out, Out::null())), Ok(0));
    }
    // SAFETY: all fields are plain numbers.
    let mut details: [nvml::nvmlProcessDetail_v1_t; 1] = unsafe { std::mem::zeroed() };
    let mut list = nvml::nvmlProcessDetailList_t {
        version: crate::border::version::<nvml::nvmlProcessDetailList_t>(1),
        mode: 0,
        numProcArrayEntries: 0,
        procArray: std::ptr::null_mut(),
    };
    let call = nvmlDeviceGetRunningProcessDetailList;
    assert_eq!(call(one, Out::to(&mut list)), 0);
    assert_eq!(
        (call(three, Out::to(&mut list)), list.numProcArrayEntries),
        (7, 1)
    );
    list.procArray = details.as_mut_ptr();
    assert_eq!(call(three, Out::to(&mut list)), 0);
    let detail = details[0];
    assert_eq!(
        (detail.pid, detail.usedGpuMemory),
        (std::process::id(), 5 << 20)
    );
    list.mode = 1;
    assert_eq!(
        (call(three, Out::to(&mut list)), list.numProcArrayEntries),
        (0, 0)
    );
    list.mode = 4;
    assert_eq!(call(three, Out::to(&mut list)), 2);
    list.version += 1;
    assert_eq!(call(three, Out::to(&mut list)), 2);
}

#[test]
fn a_process_is_named_as_it_was_started_cut_to_fit() {
    let _lab = Lab::a100();
    let mut name = [1; 5];
    let pid = std::process::id();
    assert_eq!(nvmlSystemGetProcessName(pid, Out::to_all(&mut name), 5), 0);
    let started = std::env::args().next().unwrap();
    let expected: Vec<_> = started
        .bytes()
        .take(4)
        .chain([0])
        .map(|b| b as std::ffi::c_char)
        .collect();
    assert_eq!(name.to_vec(), expected);
    assert_eq!(
        nvmlSystemGetProcessName(u32::MAX, Out::to_all(&mut name), 5),
        6
    );
    assert_eq!(nvmlSystemGetProcessName(pid, Out::to_all(&mut name), 0), 2);
}

#[test]
fn uuids_are_found_as_text_and_as_bytes() {
    let _lab = Lab::a100();
    let (three, _) = two_slices();
    let find = |type_, value| {
        let version = crate::border::version::<nvml::nvmlUUID_t>(1);
        let asked = nvml::nvmlUUID_t {
            version,
            type_,
            value,
        };
        ask(gpu(), |out| nvmlDeviceGetHandleByUUIDV(In::of(&asked), out))
    };
    let mut str_ = [0; 41];
    for (to, from) in str_.iter_mut().zip(uuid(three).bytes()) {
        *to = from as std::ffi::c_char;
    }
    assert_eq!(find(1, nvml::nvmlUUIDValue_t { str_ }), Ok(three));
    let slices = library::gpu(0).unwrap().slices().unwrap();
    for slice in slices.iter().filter(|s| s.uuid == uuid(three)) {
        // SAFETY: all fields are plain bytes.
        let mut value: nvml::nvmlUUIDValue_t = unsafe { std::mem::zeroed() };
        value.bytes = slice.uuid_bytes;
        assert_eq!(find(2, value), Ok(three));
        assert_eq!(find(0, value), Err(2));
        value.bytes = [1; 16];
        assert_eq!(find(2, value), Err(6));
    }
}

#[test]
fn a_mig_device_has_a_compute_mode_and_no_display() {
    let _lab = Lab::a100();
    let (three, _) = two_slices();
    assert_eq!(ask(9, |out| nvmlDeviceGetComputeMode(three, out)), Ok(0));
    assert_eq!(
        [0, 1, 9].map(|mode| nvmlDeviceSetComputeMode(gpu(), mode)),
        [0, 3, 2]
    );
    assert_eq!(ask(9, |out| nvmlDeviceGetDisplayActive(gpu(), out)), Ok(0));
    assert_eq!(ask(9, |out| nvmlDeviceGetDisplayActive(three, out)), Err(3));
}
