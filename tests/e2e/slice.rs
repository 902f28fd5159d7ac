//! `migfit run --slice`: a slice that somebody else made is used as it is and stays.

use migfit_tests::{Gpu, JobFile, Migfit, Run, Source};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_program_runs_on_the_slice_that_is_named_and_the_slice_stays() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let (small, large) = (gpu.cut("1g.5gb"), gpu.cut("3g.20gb"));
    let before = gpu.snapshot().gpu_instances;
    for (slice, mig_profile) in [(&small, "1g.5gb"), (&large, "3g.20gb")] {
        let run = Migfit::run(&program, &gpu).flags(&["--slice", slice]);
        let ran = run.args("300 exit").done();
        assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
        let job = ran.job("program");
        assert_eq!(job.mig_profile.as_deref(), Some(mig_profile));
        assert_eq!(job.observed_peak_bytes, Some(300 << 20));
        let place = job.placement.expect("told").start;
        assert!(before.iter().any(|one| one.placement.start == place));
        assert!(job.reason.ends_with("on the slice that --slice names"));
        let note = &ran.report().notes;
        assert!(note.iter().any(|note| note.contains(slice)), "{note:?}");
        assert_eq!(ran.report().batch.baseline, None);
        assert_eq!(gpu.snapshot().gpu_instances, before);
    }
}

#[test]
fn a_slice_that_is_too_small_or_runs_out_is_all_there_is() {
    let program = Source::fixture("outgrows").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let slice = gpu.cut("1g.5gb");
    let on_it = |args| {
        let run = Migfit::run(&program, &gpu).flags(&["--slice", &slice]);
        run.args(args).done()
    };
    // Foretold, so nothing is started.
    let refused = on_it("6000 1").outcome;
    refused.expect_refusal(
        90,
        &[
            "the slice that --slice names, 1g.5gb has 4864 MiB",
            "leave --slice out",
        ],
    );
    // Not foretold.
    let ran = on_it("3000 2");
    assert_eq!(ran.outcome.code, 2, "{}", ran.outcome);
    let told = "not started again: it needs 6122 MiB with its CUDA context, the largest slice 1g.5gb has 4864 MiB";
    assert!(ran.job("program").reason.contains(told), "{}", ran.outcome);
    assert_eq!(gpu.snapshot().gpu_instances.len(), 1);
}

#[test]
fn a_slice_in_use_is_left_to_those_who_use_it() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let slice = gpu.cut("1g.5gb");
    let mut user = Command::new(program.path());
    user.args(["10", "wait"]);
    user.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut user = gpu.put(&mut user, &slice).spawn().expect("it starts");
    let stdout = user.stdout.take().expect("piped");
    let holding = BufReader::new(stdout).lines().next();
    assert_eq!(holding.expect("a line").expect("text"), "holding");
    let on_it = || {
        let run = Migfit::run(&program, &gpu).flags(&["--slice", &slice]);
        run.args("10 exit").done().outcome
    };
    let holder = format!("pid {}", user.id());
    on_it().expect_refusal(95, &["is in use: ", &holder]);
    // Its standard input ends, and so does it.
    drop(user.stdin.take());
    assert!(user.wait().expect("it ends").success());
    on_it().expect_success();
}

#[test]
fn slices_that_are_not_there_are_told_with_those_that_are() {
    let gpu = Gpu::a100();
    let run = |slice: &str| {
        let run = Run::of(&gpu).flags(&["--slice", slice]);
        run.args("true").done().outcome
    };
    run("MIG-0").expect_refusal(
        92,
        &["there is no MIG device MIG-0", "there is none at all"],
    );
    let there = gpu.cut("2g.10gb");
    run("MIG-0").expect_refusal(92, &[&there, "MIG 2g.10gb"]);
    run("GPU-0").expect_refusal(80, &["'GPU-0' is no UUID of a MIG device"]);
    let jobs = JobFile::new().shell("a", "true");
    let both = Run::of(&gpu).flags(&["--slice", &there]).file(&jobs);
    assert_eq!(both.done().outcome.code, 80);
}
