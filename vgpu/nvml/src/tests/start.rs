//! Starts on state files that are none: the start fails, stderr says once why, and the file is left alone. Each is
//! tried in a process of its own, since the environment names the file.

use crate::exports::system::nvmlInit_v2;
use std::path::Path;
use std::process::{Command, Output};

const DRIVER_NOT_LOADED: u32 = 9;
const OPERATING_SYSTEM: u32 = 17;
const CHILD: &str = "tests::start::starts_as_the_environment_says";

/// Not a test by itself: what the child processes do.
#[test]
#[ignore = "the tests below run it, each in a process of its own"]
fn starts_as_the_environment_says() {
    let wanted = std::env::var("WANTED").unwrap().parse().unwrap();
    for _ in 0..3 {
        assert_eq!(nvmlInit_v2(), wanted);
    }
}

fn start(state: &Path, wanted: u32) -> Output {
    start_with(state, wanted, &[])
}

fn start_with(state: &Path, wanted: u32, variables: &[(&str, &str)]) -> Output {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", CHILD, "--ignored", "--nocapture"]);
    child.env("MIGFIT_VGPU", "a100-40gb");
    child.env("MIGFIT_VGPU_STATE", state);
    child.envs(variables.iter().copied());
    child.env("WANTED", wanted.to_string()).output().unwrap()
}

/// Starts three times on a state file that is none; stderr's only line.
fn refusal(state: &Path, wanted: u32) -> String {
    only_line(&start(state, wanted))
}

fn only_line(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.success(), "{said}");
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said.len(), 1, "{said:?}");
    said[0].to_owned()
}

#[test]
fn a_new_file_in_a_folder_that_is_there_starts_silently() {
    let folder = tempfile::tempdir().unwrap();
    let output = start(&folder.path().join("gpu.state"), 0);
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_none_of_ours_is_told_once_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("notes.txt");
    for (text, reason) in [
        ("", "it has only 0 bytes"),
        ("milk, bread, eggs and some butter", "another kind of file"),
    ] {
        std::fs::write(&state, text).unwrap();
        let said = refusal(&state, DRIVER_NOT_LOADED);
        assert!(
            said.contains("notes.txt") && said.contains(reason),
            "{said}"
        );
        assert!(
            said.contains("name another file in MIGFIT_VGPU_STATE"),
            "{said}"
        );
        assert_eq!(std::fs::read_to_string(&state).unwrap(), text);
    }
    for odd in [folder.path(), Path::new("/dev/null")] {
        assert!(refusal(odd, DRIVER_NOT_LOADED).contains("it is no regular file"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_missing_folder_is_told_once_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(&folder.path().join("none/gpu.state"), OPERATING_SYSTEM);
    assert!(said.contains("there is no folder"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_setting_that_is_none_is_told_once_and_makes_no_state_file() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("gpu.state");
    for (variable, value, part) in [
        (
            "MIGFIT_VGPU_FAULTS",
            "create-gi=busy",
            "`busy` is no answer",
        ),
        (
            "MIGFIT_VGPU_FAULTS",
            "nvmlMakeCoffee=in-use",
            "NVML has no function of this name",
        ),
        ("MIGFIT_VGPU_DELAY", "soon", "a number of attempts"),
        ("MIGFIT_VGPU_MIG", "maybe", "it is on, off or none"),
        ("MIGFIT_VGPU_NAME", " A100", "blanks"),
        ("MIGFIT_VGPU_HALVES", "half", "plain or swapped"),
        (
            "MIGFIT_VGPU",
            &"a30-24gb,".repeat(17),
            "18 GPUs, more than 16",
        ),
    ] {
        let said = only_line(&start_with(&state, DRIVER_NOT_LOADED, &[(variable, value)]));
        assert!(said.contains(variable) && said.contains(part), "{said}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_start_can_be_made_to_fail() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("gpu.state");
    let faults = ("MIGFIT_VGPU_FAULTS", "start=no-permission");
    assert!(start_with(&state, 4, &[faults]).status.success());
}
