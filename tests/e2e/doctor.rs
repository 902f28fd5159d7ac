//! `migfit doctor` on machines in several states: without a driver, on the virtual GPU, and with the virtual GPU's
//! driver in the place of the system's, whole, refusing and old.

use migfit_tests::migfit::migfit;
use migfit_tests::{OldDriver, Outcome, Sandbox, Stage, not_tried, old_driver, process};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILERS: [(&str, &str); 2] = [
    ("clang-19", "#!/bin/sh\necho 'clang version 19.1.0'\n"),
    (
        "nvcc",
        "#!/bin/sh\necho 'Cuda compilation tools, release 13.5, V13.5.1'\n",
    ),
];

/// `migfit doctor WORDS` on a machine with compilers of known versions.
fn doctor(place: &Sandbox, words: &[&str], variables: &[(&str, &str)]) -> Outcome {
    for (name, text) in COMPILERS {
        place.put(name, text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.path(name), mode).expect("its own file");
    }
    let mut command = migfit();
    process::clean(&mut command).arg("doctor").args(words);
    let path = format!("{}:/usr/bin:/bin", place.folder().display());
    command.env("PATH", path).envs(variables.iter().copied());
    process::output(command.current_dir(place.folder()))
}

/// With the virtual GPU's libraries of this folder in the place of the system's driver.
fn with_driver(
    libraries: &Path,
    place: &Sandbox,
    words: &[&str],
    more: &[(&str, &str)],
) -> Outcome {
    let state = place.path("gpu.state").display().to_string();
    let libraries = libraries.display().to_string();
    let mut variables = vec![
        ("LD_LIBRARY_PATH", libraries.as_str()),
        ("MIGFIT_VGPU", "a100-40gb"),
        ("MIGFIT_VGPU_STATE", state.as_str()),
    ];
    variables.extend(more);
    doctor(place, words, &variables)
}

/// Without what differs from machine to machine.
fn masked(text: &str, place: &Sandbox) -> String {
    let text = text
        .replace(&place.folder().display().to_string(), "PATH")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let words = text.split_inclusive([' ', '\n', '(', ')']);
    let mask = |word: &str| match word.strip_prefix("GPU-") {
        Some(rest) => format!(
            "GPU-UUID{}",
            rest.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '-')
        ),
        None => word.to_owned(),
    };
    words.map(mask).collect()
}

/// State of the finding of this name in doctor's JSON; none where there is no such finding.
fn state(outcome: &Outcome, id: &str) -> Option<String> {
    let json: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let all = json["findings"].as_array().expect("a list");
    let found = all.iter().find(|finding| finding["id"] == id)?;
    found["state"].as_str().map(str::to_owned)
}

fn is_driver_here() -> bool {
    let mut ldconfig = Command::new("/sbin/ldconfig");
    let known = ldconfig.arg("-p").output();
    known.is_ok_and(|known| String::from_utf8_lossy(&known.stdout).contains("libnvidia-ml"))
}

#[test]
fn on_the_virtual_gpu_all_is_well() {
    let place = Sandbox::new();
    let outcome = doctor(&place, &["--gpu", "virtual:a100-40gb"], &[]);
    assert_eq!(outcome.code, 0, "{outcome}");
    insta::assert_snapshot!(masked(&outcome.stdout, &place));
}

#[test]
fn on_a_machine_without_a_driver_what_needs_none_is_well() {
    if is_driver_here() {
        return not_tried("doctor without a driver", "this machine has one");
    }
    let place = Sandbox::new();
    let outcome = doctor(&place, &[], &[]);
    assert_eq!(outcome.code, 0, "{outcome}");
    insta::assert_snapshot!(masked(&outcome.stdout, &place));
    let asked_for = doctor(&place, &["--gpu", "0", "--json"], &[]);
    assert_eq!(asked_for.code, 99, "{asked_for}");
    assert_eq!(
        state(&asked_for, "driver.library").as_deref(),
        Some("broken")
    );
}

#[test]
fn a_driver_is_tried_without_touching_its_gpu() {
    let place = Sandbox::new();
    let libraries = Stage::ready().virtual_gpu();
    let outcome = with_driver(&libraries, &place, &[], &[]);
    assert_eq!(outcome.code, 0, "{outcome}");
    for way in ["link-time names", "dlsym", "cuGetProcAddress"] {
        let line = format!("hooks are found by {way} under this machine's driver");
        assert!(outcome.stdout.contains(&line), "{outcome}");
    }
    assert!(
        outcome
            .stdout
            .contains("MIG profiles as the driver tells them: 1g.5gb ")
    );
}

