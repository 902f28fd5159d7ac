//! The library and the GPU as a whole: start and end, versions, look-up, texts, MIG mode.

use super::lab::*;
use super::pointers;
use crate::border::{In, Out};
use crate::exports::facts::*;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::exports::gpu_profile::nvmlDeviceGetGpuInstanceProfileInfoV;
use crate::exports::lookup::*;
use crate::exports::mig_device::nvmlDeviceGetMaxMigDeviceCount;
use crate::exports::mig_mode::*;
use crate::exports::system::*;
use migfit_vgpu_device::{MigSetting, Settings};
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::{CStr, c_char};

#[test]
fn without_a_start_every_call_is_uninitialized() {
    let lab = Lab::a100();
    assert_eq!(nvmlShutdown(), 0);
    assert_eq!(nvmlShutdown(), 1);
    assert_eq!(ask(0, |out| nvmlDeviceGetCount_v2(out)), Err(1));
    assert_eq!(create(19, None).unwrap_err(), 1);
    drop(lab);
}

#[test]
fn one_gpu_is_found_by_index_and_by_pci_address() {
    let _lab = Lab::a100();
    assert_eq!(ask(0, |out| nvmlDeviceGetCount_v2(out)), Ok(1));
    let by_index = |index| ask(gpu(), |out| nvmlDeviceGetHandleByIndex_v2(index, out));
    assert_eq!((by_index(0), by_index(1)), (Ok(gpu()), Err(2)));
    let by_address = |text: &CStr| {
        ask(gpu(), |out| {
            nvmlDeviceGetHandleByPciBusId_v2(pointers::text(text), out)
        })
    };
    assert_eq!(by_address(c"00000000:01:00.0"), Ok(gpu()));
    assert_eq!(by_address(c"01:00.0"), Ok(gpu()));
    assert_eq!(by_address(c"00000000:02:00.0"), Err(6));
    // SAFETY: all fields are plain numbers.
    let blank = unsafe { std::mem::zeroed() };
    let pci: nvml::nvmlPciInfo_t = ask(blank, |out| nvmlDeviceGetPciInfo_v3(gpu(), out)).unwrap();
    assert_eq!((pci.bus, pci.pciDeviceId), (1, 0x20B0_10DE));
}

#[test]
fn a_text_that_does_not_fit_is_an_insufficient_size() {
    let _lab = Lab::a100();
    let mut small = [0 as c_char; 21];
    let name = c"NVIDIA A100-SXM4-40GB";
    assert_eq!(nvmlDeviceGetName(gpu(), Out::to_all(&mut small), 21), 7);
    assert_eq!(nvmlDeviceGetName(gpu(), Out::null(), 96), 2);
    let full = ask_text(|out, length| nvmlDeviceGetName(gpu(), out, length)).unwrap();
    assert_eq!(full.as_str(), name.to_str().unwrap());
}

#[test]
fn mig_is_on_and_an_ampere_board_needs_a_reset_to_change_that() {
    let _lab = Lab::a100();
    assert_eq!(mig_mode(), (Ok(1), 1));
    assert_eq!(set_mig_mode(1), Ok(0));
    assert_eq!(set_mig_mode(2), Err(2));
    assert_eq!(set_mig_mode(0), Ok(16), "a reset is required");
    assert_eq!(mig_mode(), (Ok(1), 0));
    crate::library::gpu(0).unwrap().reset().unwrap();
    assert_eq!(mig_mode(), (Ok(0), 0));
    assert_eq!(create(19, None).unwrap_err(), 3);
}

#[test]
fn later_boards_switch_mig_at_once_unless_they_are_in_use() {
    let _lab = Lab::of("h100-80gb-sxm").unwrap();
    let instance = create(19, None).unwrap();
    assert_eq!(set_mig_mode(0), Ok(19), "in use");
    assert_eq!(mig_mode(), (Ok(1), 0));
    assert_eq!(nvmlGpuInstanceDestroy(instance), 0);
    assert_eq!(set_mig_mode(0), Ok(0));
    assert_eq!(mig_mode(), (Ok(0), 0));
    // SAFETY: all fields are plain numbers.
    let blank = unsafe { std::mem::zeroed() };
    let info = |constant| {
        ask(blank, |out| {
            nvmlDeviceGetGpuInstanceProfileInfoV(gpu(), constant, out)
        })
    };
    let codes = [0, 17, 18].map(|constant| info(constant).map(|_| ()));
    assert_eq!(codes, [Err(3), Err(3), Err(2)], "the enumeration ends");
    assert_eq!(set_mig_mode(1), Ok(0));
    create(19, None).unwrap();
}

#[test]
fn a_board_without_mig_supports_none_of_it() {
    let settings = Settings {
        mig: Some(MigSetting::Absent),
        ..Settings::of_model("a100-40gb")
    };
    let _lab = Lab::set_up(&settings, "").unwrap();
    assert_eq!(mig_mode().0, Err(3));
    assert_eq!(set_mig_mode(1), Err(3));
    assert_eq!(create(19, None).unwrap_err(), 3);
    let most = ask(9, |out| nvmlDeviceGetMaxMigDeviceCount(gpu(), out));
    assert_eq!(most, Ok(0));
}

fn mig_mode() -> (Result<u32, u32>, u32) {
    let mut pending = 9;
    let current = ask(9, |out| {
        nvmlDeviceGetMigMode(gpu(), out, Out::to(&mut pending))
    });
    (current, pending)
}

fn set_mig_mode(mode: u32) -> Result<u32, u32> {
    ask(9, |out| nvmlDeviceSetMigMode(gpu(), mode, out))
}

#[test]
fn capability_versions_and_error_texts() {
    let _lab = Lab::a100();
    let mut minor = 9;
    let major = ask(9, |out| {
        nvmlDeviceGetCudaComputeCapability(gpu(), out, Out::to(&mut minor))
    });
    assert_eq!((major, minor), (Ok(8), 0));
    assert_eq!(ask(0, |out| nvmlDeviceGetArchitecture(gpu(), out)), Ok(7));
    let driver = ask_text(|out, length| nvmlSystemGetDriverVersion(out, length)).unwrap();
    assert!(
        driver.contains("migfit"),
        "says that it is none of NVIDIA's: {driver}"
    );
    // SAFETY: the function returns a text of its own.
    let text = |code| unsafe { CStr::from_ptr(nvmlErrorString(code)) };
    assert_eq!(
        (text(23), text(12345)),
        (c"Insufficient resources", c"Unknown error")
    );
}

#[test]
fn an_unsupported_call_leaves_its_name_once_and_energy_is_never_zero() {
    let _lab = Lab::a100();
    assert_eq!(crate::stubs::nvmlDeviceGetTotalEnergyConsumption(), 3);
    assert_eq!(crate::stubs::nvmlDeviceGetTotalEnergyConsumption(), 3);
    let mut log = crate::library::gpu(0)
        .unwrap()
        .path()
        .as_os_str()
        .to_owned();
    log.push(".log");
    let text = std::fs::read_to_string(log).unwrap();
    assert_eq!(text, "nvmlDeviceGetTotalEnergyConsumption\n");
}

#[test]
fn a_missing_name_is_an_invalid_argument() {
    let _lab = Lab::a100();
    let found = ask(gpu(), |out| nvmlDeviceGetHandleByUUID(In::null(), out));
    assert_eq!(found, Err(2));
}
