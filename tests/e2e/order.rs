//! Who runs beside whom: `fifo` runs jobs at the same time, `sequential` never does, and each finished job is on disk
//! before the next starts. Named pipes make jobs wait for each other; nothing sleeps.

use migfit_tests::{Gpu, JobFile, Migfit, Run, Sandbox, not_tried, run};

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn two_jobs_that_wait_for_each_other_both_end() {
    if cores() < 2 {
        return not_tried(
            "two jobs at once",
            "one core, so migfit starts one job at a time",
        );
    }
    let pipes = Sandbox::new();
    pipes.pipe("there");
    pipes.pipe("back");
    let (there, back) = (pipes.text("there"), pipes.text("back"));
    // Each end of a pipe opens only when the other does: one job alone would hang, and be ended by `timeout`.
    let first =
        format!("timeout 60 sh -c 'echo ping > {there}; read answer < {back}; echo $answer'");
    let second = format!("timeout 60 sh -c 'read word < {there}; echo pong > {back}; echo $word'");
    let jobs = JobFile::new().shell("first", &first).with_memory("1 GiB");
    let jobs = jobs.shell("second", &second).with_memory("1 GiB");
    let gpu = Gpu::a100();
    let ran = Migfit::run_file(&jobs, &gpu).policy("fifo").done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let said = |name| std::fs::read_to_string(ran.job(name).stdout.expect("named")).expect("there");
    assert_eq!(
        (said("first").as_str(), said("second").as_str()),
        ("pong\n", "ping\n")
    );
    let places = ["first", "second"].map(|name| ran.job(name).placement.expect("placed").start);
    assert_ne!(places[0], places[1], "both on one slice");
    gpu.expect_empty();
}

#[test]
fn no_more_jobs_at_once_than_cores() {
    let jobs = JobFile::new()
        .shell("worker", "exit 0")
        .with_memory("1 GiB")
        .copies(12);
    let gpu = Gpu::a100();
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let spans = spans(&ran.report());
    for (start, _) in &spans {
        let beside = spans
            .iter()
            .filter(|(from, to)| from <= start && start < to)
            .count();
        assert!(
            beside <= cores(),
            "{beside} jobs at once on {} cores",
            cores()
        );
    }
}

#[test]
fn sequential_jobs_never_overlap_and_have_the_whole_gpu() {
    let lock = Sandbox::new();
    let held = lock.text("held");
    let line = format!("mkdir {held} && rmdir {held}");
    let jobs = JobFile::new()
        .shell("one", &line)
        .with_memory("1 GiB")
        .copies(6);
    let gpu = Gpu::a100();
    let report = Migfit::run_file(&jobs, &gpu).policy("sequential").report();
    assert!(
        report
            .jobs
            .iter()
            .all(|job| job.mig_profile.as_deref() == Some("7g.40gb"))
    );
    let mut spans = spans(&report);
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    for pair in spans.windows(2) {
        assert!(pair[1].0 >= pair[0].1, "{pair:?} overlap");
    }
    gpu.expect_empty();
}

/// Start and end of each job, seconds after submission; the report rounds to microseconds, so do we.
fn spans(report: &migfit_schema::report::Report) -> Vec<(f64, f64)> {
    let times = report
        .jobs
        .iter()
        .map(|job| job.wait_s.zip(job.run_s).expect("it ran"));
    times.map(|(wait, run)| (wait, wait + run - 2e-6)).collect()
}

#[test]
fn each_finished_job_is_on_disk_before_the_next_starts() {
    let gpu = Gpu::a100();
    let run = Run::of(&gpu).policy("sequential");
    let copies = Sandbox::new();
    let report = run.report_path().display().to_string();
    let copy = |number: u32| format!("cp {report} {}", copies.text(&number.to_string()));
    let jobs = JobFile::new()
        .shell("zero", "exit 0")
        .shell("one", &copy(1))
        .shell("two", &copy(2));
    let ran = run.file(&jobs).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    for (number, expected) in [(1, vec!["zero"]), (2, vec!["zero", "one"])] {
        let seen = run::report_at(&copies.path(&number.to_string())).expect("a whole report");
        let names: Vec<&str> = seen.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, expected, "when job {number} ran");
        assert_eq!((seen.batch.jobs, seen.batch.completed), (3, expected.len()));
    }
}
