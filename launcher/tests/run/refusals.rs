//! What is refused before anything starts, with its exit code and hint.

use crate::fixture::{Outcome, Place, installed, outcome};
use migfit_vgpu_device::{Placement, VirtualGpu};
use std::process::{Command, Stdio};

const TOUCH: &str = "[[jobs]]\nname = 'touch'\ncommand = ['touch', 'touched']\n";

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
    assert_eq!(outcome.stdout, "");
}

#[test]
fn a_job_larger_than_every_slice_with_the_numbers() {
    let place = Place::new();
    let jobs = format!("{TOUCH}[[jobs]]\nname = 'huge'\nmemory = '40 GiB'\ncommand = 'true'\n");
    let outcome = place.run(&jobs);
    refused(
        &outcome,
        90,
        &[
            "1 of 2 jobs need more",
            "huge: needs 41416 MiB",
            "largest slice 7g.40gb has 40192 MiB",
        ],
    );
    assert!(!place.path("touched").exists());
}

#[test]
fn a_broken_job_file_with_line_and_column() {
    let place = Place::new();
    let outcome = place.run("[[jobs]]\ncomand = 'true'\n");
    refused(
        &outcome,
        91,
        &[
            "a job has no key 'comand'",
            "jobs.toml:2:1",
            "did you mean 'command'?",
        ],
    );
    let absent = place.migfit(&["run", "-f", "absent.toml", "--gpu", "virtual:a100-40gb"]);
    refused(&absent, 81, &["absent.toml"]);
    assert!(
        !place.path("migfit-runs").exists(),
        "nothing is left behind"
    );
}

#[test]
fn a_job_whose_program_cannot_start_with_its_line() {
    let place = Place::new();
    place.put("text", "text");
    for (command, code, part) in [
        ("./nope", 81, "job 'x': there is no program './nope'"),
        ("./text", 82, "text' may not be executed"),
        (".", 82, "is a folder"),
    ] {
        let jobs = format!("{TOUCH}[[jobs]]\nname = 'x'\ncommand = ['{command}']\n");
        refused(&place.run(&jobs), code, &[part, "\n  jobs.toml:6:11\n"]);
        assert!(!place.path("touched").exists());
    }
    let jobs = format!("{TOUCH}[[jobs]]\ncwd = 'nope'\ncommand = 'true'\n");
    let parts = ["cwd: there is no folder 'nope'", "jobs.toml:5:7"];
    refused(&place.run(&jobs), 91, &parts);
}

#[test]
fn job_files_that_are_no_text() {
    let place = Place::new();
    let run = |file: &str| place.migfit(&["run", "-f", file, "--gpu", "virtual:a100-40gb"]);
    refused(&run("."), 91, &["the job file '.' is a folder"]);
    std::fs::write(place.path("bytes"), b"[[jobs]]\nname = '\xff'\n").unwrap();
    refused(&run("bytes"), 91, &["no UTF-8 text", "bytes:2:9"]);
}

#[test]
fn names_that_do_not_exist() {
    let place = Place::new();
    refused(
        &place.migfit(&["run", "--gpu", "virtual:h20-96gb", "true"]),
        85,
        &["too little is known of h20-96gb"],
    );
    refused(
        &place.migfit(&["run", "--gpu", "virtual:a100-4gb", "true"]),
        85,
        &["did you mean 'a100-40gb'?"],
    );
    let policy = place.migfit(&[
        "run",
        "--gpu",
        "virtual:a100-40gb",
        "--policy",
        "fifi",
        "true",
    ]);
    refused(&policy, 85, &["did you mean 'fifo'?"]);
    refused(
        &place.migfit(&["run", "--gpu", "virtual:a100-40gb", "./nope"]),
        81,
        &["there is no program './nope'"],
    );
    refused(
        &place.migfit(&["run", "--gpu", "GPU-0000", "true"]),
        92,
        &["--gpu virtual:a100-40gb"],
    );
}

