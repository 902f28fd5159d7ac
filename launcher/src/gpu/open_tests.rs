//! Which GPU is taken, and what is said of those that are not, on machines with several.

use super::*;
use crate::failure::Explain;
use crate::gpu::scripted::{Rack, Scripted, no_permission};

fn a100() -> Scripted {
    Scripted::of("a100-40gb")
}

fn auto(gpus: Vec<Scripted>, slices_demanded: bool) -> Result<Opened, GpuError> {
    let wish = Wish {
        which: Which::Auto,
        slices_demanded,
    };
    open(&Rack(gpus), &wish)
}

fn by_index(gpu: Scripted, slices_demanded: bool) -> Result<Opened, GpuError> {
    let wish = Wish {
        which: Which::Index(0),
        slices_demanded,
    };
    open(&Rack(vec![gpu]), &wish)
}

/// The error of something that must fail.
fn refusal(answer: Result<Opened, GpuError>) -> GpuError {
    match answer {
        Ok(opened) => panic!("opened: {:?}", opened.notes),
        Err(error) => error,
    }
}

#[test]
fn auto_takes_the_first_that_can_be_cut_and_says_why_not_the_others() {
    let gpus = vec![
        a100().mode(MigMode::Off),
        a100().refusing("remaining", 9, no_permission),
        a100().with("7g.40gb@0"),
        a100().refusing("by_index", 9, |call| GpuError::Lost { call }),
        a100().mode(MigMode::TurningOff),
        Scripted::of("a30-24gb").with("1g.6gb@0"),
        a100(),
    ];
    let opened = auto(gpus, false).unwrap();
    assert_eq!(opened.gpu.facts().uuid, "GPU-a30-24gb");
    assert_eq!(opened.notes[0], "auto: GPU 5 of 7");
    let expected = [
        "passed over GPU 0: NVIDIA A100-SXM4-40GB has its MIG mode off",
        "passed over GPU 1: remaining: no permission",
        "passed over GPU 2: no place is left on NVIDIA A100-SXM4-40GB: others made 7g.40gb@0",
        "passed over GPU 3: by_index: the GPU is lost",
        "passed over GPU 4: the MIG mode of NVIDIA A100-SXM4-40GB is about to change: on now, off after",
    ];
    assert_eq!(opened.notes.len(), 1 + expected.len());
    for (note, expected) in opened.notes[1..].iter().zip(expected) {
        assert!(note.starts_with(expected), "{note}");
    }
}

#[test]
fn auto_takes_a_whole_gpu_where_none_can_be_cut_unless_slices_are_demanded() {
    let gpus = || {
        vec![
            a100().mode(MigMode::Off).used_by(1, None),
            a100().with("7g.40gb@0"),
            Scripted::of("a30-24gb").mode(MigMode::Absent),
        ]
    };
    let opened = auto(gpus(), false).unwrap();
    assert!(opened.gpu.facts().is_undivided);
    assert_eq!(opened.notes[0], "auto: GPU 2 of 3");
    assert!(
        opened.notes[1]
            .contains("GPU 0: others use NVIDIA A100-SXM4-40GB, which is not divided: pid 1 (")
    );
    assert_eq!(
        opened.notes.last().unwrap(),
        "this GPU has no MIG: the GPU is one slice"
    );
    let error = refusal(auto(gpus(), true));
    assert_eq!(error.to_string(), "none of the 3 GPUs can be used");
    assert_eq!(error.exit_code().number(), 93, "that of the first");
    assert_eq!(error.place().unwrap().lines().count(), 3);
}

#[test]
fn auto_with_one_gpu_has_that_gpu_s_own_error() {
    let error = refusal(auto(vec![a100().with("7g.40gb@0")], false));
    assert!(matches!(error, GpuError::Full { .. }), "{error}");
    let none = refusal(auto(Vec::new(), false));
    assert_eq!(none.exit_code().number(), 92);
}

#[test]
fn a_gpu_by_number_is_taken_as_its_mode_is() {
    let divided = by_index(a100(), true).unwrap();
    assert!(!divided.gpu.facts().is_undivided && divided.notes.is_empty());
    for (mode, note) in [
        (MigMode::Off, "MIG is off: the GPU is one slice"),
        (MigMode::Absent, "this GPU has no MIG: the GPU is one slice"),
        (
            MigMode::TurningOn,
            "MIG is off until this GPU is reset: the GPU is one slice",
        ),
    ] {
        let opened = by_index(a100().mode(mode), false).unwrap();
        assert_eq!(opened.notes, [note]);
        let error = refusal(by_index(a100().mode(mode), true));
        assert_eq!(error.exit_code().number(), 93, "{error}");
        assert!(error.hint().unwrap().contains("mi"), "{error}");
    }
    let error = refusal(by_index(a100().mode(MigMode::TurningOff), false));
    assert!(error.hint().unwrap().contains("--gpu-reset"));
}

#[test]
fn a_whole_gpu_is_taken_and_left_without_a_single_change() {
    let driver = a100().mode(MigMode::Off);
    let mut opened = by_index(driver.clone(), false).unwrap();
    let placed = Layout::parse(opened.gpu.model(), "whole-gpu@0").unwrap();
    let spec = crate::gpu::MigDeviceSpec(placed.placed()[0]);
    let device = opened.gpu.create(spec).unwrap();
    assert_eq!(device.uuid, "GPU-a100-40gb");
    opened.gpu.destroy(&device).unwrap();
    for change in ["create_instance", "create_full_compute", "destroy_instance"] {
        assert_eq!(driver.count(change), 0);
    }
}

#[test]
fn a_used_whole_gpu_by_number_is_taken_and_said_to_be_shared() {
    let opened = by_index(a100().mode(MigMode::Off).used_by(7, None), false).unwrap();
    assert!(opened.notes[1].contains("others ran on this GPU"));
}

#[test]
fn wishes_print_as_they_are_given() {
    for (wish, text) in [
        (Which::Auto, "auto"),
        (Which::Index(3), "3"),
        (Which::Uuid("GPU-1".to_owned()), "GPU-1"),
    ] {
        let wish = |slices_demanded| Wish {
            which: wish.clone(),
            slices_demanded,
        };
        assert_eq!(wish(false).to_string(), text);
        assert_eq!(wish(true).to_string(), format!("mig:{text}"));
    }
}