#[test]
fn what_is_broken_is_told_by_name_and_code() {
    let libraries = Stage::ready().virtual_gpu();
    for (faults, id, expected) in [
        ("admin=no-permission", "gpu.0.permission", "broken"),
        ("list=no-permission", "gpu.0.permission", "broken"),
        ("gpu=gpu-is-lost", "gpu.0", "broken"),
        ("start=version-mismatch", "driver.library", "broken"),
        ("start=driver-not-loaded", "driver.library", "broken"),
    ] {
        let place = Sandbox::new();
        let faults = [("MIGFIT_VGPU_FAULTS", faults)];
        let outcome = with_driver(&libraries, &place, &["--json"], &faults);
        assert_eq!(outcome.code, 99, "{outcome}");
        assert_eq!(state(&outcome, id).as_deref(), Some(expected), "{outcome}");
    }
    for (mode, expected) in [("off", "warn"), ("none", "not_here")] {
        let place = Sandbox::new();
        let mode = [("MIGFIT_VGPU_MIG", mode)];
        let outcome = with_driver(&libraries, &place, &["--json"], &mode);
        assert_eq!(outcome.code, 0, "{outcome}");
        assert_eq!(state(&outcome, "gpu.0.mig").as_deref(), Some(expected));
        let demanded = with_driver(&libraries, &place, &["--json", "--gpu", "mig:0"], &mode);
        assert_eq!(demanded.code, 99, "{demanded}");
    }
}

#[test]
fn a_self_test_that_cannot_run_is_broken() {
    let place = Sandbox::new();
    let faults = [("MIGFIT_VGPU_FAULTS", "create-gi=unknown")];
    let words = ["--json", "--gpu", "virtual:a100-40gb"];
    let outcome = doctor(&place, &words, &faults);
    assert_eq!(outcome.code, 99, "{outcome}");
    assert_eq!(state(&outcome, "preload").as_deref(), Some("broken"));
    let off = doctor(&place, &words, &[("MIGFIT", "off")]);
    assert_eq!(off.code, 0, "{off}");
    assert_eq!(state(&off, "install.switch").as_deref(), Some("warn"));
    assert_eq!(state(&off, "preload.record").as_deref(), Some("ok"));
}

#[test]
fn functions_that_a_driver_lacks_are_named_and_done_without_where_that_can_be() {
    let place = Sandbox::new();
    let lost = [
        "nvmlDeviceGetGpuInstanceProfileInfoV",
        "nvmlDeviceGetMemoryInfo_v2",
        "nvmlDeviceGetGpuInstanceRemainingCapacity",
    ];
    let old = OldDriver::without(&lost);
    let libraries = old.folder();
    let outcome = with_driver(libraries, &place, &["--json"], &[]);
    assert_eq!(outcome.code, 0, "{outcome}");
    for name in lost {
        let id = format!("driver.functions.{name}");
        assert_eq!(state(&outcome, &id).as_deref(), Some("warn"), "{outcome}");
    }
    let mut run = migfit();
    let words = ["run", "--gpu", "auto", "--out", "out", "-f", "jobs.toml"];
    place.put(
        "jobs.toml",
        "[[jobs]]\nname = 'a'\nmemory = '2 GiB'\ncommand = 'true'\n",
    );
    run.args(words).current_dir(place.folder());
    run.env("LD_LIBRARY_PATH", libraries);
    run.env("MIGFIT_VGPU", "a100-40gb");
    run.env("MIGFIT_VGPU_NAME", "NVIDIA Foreign 9000");
    run.env("MIGFIT_VGPU_STATE", place.path("foreign.state"));
    let outcome = process::output(&mut run).expect_success();
    assert!(outcome.stdout.contains("1g.5gb"), "{outcome}");
}

#[test]
fn a_function_that_slices_need_is_broken() {
    let place = Sandbox::new();
    let lost = "nvmlDeviceCreateGpuInstanceWithPlacement";
    let old = OldDriver::without(&[lost]);
    let outcome = with_driver(old.folder(), &place, &["--json"], &[]);
    assert_eq!(outcome.code, 99, "{outcome}");
    let id = format!("driver.functions.{lost}");
    assert_eq!(state(&outcome, &id).as_deref(), Some("broken"));
}

/// An installation whose preloaded library exports one name less.
fn without_hook(place: &Sandbox, name: &str) -> PathBuf {
    let prefix = place.path(&format!("without-{name}"));
    let stage = Stage::ready();
    for program in ["migfit", "migfit-cc", "migfit-analyze"] {
        let to = prefix.join("bin").join(program);
        std::fs::create_dir_all(prefix.join("bin")).expect("room");
        std::fs::copy(stage.program(program), to).expect("staged");
    }
    let lib = prefix.join("lib/migfit");
    std::fs::create_dir_all(&lib).expect("room");
    std::os::unix::fs::symlink(stage.virtual_gpu(), lib.join("vgpu")).expect("room");
    let mut runtime = std::fs::read(stage.runtime()).expect("staged");
    old_driver::rename(&mut runtime, name);
    std::fs::write(lib.join("libmigfit_runtime.so"), runtime).expect("room");
    prefix.join("bin/migfit")
}

#[test]
fn hooks_that_are_not_found_are_told_by_the_way_that_misses_them() {
    let place = Sandbox::new();
    let mut command = Command::new(without_hook(&place, "dlsym"));
    process::clean(&mut command).args(["doctor", "--json", "--gpu", "virtual:a100-40gb"]);
    let outcome = process::output(&mut command);
    assert_eq!(outcome.code, 99, "{outcome}");
    for (id, expected) in [
        ("preload.linked", "ok"),
        ("preload.dlsym", "broken"),
        ("preload.get-proc-address", "broken"),
        ("preload.record", "broken"),
    ] {
        assert_eq!(state(&outcome, id).as_deref(), Some(expected), "{outcome}");
    }
}
