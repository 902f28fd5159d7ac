//! What is said of GPUs in every state, over a driver with scripted answers.

use super::*;
use crate::gpu::scripted::{Rack, Scripted, no_permission};

fn a100() -> Scripted {
    Scripted::of("a100-40gb")
}

/// `state id: what` of each finding about these GPUs.
fn said(gpus: Vec<Scripted>, demanded: bool) -> Vec<String> {
    let proc = tempfile::tempdir().unwrap();
    let wish = Wish {
        which: Which::Auto,
        slices_demanded: demanded,
    };
    let system = System {
        proc: proc.path(),
        display_driver: true,
    };
    let found = super::gpus(&Rack(gpus), Some(&wish), system);
    for finding in &found {
        assert_eq!(
            finding.mend.is_none(),
            finding.state == State::Ok,
            "{finding:?}"
        );
    }
    let line = |f: &Finding| format!("{} {}: {}", f.state, f.id, f.what);
    found.iter().map(line).collect()
}

#[test]
fn a_gpu_that_is_ready_is_all_ok() {
    assert_eq!(
        said(vec![a100()], true),
        [
            "ok gpu.0: NVIDIA A100-SXM4-40GB (GPU-a100-40gb)",
            "ok gpu.0.mig: MIG mode is on",
            "ok gpu.0.holders: no process that this user can see holds this GPU",
            "ok gpu.0.slices: MIG profiles as the driver tells them: 1g.5gb 1g.5gb+me 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb",
            "ok gpu.0.permission: this user may cut and destroy slices",
            "ok gpu.0.places: no GPU instance is there: every place is free",
            "ok gpu.auto: migfit run --gpu mig:auto takes NVIDIA A100-SXM4-40GB (GPU-a100-40gb)",
        ]
    );
}

#[test]
fn every_mig_mode_has_its_state() {
    for (mode, demanded, expected) in [
        (
            MigMode::Off,
            false,
            "warn gpu.0.mig: MIG mode is off, and can be had after a reset",
        ),
        (MigMode::Off, true, "broken gpu.0.mig: MIG mode is off"),
        (
            MigMode::TurningOn,
            false,
            "warn gpu.0.mig: MIG mode is off now and on after",
        ),
        (
            MigMode::TurningOff,
            false,
            "broken gpu.0.mig: MIG mode is on now and off after",
        ),
        (
            MigMode::Absent,
            false,
            "not here gpu.0.mig: this GPU has no MIG",
        ),
        (
            MigMode::Absent,
            true,
            "broken gpu.0.mig: this GPU has no MIG",
        ),
    ] {
        let said = said(vec![a100().mode(mode)], demanded);
        assert!(said[1].starts_with(expected), "{}", said[1]);
    }
    let hopper = said(
        vec![Scripted::of("h100-80gb-sxm").mode(MigMode::Off)],
        false,
    );
    assert!(
        hopper[1].contains("off, and can be had: jobs"),
        "{}",
        hopper[1]
    );
}

#[test]
fn refusals_and_others_are_told() {
    for (gpu, expected) in [
        (
            a100().refusing("remaining", 9, no_permission),
            &[
                "broken gpu.0.permission: this user may not",
                "broken gpu.auto: ",
            ][..],
        ),
        (
            a100().refusing("profiles", 9, no_permission),
            &["broken gpu.0.permission: this user may not"],
        ),
        (
            a100().refusing("board", 9, |call| GpuError::Lost { call }),
            &["broken gpu.0: board: the GPU is lost", "broken gpu.auto: "],
        ),
        (
            a100().with("3g.20gb@4").used_by(7, None),
            &[
                "warn gpu.0.holders: held by pid 7",
                "warn gpu.0.places: GPU instances are there that migfit leaves alone: 3g.20gb@4; places are left",
                "ok gpu.auto: ",
            ],
        ),
        (
            a100().with("7g.40gb@0"),
            &[
                "warn gpu.0.places: GPU instances are there that migfit leaves alone: 7g.40gb@0; no place is left",
                "warn gpu.auto: ",
            ],
        ),
    ] {
        let said = said(vec![gpu], false);
        for expected in expected {
            let is_there = said.iter().any(|one| one.starts_with(expected));
            assert!(is_there, "no '{expected}' in {said:#?}");
        }
    }
    assert!(said(Vec::new(), false)[0].starts_with("broken gpu: the driver lists no GPU"));
}

#[test]
fn instances_of_others_are_taken_away_one_by_one() {
    let proc = tempfile::tempdir().unwrap();
    let system = System {
        proc: proc.path(),
        display_driver: false,
    };
    let there = Rack(vec![a100().with("3g.20gb@4").with("1g.5gb@0")]);
    let found = super::gpus(&there, None, system);
    let places = found.iter().find(|f| f.id == "gpu.0.places").unwrap();
    let mend = places.mend.as_deref().unwrap();
    assert_eq!(mend.matches("nvidia-smi").count(), 4, "{mend}");
    for command in mend.split("; ") {
        assert!(command.contains(" -gi "), "{command}");
    }
}

#[test]
fn the_files_that_open_the_rights_are_named() {
    let proc = tempfile::tempdir().unwrap();
    assert!(rights(proc.path()).contains("NVIDIA_MIG_CONFIG_DEVICES=all"));
    let folder = proc.path().join("driver/nvidia/capabilities/mig");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config"), "DeviceFileMinor: 1\n").unwrap();
    std::fs::write(folder.join("monitor"), "DeviceFileMinor: 2\n").unwrap();
    assert_eq!(
        rights(proc.path()),
        "run as root, or as root: setfacl -m u:USER:r /dev/nvidia-caps/nvidia-cap1 /dev/nvidia-caps/nvidia-cap2"
    );
}