#[test]
fn folders_of_results_that_cannot_be_or_are_not_ours() {
    let place = Place::new();
    place.put("file", "");
    let run =
        |out: &str| place.migfit(&["run", "--gpu", "virtual:a100-40gb", "--out", out, "true"]);
    refused(&run("file/below"), 86, &["file/below"]);
    std::fs::create_dir(place.path("thesis")).unwrap();
    place.put("thesis/chapter", "");
    refused(&run("thesis"), 86, &["'thesis' is not empty"]);
}

#[test]
fn gpu_instances_of_others_are_never_touched() {
    let place = Place::new();
    let gpu = VirtualGpu::open(&place.path("shared.state"), Some("a100-40gb")).unwrap();
    let small = gpu
        .model()
        .profiles
        .iter()
        .find(|profile| profile.name == "1g.5gb")
        .unwrap()
        .id;
    gpu.create_gpu_instance(small, Some(Placement { start: 0, size: 1 }))
        .unwrap();
    let run = |jobs: &str| {
        place.put("jobs.toml", jobs);
        let mut command = place.command(&[
            "run",
            "-f",
            "jobs.toml",
            "--gpu",
            "virtual:a100-40gb",
            "--out",
            "out",
        ]);
        outcome(command.env("MIGFIT_VGPU_STATE", "shared.state"))
    };
    refused(
        &run(TOUCH),
        95,
        &["no slice for job 'touch'", "others made 1g.5gb@0"],
    );
    assert!(!place.path("touched").exists());
    let beside = run("[[jobs]]\nname = 'a'\nmemory = '15 GiB'\ncommand = 'true'\n");
    assert_eq!(beside.code, 0, "{}", beside.stderr);
    assert_eq!(place.job("a")["placement"]["start"], 4);
    assert_eq!(place.layout("shared.state"), ["1g.5gb@0"]);
}

#[test]
fn state_files_that_cannot_be_in_one_message() {
    let place = Place::new();
    place.put("garbage", "not a state file");
    std::fs::create_dir(place.path("folder")).unwrap();
    for (state, part) in [
        ("garbage", "'garbage' is no state of a virtual GPU"),
        ("/dev/null", "'/dev/null' is no regular file"),
        ("folder", "'folder' is a folder"),
        ("no/such.state", "there is no folder 'no'"),
    ] {
        let mut command = place.command(&["run", "--gpu", "virtual:a100-40gb", "true"]);
        let outcome = outcome(command.env("MIGFIT_VGPU_STATE", state));
        refused(&outcome, 86, &["MIGFIT_VGPU_STATE: ", part]);
        assert!(!outcome.stderr.contains("GPU 0"), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
    }
    assert!(!place.path("no").exists());
    let _other = VirtualGpu::open(&place.path("a30.state"), Some("a30-24gb")).unwrap();
    let mut command = place.command(&["run", "--gpu", "virtual:a100-40gb", "true"]);
    let outcome = outcome(command.env("MIGFIT_VGPU_STATE", "a30.state"));
    refused(&outcome, 86, &["a30.state"]);
}

#[test]
fn a_virtual_gpu_with_a_missing_or_broken_library() {
    for name in [
        "libnvidia-ml.so.1",
        "libcuda.so.1",
        "libcudart.so.13",
        "libcudart.so.12",
    ] {
        let place = Place::new();
        let copy = place.path("copy");
        let copied = Command::new("cp")
            .arg("-r")
            .arg(installed())
            .arg(&copy)
            .status();
        assert!(copied.unwrap().success());
        let run = || {
            let mut command = Command::new(copy.join("bin/migfit"));
            command.args(["run", "--gpu", "virtual:a100-40gb", "true"]);
            outcome(command.current_dir(place.path("")).stdin(Stdio::null()))
        };
        let library = copy.join("lib/migfit/vgpu").join(name);
        let whole = std::fs::read(&library).unwrap();
        std::fs::write(&library, &whole[..whole.len() / 2]).unwrap();
        refused(&run(), 88, &[name, "cannot be", "cargo xtask stage"]);
        std::fs::remove_file(&library).unwrap();
        refused(&run(), 88, &[name, "is missing", "cargo xtask stage"]);
    }
}
