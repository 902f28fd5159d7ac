//! migfit itself is told to stop in the middle of a batch: jobs and what they started are gone, so are the slices, and
//! the report says what happened.

use migfit_tests::{Going, Gpu, JobFile, Run, Sandbox, Source, process};
use std::process::Command;

/// Starts a batch of a job that holds GPU memory with a child of its own, and two that wait; when the first has begun,
/// sends the signal.
fn stop_by(signal: i32, name: &str) {
    let (gpu, pipes) = (Gpu::a100(), Sandbox::new());
    pipes.pipe("begun");
    let holder = Source::fixture("holds").built_for_the_virtual_gpu();
    let holds = holder.path().display();
    // The child keeps the holder's standard input open: it would wait for ever.
    let line = format!("sleep 1000 | {holds} 2048 wait > {}", pipes.text("begun"));
    let jobs = JobFile::new()
        .shell("holder", &line)
        .shell("waiting", "exit 0")
        .copies(2);
    let going = Run::of(&gpu).policy("sequential").file(&jobs).started();
    let mut reader = Command::new("timeout");
    reader
        .args(["60", "head", "-n", "1"])
        .arg(pipes.path("begun"));
    let begun = process::output(&mut reader).expect_success();
    assert_eq!(begun.stdout, "holding\n");
    let before = gpu.snapshot();
    assert_eq!((before.gpu_instances.len(), before.processes.len()), (1, 1));

    going.expect_living();
    going.signal(signal);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    ran.expect_no_strays();
    gpu.expect_empty();
    let report = ran.report();
    assert_eq!((report.batch.jobs, report.batch.completed), (3, 0));
    let holder = ran.job("holder");
    assert!(holder.reason.contains(name), "{}", holder.reason);
    assert_eq!(holder.observed_peak_bytes, Some(2 << 30));
    for waiting in ["waiting#1", "waiting#2"] {
        let job = ran.job(waiting);
        assert_eq!(job.exit_code, None);
        assert!(job.reason.contains(name), "{}", job.reason);
    }
}

#[test]
fn by_sigterm() {
    stop_by(libc::SIGTERM, "SIGTERM");
}

#[test]
fn by_sigint() {
    stop_by(libc::SIGINT, "SIGINT");
}

#[test]
fn by_sighup() {
    stop_by(libc::SIGHUP, "SIGHUP");
}

/// A line that starts a process in a session of its own, out of the job's group, which starts another the same way;
/// each says to a pipe that it is there.
fn deserters(pipes: &Sandbox) -> String {
    let there = pipes.text("there");
    let deepest = format!("setsid sh -c \"echo deep > {there}; exec sleep 1000\"");
    let high = format!("setsid sh -c '{deepest} & echo high > {there}; exec sleep 1000' &");
    // Both are there when this is over.
    format!("exec 3<> {there}; {high} read one <&3; read other <&3")
}

#[test]
fn what_left_its_group_is_ended_with_its_job() {
    let (gpu, pipes) = (Gpu::a100(), Sandbox::new());
    pipes.pipe("there");
    let both = deserters(&pipes);
    for (name, code) in [("well", 0), ("badly", 3)] {
        let jobs = JobFile::new().shell(name, &format!("{both}; exit {code}"));
        let ran = Run::of(&gpu).file(&jobs).done();
        assert_eq!(ran.job(name).exit_code, Some(code), "{}", ran.outcome);
        ran.expect_no_strays();
    }
    // A single program, too.
    let script = pipes.put_script("leaves", &format!("#!/bin/sh\n{both}\n"));
    let run = Run::of(&gpu).args(&script.display().to_string());
    let ran = run.done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    ran.expect_no_strays();
    gpu.expect_empty();
}

#[test]
fn deserters_are_ended_when_the_run_is_stopped() {
    let (gpu, pipes) = (Gpu::a100(), Sandbox::new());
    pipes.pipe("there");
    pipes.pipe("begun");
    let line = format!(
        "{}; echo begun > {}; sleep 1000",
        deserters(&pipes),
        pipes.text("begun")
    );
    let going = Run::of(&gpu)
        .file(&JobFile::new().shell("leaves", &line))
        .started();
    let mut reader = Command::new("timeout");
    reader.args(["60", "cat"]).arg(pipes.path("begun"));
    process::output(&mut reader).expect_success();
    going.signal(libc::SIGTERM);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    ran.expect_no_strays();
    gpu.expect_empty();
}

#[test]
fn while_a_slice_is_being_made() {
    let gpu = Gpu::a100();
    // Tried again for two seconds; the request comes as soon as migfit listens for it.
    let slow = Run::of(&gpu).env("MIGFIT_VGPU_FAULTS", "create-gi=in-use*7");
    let jobs = JobFile::new().shell("never", "sleep 1000").copies(2);
    let going = slow.file(&jobs).started();
    going.wait_until_it_catches(libc::SIGINT);
    going.signal(libc::SIGINT);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    for name in ["never#1", "never#2"] {
        let job = ran.job(name);
        assert!(job.reason.contains("SIGINT"), "{}", job.reason);
        match job.attempts {
            0 => assert_eq!(job.exit_code, None),
            // This machine stood still for two seconds.
            _ => migfit_tests::not_tried("a signal while a slice is made", "the slice was there"),
        }
    }
    ran.expect_no_strays();
    gpu.expect_empty();
}

/// Starts a job, `deaf`, that ignores the request to end, and waits until it does.
fn deaf_job(gpu: &Gpu) -> Going {
    let pipes = Sandbox::new();
    pipes.pipe("begun");
    let line = format!(
        "trap '' TERM; echo begun > {}; while :; do sleep 1000; done",
        pipes.text("begun")
    );
    let going = Run::of(gpu)
        .file(&JobFile::new().shell("deaf", &line))
        .started();
    let mut reader = Command::new("timeout");
    reader.args(["60", "cat"]).arg(pipes.path("begun"));
    process::output(&mut reader).expect_success();
    going
}

#[test]
fn a_job_that_ignores_the_request_is_killed_after_a_while() {
    let gpu = Gpu::a100();
    let going = deaf_job(&gpu);
    going.signal(libc::SIGTERM);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    let job = ran.job("deaf");
    assert_eq!(job.exit_code, Some(137));
    assert!(job.run_s.expect("it ran") >= 5.0, "the grace");
    ran.expect_no_strays();
    gpu.expect_empty();
}

#[test]
fn a_job_that_ignores_the_request_is_killed() {
    let gpu = Gpu::a100();
    let going = deaf_job(&gpu);
    // The second request means at once.
    going.signal(libc::SIGTERM);
    going.signal(libc::SIGINT);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    assert_eq!(ran.job("deaf").exit_code, Some(137));
    ran.expect_no_strays();
    gpu.expect_empty();
}
