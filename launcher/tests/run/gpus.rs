//! The GPU of a run: by selector, with and without MIG, under foreign names and old drivers, and drivers that refuse.
//! The virtual GPU stands in the place of the system's driver (LD_LIBRARY_PATH), so that `--gpu 0` finds it as it
//! would find a real one.

use crate::fixture::{Outcome, Place, installed, outcome};
use migfit_vgpu_device::VirtualGpu;
use std::process::Command;

const STATE: &str = "gpu.state";
const SMALL: &str = "[[jobs]]\nname = 'small'\nmemory = '2 GiB'\ncommand = ['sh', '-c', 'echo $CUDA_VISIBLE_DEVICES']\n";

/// `migfit run` of a small job on this GPU of a machine whose driver is the virtual GPU's, with these variables.
fn run_on(place: &Place, selector: &str, variables: &[(&str, &str)]) -> Outcome {
    place.put("jobs.toml", SMALL);
    let words = ["run", "-f", "jobs.toml", "--gpu", selector, "--out", "out"];
    let mut command = place.command(&words);
    outcome(with_driver(&mut command, variables))
}

fn with_driver<'c>(command: &'c mut Command, variables: &[(&str, &str)]) -> &'c mut Command {
    command
        .env("LD_LIBRARY_PATH", installed().join("lib/migfit/vgpu"))
        .env("MIGFIT_VGPU", "a100-40gb")
        .env("MIGFIT_VGPU_STATE", STATE)
        .envs(variables.iter().copied())
}

fn refused(outcome: &Outcome, code: i32, parts: &[&str]) {
    assert_eq!(outcome.code, code, "{}", outcome.stderr);
    for part in parts {
        assert!(
            outcome.stderr.contains(part),
            "no '{part}' in: {}",
            outcome.stderr
        );
    }
    assert!(outcome.stderr.contains("hint: "), "{}", outcome.stderr);
}

