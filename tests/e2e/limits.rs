//! What jobs say of each other and of the host: `after`, `cpus`, `host_memory`, `time_limit`.

use migfit_tests::{Gpu, JobFile, Migfit, Sandbox, Source};

#[test]
fn a_job_starts_when_all_that_it_comes_after_have_ended_well() {
    let (gpu, folder) = (Gpu::a100(), Sandbox::new());
    let program = Source::fixture("outgrows").built_for_the_virtual_gpu();
    let log = folder.text("log");
    let note = |name: &str| format!("echo {name} >> {log}");
    // The last stands first in the file; one of those that it waits for has to be started again.
    let jobs = JobFile::new()
        .shell("last", &note("last"))
        .with_memory("1 GiB")
        .after(["grows", "small"])
        .job("grows", &program, "6144 1")
        .with_memory("1 GiB")
        .shell("small", &note("small"))
        .with_memory("1 GiB")
        .after(["grows"]);
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    assert_eq!(ran.job("grows").attempts, 2);
    let order = std::fs::read_to_string(folder.path("log")).expect("they ran");
    assert_eq!(order, "small\nlast\n");
    let start = |name: &str| ran.job(name).wait_s.expect("it ran");
    let grows = ran.job("grows");
    let end = start("grows") + grows.run_s.expect("it ran");
    // The report rounds to microseconds.
    assert!(start("small") >= end - 2e-6, "{} {end}", start("small"));
    gpu.expect_empty();
}

#[test]
fn what_comes_after_a_failure_is_not_started_and_says_whose() {
    let gpu = Gpu::a100();
    let touched = Sandbox::new();
    let touch = format!("touch {}", touched.text("it"));
    let jobs = JobFile::new()
        .shell("first", "exit 3")
        .shell("second", &touch)
        .after(["first"])
        .shell("third", &touch)
        .after(["second"])
        .shell("free", "exit 0");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let report = ran.report();
    assert_eq!((report.batch.completed, report.batch.failed), (1, 3));
    for (name, why) in [
        (
            "second",
            "not started: it comes after 'first', which failed",
        ),
        (
            "third",
            "not started: it comes after 'second', which was not started: 'first' failed",
        ),
    ] {
        let job = ran.job(name);
        assert_eq!((job.attempts, job.exit_code), (0, None));
        assert!(job.reason.starts_with(why), "{}", job.reason);
        assert!(ran.outcome.stdout.contains(name), "{}", ran.outcome);
    }
    assert!(!touched.path("it").exists());
    gpu.expect_empty();
}

/// Two jobs that a folder keeps from overlapping: each fails where the other runs.
fn one_at_a_time(sandbox: &Sandbox, set: impl Fn(JobFile) -> JobFile) -> JobFile {
    let held = sandbox.text("held");
    let line = format!("mkdir {held} && rmdir {held}");
    let jobs = set(JobFile::new().shell("one", &line).with_memory("1 GiB"));
    let jobs = jobs.copies(2).shell("other", &line).with_memory("1 GiB");
    set(jobs).copies(2)
}

fn expect_no_overlap(jobs: &JobFile, gpu: &Gpu, note: &str) {
    let report = Migfit::run_file(jobs, gpu).report();
    let mut spans: Vec<(f64, f64)> = report
        .jobs
        .iter()
        .map(|job| job.wait_s.zip(job.run_s).expect("it ran"))
        .collect();
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    for pair in spans.windows(2) {
        // The report rounds to microseconds.
        let end = pair[0].0 + pair[0].1 - 2e-6;
        assert!(pair[1].0 >= end, "{pair:?} overlap");
    }
    let noted = report.notes.iter().any(|one| one.starts_with(note));
    assert!(noted, "no '{note}' in {:?}", report.notes);
}

#[test]
fn jobs_that_keep_all_cores_busy_run_one_at_a_time() {
    let (gpu, sandbox) = (Gpu::a100(), Sandbox::new());
    // More than the host has: cut to what it has, so that they run at all.
    let jobs = one_at_a_time(&sandbox, |jobs| jobs.with_number("cpus", 500));
    expect_no_overlap(&jobs, &gpu, "jobs waited for cores: this host has ");
}

#[test]
fn jobs_that_take_all_host_memory_run_one_at_a_time() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return migfit_tests::not_tried("host memory", "one core: one job at a time");
    }
    let (gpu, sandbox) = (Gpu::a100(), Sandbox::new());
    let jobs = one_at_a_time(&sandbox, |jobs| jobs.with("host_memory", "900 TiB"));
    expect_no_overlap(&jobs, &gpu, "jobs waited for host memory: ");
}

#[test]
fn a_job_that_takes_too_long_is_asked_then_killed_with_all_that_it_started() {
    let (gpu, sandbox) = (Gpu::a100(), Sandbox::new());
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let holds = program.path().display();
    let tells = format!(
        "trap 'echo asked; exit 7' TERM; sleep 1000 & echo $! > {}; wait",
        sandbox.text("sleeper")
    );
    // The grandchild holds memory of the slice and keeps its own input open.
    let deaf = format!("trap '' TERM; sleep 1000 | {holds} 100 wait");
    let jobs = JobFile::new()
        .shell("tells", &tells)
        .with_memory("1 GiB")
        .with("time_limit", "300 ms")
        .shell("deaf", &deaf)
        .with_memory("1 GiB")
        .with("time_limit", "300 ms")
        .shell("quick", "exit 0")
        .with_memory("1 GiB")
        .with("time_limit", "1 h");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let tells = ran.job("tells");
    assert_eq!((tells.exit_code, tells.attempts), (Some(7), 1));
    assert_eq!(ran.said("tells"), "asked\n");
    let deaf = ran.job("deaf");
    assert_eq!((deaf.exit_code, deaf.attempts), (Some(137), 1));
    assert!(deaf.run_s.expect("it ran") >= 5.0, "the grace");
    for job in [tells, deaf] {
        let told = "time limit of 0.3 s reached";
        assert!(job.reason.starts_with(told), "{}", job.reason);
    }
    assert_eq!(ran.job("quick").exit_code, Some(0));
    ran.expect_no_strays();
    gpu.expect_empty();
}
