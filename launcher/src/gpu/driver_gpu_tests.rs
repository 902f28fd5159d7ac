//! Creation that is all or nothing and destruction that is tried again, over a driver that refuses on purpose.

use super::*;
use crate::failure::Explain;
use crate::gpu::patience::WAITS;
use crate::gpu::scripted::{Scripted, broken, in_use};
use migfit_mig::Layout;

fn gpu(driver: &Scripted) -> DriverGpu<Scripted> {
    DriverGpu::with_clock(driver.clone(), |_| {}).unwrap()
}

fn spec(gpu: &dyn MigGpu, placed: &str) -> MigDeviceSpec {
    let layout = Layout::parse(gpu.model(), placed).unwrap();
    MigDeviceSpec(layout.placed()[0])
}

fn a100() -> Scripted {
    Scripted::of("a100-40gb")
}

fn create(driver: &Scripted, placed: &str) -> Result<LiveMigDevice, GpuError> {
    let mut gpu = gpu(driver);
    let spec = spec(&gpu, placed);
    gpu.create(spec)
}

#[test]
fn what_is_made_is_read_back_and_destroyed() {
    let driver = a100().with("1g.5gb@0");
    let mut gpu = gpu(&driver);
    let spec = spec(&gpu, "3g.20gb@4");
    let device = gpu.create(spec).unwrap();
    assert_eq!((device.uuid.as_str(), device.generation), ("MIG-2-0", 1));
    assert_eq!(driver.layout(), "1g.5gb@0 3g.20gb@4");
    gpu.destroy(&device).unwrap();
    assert_eq!(driver.layout(), "1g.5gb@0");
}

#[test]
fn refusals_in_use_are_waited_out_at_every_step() {
    for call in [
        "create_instance",
        "create_full_compute",
        "destroy_compute",
        "destroy_instance",
    ] {
        let driver = a100().refusing(call, 3, in_use);
        let mut gpu = gpu(&driver);
        let spec = spec(&gpu, "1g.5gb@6");
        let device = gpu.create(spec).unwrap();
        gpu.destroy(&device).unwrap();
        assert_eq!(driver.count(call), 4, "{call}");
        assert_eq!(driver.layout(), "empty");
    }
}

#[test]
fn a_step_that_fails_leaves_the_layout_as_it_was() {
    for call in ["create_instance", "create_full_compute", "mig_uuid"] {
        let driver = a100().with("2g.10gb@0").refusing(call, 1, broken);
        let error = create(&driver, "1g.5gb@6").unwrap_err();
        assert!(matches!(error, GpuError::Driver { .. }), "{error}");
        assert_eq!(driver.layout(), "2g.10gb@0", "{call}");
        assert_eq!(driver.state.borrow().compute, []);
    }
}

#[test]
fn a_gpu_that_stays_in_use_is_told_with_its_holder() {
    let own = std::process::id();
    let driver = a100()
        .used_by(own, Some(1))
        .refusing("create_full_compute", 99, in_use);
    let error = create(&driver, "1g.5gb@6").unwrap_err();
    assert_eq!(driver.count("create_full_compute") as u32, WAITS + 1);
    let said = error.to_string();
    assert!(said.starts_with("1g.5gb@6 could not be made, because the GPU stays in use: pid "));
    assert!(said.contains(&own.to_string()), "{said}");
    assert_eq!(error.exit_code().number(), 95);
    assert_eq!(driver.layout(), "empty");
}

#[test]
fn an_instance_that_stays_in_use_is_named_with_the_commands_that_remove_it() {
    let driver = a100().refusing("destroy_compute", 99, in_use);
    let mut gpu = gpu(&driver);
    let spec = spec(&gpu, "1g.5gb@6");
    let device = gpu.create(spec).unwrap();
    let error = gpu.destroy(&device).unwrap_err();
    assert_eq!(
        error.to_string(),
        "GPU instance 1 (1g.5gb@6) stays in use and could not be destroyed: no process is visible; another user's, or \
         a profiler, DCGM or persistence client, holds it"
    );
    assert_eq!(
        error.hint().unwrap(),
        "when they have gone, destroy it by hand: nvidia-smi mig -i GPU-a100-40gb -dci -gi 1; nvidia-smi mig -i \
         GPU-a100-40gb -dgi -gi 1"
    );
}

#[test]
fn what_cannot_be_taken_back_is_named_with_the_commands_that_remove_it() {
    let driver =
        a100()
            .refusing("create_full_compute", 1, broken)
            .refusing("destroy_instance", 1, broken);
    let error = create(&driver, "1g.5gb@6").unwrap_err();
    let said = error.to_string();
    assert!(
        said.starts_with("1g.5gb@6 could not be made (create_full_compute: scripted) nor taken back (destroy_instance"),
        "{said}"
    );
    assert!(said.ends_with("GPU instance 1 is left over"), "{said}");
    assert!(error.hint().unwrap().contains("-dgi -gi 1"));
}

#[test]
fn an_instance_that_somebody_else_made_in_the_place_of_ours_is_not_touched() {
    let driver = a100();
    let mut gpu = gpu(&driver);
    let spec = spec(&gpu, "1g.5gb@6");
    let device = gpu.create(spec).unwrap();
    {
        let mut state = driver.state.borrow_mut();
        state.there.clear();
        state.compute.clear();
    }
    let driver = driver.with("3g.20gb@4");
    gpu.destroy(&device).unwrap();
    assert_eq!(driver.layout(), "3g.20gb@4");
    assert_eq!(driver.count("destroy_instance"), 0);
}

#[test]
fn a_driver_that_does_not_let_us_look_is_told_as_that() {
    let driver = a100().refusing("remaining", 1, crate::gpu::scripted::no_permission);
    let error = gpu(&driver).check_permission().unwrap_err();
    assert_eq!(error.exit_code().number(), 94);
    let old = a100().refusing("remaining", 1, |call| GpuError::NoFunction { call });
    gpu(&old).check_permission().unwrap();
}