fn ran(outcome: &Outcome) {
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

fn notes(place: &Place) -> String {
    place.report()["notes"].to_string()
}

#[test]
fn every_selector_finds_the_same_gpu() {
    let place = Place::new();
    ran(&run_on(&place, "auto", &[]));
    let report = place.report();
    assert_eq!(report["gpu"]["selector"], "auto");
    assert!(notes(&place).contains("auto: GPU 0 of 1"), "{report}");
    let uuid = report["gpu"]["uuid"].as_str().unwrap().to_owned();
    for selector in ["0", &uuid, "mig:0", &format!("mig:{uuid}"), "mig:auto"] {
        ran(&run_on(&place, selector, &[]));
        assert_eq!(place.report()["gpu"]["uuid"], uuid.as_str());
        assert_eq!(place.job("small")["mig_profile"], "1g.5gb");
        assert!(place.layout(STATE).is_empty());
    }
    refused(&run_on(&place, "1", &[]), 92, &["there is no GPU 1"]);
    refused(
        &run_on(&place, "GPU-1", &[]),
        92,
        &["there is no GPU GPU-1"],
    );
    assert_eq!(
        place.report()["gpu"]["is_virtual"],
        true,
        "by whichever way it is opened"
    );
}

#[test]
fn auto_passes_over_what_cannot_be_used_and_says_so() {
    let place = Place::new();
    let machine = [("MIGFIT_VGPU", "a100-40gb,a30-24gb,a100-40gb")];
    ran(&run_on(&place, "2", &machine));
    let last = place.report()["gpu"]["uuid"].clone();
    let first = VirtualGpu::open(&place.path(STATE), None).unwrap();
    first.create_gpu_instance(0, None).unwrap();
    assert!(first.set_mig_mode(false).is_err(), "it is used");
    let second = VirtualGpu::open(&place.path("gpu.state.1"), None).unwrap();
    assert!(
        second.set_mig_mode(false).is_err(),
        "an A30 waits for a reset"
    );
    ran(&run_on(&place, "auto", &machine));
    let report = place.report();
    assert_eq!(report["gpu"]["uuid"], last);
    for note in [
        "auto: GPU 2 of 3",
        "passed over GPU 0: ",
        "passed over GPU 1: the MIG mode of NVIDIA A30 is about to change",
    ] {
        assert!(notes(&place).contains(note), "{report}");
    }
    assert_eq!(place.layout(STATE), ["7g.40gb@0"], "what others made stays");
}

#[test]
fn a_gpu_that_is_not_divided_is_one_slice() {
    for (mode, note) in [
        ("off", "MIG is off: the GPU is one slice"),
        ("none", "this GPU has no MIG: the GPU is one slice"),
    ] {
        let place = Place::new();
        let variables = [("MIGFIT_VGPU_MIG", mode)];
        ran(&run_on(&place, "0", &variables));
        let report = place.report();
        assert!(notes(&place).contains(note), "{report}");
        assert_eq!(report["batch"]["baseline"], "unpartitioned");
        assert_eq!(place.job("small")["mig_profile"], "whole-gpu");
        let uuid = report["gpu"]["uuid"].as_str().unwrap();
        assert_eq!(place.read("out/jobs/small/stdout").trim(), uuid);
        ran(&run_on(&place, "auto", &variables));
        assert!(notes(&place).contains(note));
        for demanding in ["mig:0", "mig:auto"] {
            refused(
                &run_on(&place, demanding, &variables),
                93,
                &["NVIDIA A100-SXM4-40GB has "],
            );
        }
        let gpu = VirtualGpu::open(&place.path(STATE), None).unwrap();
        assert!(
            !gpu.snapshot().unwrap().mig_mode,
            "the mode is left as it is"
        );
    }
}

#[test]
fn jobs_of_an_undivided_gpu_run_one_at_a_time_and_must_fit_its_memory() {
    let place = Place::new();
    let job = "[[jobs]]\nname = 'NAME'\nmemory = '1 GiB'\ncommand = ['sh', '-c', 'mkdir alone && rmdir alone']\n";
    place.put(
        "jobs.toml",
        &(job.replace("NAME", "a") + &job.replace("NAME", "b")),
    );
    let words = [
        "run",
        "-f",
        "jobs.toml",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
    ];
    ran(&outcome(
        place.command(&words).env("MIGFIT_VGPU_MIG", "off"),
    ));
    place.put("jobs.toml", &job.replace("1 GiB", "40 GiB"));
    let large = outcome(place.command(&words).env("MIGFIT_VGPU_MIG", "off"));
    refused(&large, 90, &["the largest slice whole-gpu has 40960 MiB"]);
}

#[test]
fn a_mode_that_is_about_to_change_is_told() {
    let place = Place::new();
    let gpu = VirtualGpu::open(&place.path(STATE), Some("a100-40gb")).unwrap();
    assert!(
        gpu.set_mig_mode(false).is_err(),
        "an A100 waits for a reset"
    );
    let parts = [
        "is about to change: on now, off after the next reset",
        "--gpu-reset",
    ];
    refused(&run_on(&place, "0", &[]), 93, &parts);
    let off = Place::new();
    ran(&run_on(&off, "0", &[("MIGFIT_VGPU_MIG", "off")]));
    let gpu = VirtualGpu::open(&off.path(STATE), None).unwrap();
    assert!(gpu.set_mig_mode(true).is_err(), "an A100 waits for a reset");
    ran(&run_on(&off, "0", &[]));
    assert!(notes(&off).contains("MIG is off until this GPU is reset"));
    refused(
        &run_on(&off, "mig:0", &[]),
        93,
        &["off now, on after the next reset"],
    );
}

#[test]
fn a_foreign_board_under_an_old_driver_is_divided_by_what_the_driver_tells() {
    let place = Place::new();
    let variables = [
        ("MIGFIT_VGPU_NAME", "NVIDIA Foreign 9000"),
        (
            "MIGFIT_VGPU_FAULTS",
            "nvmlDeviceGetGpuInstanceProfileInfoV=function-not-found; nvmlDeviceGetMemoryInfo_v2=function-not-found; \
             nvmlDeviceGetGpuInstanceRemainingCapacity=function-not-found",
        ),
    ];
    ran(&run_on(&place, "auto", &variables));
    assert_eq!(place.report()["gpu"]["name"], "NVIDIA Foreign 9000");
    assert_eq!(place.job("small")["mig_profile"], "1g.5gb");
    assert!(place.layout(STATE).is_empty());
}

#[test]
fn drivers_that_do_not_start_or_fail() {
    for (fault, code, part) in [
        (
            "start=driver-not-loaded",
            92,
            "the NVIDIA kernel driver is not loaded",
        ),
        (
            "start=version-mismatch",
            96,
            "are of two versions\n  kernel driver: ",
        ),
        ("start=timeout", 96, "nvmlInit_v2: "),
        ("gpu=gpu-is-lost", 96, "the GPU is lost"),
        ("gpu=reset-required", 96, "the GPU must be reset"),
        (
            "admin=no-permission",
            94,
            "no permission to look at or change",
        ),
        (
            "create-gi=no-permission",
            94,
            "nvmlDeviceCreateGpuInstanceWithPlacement: no permission",
        ),
        ("create-gi=not-supported", 96, "not supported on this GPU"),
        (
            "nvmlGpuInstanceGetInfo=unknown",
            96,
            "nvmlGpuInstanceGetInfo: internal driver error",
        ),
        (
            "create-ci=insufficient-resources",
            95,
            "the place is occupied",
        ),
        ("create-ci=gpu-is-lost", 96, "the GPU is lost"),
        (
            "nvmlComputeInstanceGetInfo_v2=unknown",
            96,
            "internal driver error",
        ),
        (
            "nvmlDeviceGetMigDeviceHandleByIndex=unknown",
            96,
            "internal driver error",
        ),
    ] {
        let place = Place::new();
        let answer = run_on(&place, "0", &[("MIGFIT_VGPU_FAULTS", fault)]);
        refused(&answer, code, &[part]);
        if place.path(STATE).exists() {
            assert!(place.layout(STATE).is_empty(), "{fault}");
        }
    }
}

#[test]
fn a_library_that_cannot_be_loaded_is_named_with_where_it_was_looked_for() {
    let place = Place::new();
    std::fs::create_dir(place.path("lib")).unwrap();
    place.put("lib/libnvidia-ml.so.1", "no library");
    let mut command = place.command(&["run", "--gpu", "0", "true"]);
    command.env("LD_LIBRARY_PATH", place.path("lib"));
    let parts = [
        "cannot load the NVIDIA management library libnvidia-ml.so.1: ",
        "looked for in LD_LIBRARY_PATH (",
        "library package again",
    ];
    refused(&outcome(&mut command), 92, &parts);
}

#[test]
fn what_is_in_use_for_a_moment_is_waited_for() {
    for fault in [
        "create-gi=in-use*3",
        "create-ci=in-use*3",
        "destroy-ci=in-use*3",
        "destroy-gi=in-use*3",
    ] {
        let place = Place::new();
        ran(&run_on(&place, "0", &[("MIGFIT_VGPU_FAULTS", fault)]));
        assert!(place.layout(STATE).is_empty(), "{fault}");
    }
}

#[test]
fn what_could_not_be_taken_back_is_named_with_the_commands_for_it() {
    let place = Place::new();
    let fault = "create-ci=unknown; destroy-gi=unknown";
    let answer = run_on(&place, "0", &[("MIGFIT_VGPU_FAULTS", fault)]);
    let parts = [
        "1g.5gb@6 could not be made (nvmlGpuInstanceCreateComputeInstance: internal driver error",
        "is left over",
        "hint: destroy it by hand: nvidia-smi mig -i GPU-",
        " -dgi -gi ",
    ];
    refused(&answer, 96, &parts);
    assert_eq!(place.layout(STATE), ["1g.5gb@6"]);
}
