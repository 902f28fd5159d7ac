//! migfit itself is told to stop in the middle of a batch: jobs and what they started are gone, so are the slices, and
//! the report says what happened.

use migfit_tests::{Gpu, JobFile, Run, Sandbox, Source, process};
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
fn a_job_that_ignores_the_request_is_killed() {
    let (gpu, pipes) = (Gpu::a100(), Sandbox::new());
    pipes.pipe("begun");
    let line = format!(
        "trap '' TERM; echo begun > {}; while :; do sleep 1000; done",
        pipes.text("begun")
    );
    let going = Run::of(&gpu)
        .file(&JobFile::new().shell("deaf", &line))
        .started();
    let mut reader = Command::new("timeout");
    reader.args(["60", "cat"]).arg(pipes.path("begun"));
    process::output(&mut reader).expect_success();
    // The second request means at once.
    going.signal(libc::SIGTERM);
    going.signal(libc::SIGINT);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    assert_eq!(ran.job("deaf").exit_code, Some(137));
    ran.expect_no_strays();
    gpu.expect_empty();
}
