//! What can be set of a virtual GPU: kept in its state file, for every process.

use super::error::StateError;
use super::gpu::VirtualGpu;
use crate::context::Context;
use crate::settings::{MigSetting, Settings};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const MODEL: &str = "a100-40gb";
const G1: u32 = 19;

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    (folder, path)
}

fn with_mig(mig: MigSetting) -> Settings {
    Settings {
        mig: Some(mig),
        ..Settings::of_model(MODEL)
    }
}

#[test]
fn a_name_that_was_set_stays_and_is_in_the_names_of_slices() {
    let (_folder, path) = place();
    let named = Settings {
        board: Some("NVIDIA A100".to_owned()),
        ..Settings::of_model(MODEL)
    };
    VirtualGpu::open(&path, Some(MODEL)).unwrap();
    let first = VirtualGpu::set_up(&path, &named).unwrap();
    assert_eq!(first.model().board, "NVIDIA A100");
    let second = VirtualGpu::open(&path, None).unwrap();
    let owner = second.create_gpu_instance(G1, None).unwrap().id;
    second.create_compute_instance(owner, 0, None).unwrap();
    let slices = second.slices().unwrap();
    assert_eq!(slices[0].name, "NVIDIA A100 MIG 1g.5gb");
    assert_eq!(second.uuid(), first.uuid());
}

#[test]
fn mig_mode_can_be_off_at_first_and_its_setting_is_of_new_files_only() {
    let (_folder, path) = place();
    let gpu = VirtualGpu::set_up(&path, &with_mig(MigSetting::Off)).unwrap();
    let answer = gpu.create_gpu_instance(G1, None);
    assert!(matches!(answer, Err(StateError::MigOff)));
    assert!(matches!(
        gpu.set_mig_mode(true),
        Err(StateError::ResetRequired)
    ));
    gpu.reset().unwrap();
    let again = VirtualGpu::set_up(&path, &with_mig(MigSetting::Off)).unwrap();
    again.create_gpu_instance(G1, None).unwrap();
}

#[test]
fn a_board_without_mig_is_one_whole_slice_for_every_process() {
    let (_folder, path) = place();
    VirtualGpu::set_up(&path, &with_mig(MigSetting::Absent)).unwrap();
    let gpu = VirtualGpu::open(&path, Some(MODEL)).unwrap();
    assert!(!gpu.model().has_mig());
    assert!(matches!(gpu.set_mig_mode(true), Err(StateError::MigOff)));
    let slices = gpu.slices().unwrap();
    assert_eq!(
        (slices.len(), slices[0].sms, slices[0].instance),
        (1, 108, None)
    );
    Context::new(Arc::new(gpu), slices[0].clone()).unwrap();
}

#[test]
fn mig_and_none_of_it_do_not_become_each_other() {
    for (made, wanted, part) in [
        (
            MigSetting::On,
            MigSetting::Absent,
            "MIGFIT_VGPU_MIG=none is not usable",
        ),
        (
            MigSetting::Absent,
            MigSetting::On,
            "MIGFIT_VGPU_MIG=on is not usable",
        ),
        (
            MigSetting::Absent,
            MigSetting::Off,
            "without MIG; name another file",
        ),
    ] {
        let (_folder, path) = place();
        VirtualGpu::set_up(&path, &with_mig(made)).unwrap();
        let error = VirtualGpu::set_up(&path, &with_mig(wanted)).err().unwrap();
        assert!(error.to_string().contains(part), "{error}");
    }
}

/// Attempts to destroy the compute instance and then the GPU instance until each is gone, after a process on them.
fn attempts(delay: Option<u64>) -> (u32, u32) {
    let (_folder, path) = place();
    let settings = Settings {
        delay,
        ..Settings::of_model(MODEL)
    };
    let gpu = Arc::new(VirtualGpu::set_up(&path, &settings).unwrap());
    let owner = gpu.create_gpu_instance(G1, None).unwrap().id;
    gpu.create_compute_instance(owner, 0, None).unwrap();
    let slice = gpu.slices().unwrap().remove(0);
    drop(Context::new(Arc::clone(&gpu), slice).unwrap());
    let count =
        |attempt: &dyn Fn() -> Result<(), StateError>| (1..).find(|_| attempt().is_ok()).unwrap();
    let compute = count(&|| gpu.destroy_compute_instance(owner, 0));
    (compute, count(&|| gpu.destroy_gpu_instance(owner)))
}

#[test]
fn the_moment_after_a_process_is_as_long_as_it_is_set() {
    assert_eq!(attempts(None), (2, 2), "short, but there");
    assert_eq!(attempts(Some(0)), (1, 1));
    assert_eq!(attempts(Some(5)), (6, 6));
}

#[test]
fn an_instance_made_anew_does_not_linger_and_another_is_not_meant() {
    let (_folder, path) = place();
    let gpu = Arc::new(VirtualGpu::open(&path, Some(MODEL)).unwrap());
    for _ in 0..2 {
        let owner = gpu.create_gpu_instance(G1, None).unwrap().id;
        gpu.create_compute_instance(owner, 0, None).unwrap();
    }
    let used = gpu.slices().unwrap().remove(0);
    let (owner, _) = used.instance.unwrap();
    drop(Context::new(Arc::clone(&gpu), used).unwrap());
    let others = gpu.snapshot().unwrap().gpu_instances;
    let other = others.iter().find(|other| other.id != owner).unwrap().id;
    gpu.destroy_compute_instance(other, 0).unwrap();
    gpu.destroy_gpu_instance(other).unwrap();
    for _ in 0..2 {
        let _ = gpu.destroy_compute_instance(owner, 0);
    }
    gpu.create_compute_instance(owner, 0, None).unwrap();
    gpu.destroy_compute_instance(owner, 0).unwrap();
}

#[test]
fn a_reset_ends_with_empty_tables_and_waits_for_no_process() {
    let (_folder, path) = place();
    let gpu = Arc::new(VirtualGpu::open(&path, Some(MODEL)).unwrap());
    let owner = gpu.create_gpu_instance(G1, None).unwrap().id;
    gpu.create_compute_instance(owner, 0, None).unwrap();
    let slice = gpu.slices().unwrap().remove(0);
    let context = Context::new(Arc::clone(&gpu), slice).unwrap();
    assert!(matches!(gpu.reset(), Err(StateError::InUse(_))));
    drop(context);
    gpu.reset().unwrap();
    assert_eq!(gpu.snapshot().unwrap().gpu_instances, []);
    assert_eq!(gpu.slices().unwrap(), []);
}

#[test]
fn a_board_with_swapped_halves_keeps_them() {
    let (_folder, path) = place();
    let settings = Settings {
        swapped: Some(true),
        ..Settings::of_model(MODEL)
    };
    let ids = |gpu: &VirtualGpu| {
        let made = [9, 9].map(|profile| gpu.create_gpu_instance(profile, None).unwrap());
        made.map(|instance| (instance.id, instance.placement.start))
    };
    let gpu = VirtualGpu::set_up(&path, &settings).unwrap();
    assert_eq!(ids(&gpu), [(1, 4), (2, 0)]);
    gpu.reset().unwrap();
    let again = VirtualGpu::open(&path, None).unwrap();
    assert_eq!(ids(&again), [(1, 4), (2, 0)]);
    let (_folder, path) = place();
    let plain = VirtualGpu::open(&path, Some(MODEL)).unwrap();
    assert_eq!(ids(&plain), [(2, 4), (1, 0)]);
}
