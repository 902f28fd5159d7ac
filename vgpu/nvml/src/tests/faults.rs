//! Faults that are set: calls fail as they say, and nothing is changed by those that do.

use super::lab::*;
use crate::border::Out;
use crate::exports::compute_instance::nvmlComputeInstanceDestroy;
use crate::exports::facts::nvmlDeviceGetUUID;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::exports::lookup::{nvmlDeviceGetCount_v2, nvmlDeviceGetHandleByIndex_v2};
use crate::exports::memory::nvmlDeviceGetMemoryInfo;
use crate::exports::processes::nvmlDeviceGetComputeRunningProcesses_v3;
use crate::library;

const ONE: u32 = 19;

#[test]
fn a_call_fails_as_often_as_it_is_set_and_changes_nothing() {
    let _lab = Lab::with_faults("destroy-gi=in-use*2; create-ci=insufficient-resources*1");
    let gi = create(ONE, None).unwrap();
    assert_eq!(create_compute(gi, 0).unwrap_err(), 23);
    let ci = create_compute(gi, 0).unwrap();
    assert_eq!(nvmlComputeInstanceDestroy(ci), 0);
    assert_eq!([19, 19, 0], [(); 3].map(|()| nvmlGpuInstanceDestroy(gi)));
    let state = library::gpu(0).unwrap().snapshot().unwrap();
    assert_eq!(
        (state.gpu_instances, state.compute_instances),
        (vec![], vec![])
    );
}

#[test]
fn without_permission_mig_devices_can_be_seen_and_nothing_be_changed() {
    let _lab = Lab::with_faults("admin=no-permission@3");
    let gi = create(ONE, Some((0, 1))).unwrap();
    create_compute(gi, 0).unwrap();
    assert_eq!(create(ONE, None).unwrap_err(), 4);
    assert_eq!(nvmlGpuInstanceDestroy(gi), 4);
    assert_eq!(capacity(ONE).unwrap_err(), 4);
    let seen = mig_device(0).unwrap();
    let processes = |device| {
        ask(7, |out| {
            nvmlDeviceGetComputeRunningProcesses_v3(device, out, Out::null())
        })
    };
    assert_eq!((processes(gpu()), processes(seen)), (Err(4), Ok(0)));
    let mut room = [0_u64; 3];
    let mut memory = |device| nvmlDeviceGetMemoryInfo(device, Out::to(&mut room).seen_as());
    assert_eq!((memory(gpu()), memory(seen)), (4, 0));
    assert!(ask_text(|out, length| nvmlDeviceGetUUID(seen, out, length)).is_ok());
}

#[test]
fn a_gpu_that_is_lost_answers_nothing_more() {
    let _lab = Lab::with_faults("gpu=gpu-is-lost@2");
    let by_index = || ask(gpu(), |out| nvmlDeviceGetHandleByIndex_v2(0, out));
    assert_eq!((by_index(), by_index()), (Ok(gpu()), Err(15)));
    assert_eq!(create(ONE, None).unwrap_err(), 15);
    assert_eq!(crate::stubs::nvmlDeviceGetTotalEnergyConsumption(), 15);
    assert_eq!(ask(0, |out| nvmlDeviceGetCount_v2(out)), Ok(1));
}

#[test]
fn a_function_can_be_missing() {
    let _lab = Lab::with_faults("nvmlDeviceGetGpuInstanceRemainingCapacity=function-not-found");
    assert_eq!(capacity(ONE).unwrap_err(), 13);
    create(ONE, None).unwrap();
}
