//! Jobs that run out of device memory, proved by their run records: started again on a slice that holds what they
//! asked for, with every attempt kept; and those that are not.

use migfit_schema::report::FailedAllocation;
use migfit_tests::{Gpu, JobFile, Migfit, Outcome, Program, Sandbox, Source, not_tried};
use std::fs::File;
use std::io::Write;

fn outgrows() -> Program {
    Source::fixture("outgrows").built_for_the_virtual_gpu()
}

fn expect_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
}

#[test]
fn a_job_goes_up_slice_by_slice_and_every_attempt_is_kept() {
    let program = outgrows();
    let gpu = Gpu::a100();
    // Pieces of 6 GiB: one is refused on 5 GB, the second on 10 GB, the third fits on 20 GB.
    let jobs = JobFile::new()
        .job("grows", &program, "6144 3")
        .with_memory("1 GiB");
    let jobs = jobs.shell("beside", "exit 0").with_memory("1 GiB");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("grows");
    assert_eq!((job.attempts, job.exit_code), (3, Some(0)));
    assert_eq!(job.mig_profile.as_deref(), Some("3g.20gb"));
    assert_eq!(job.observed_peak_bytes, Some((18 << 30) + 4));
    assert_eq!(ran.said("grows"), "attempt 3\n3 pieces\n");

    let refused = |in_use| FailedAllocation {
        requested_bytes: 6 << 30,
        in_use_bytes: in_use,
    };
    let expected = [
        ("1g.5gb", Some(refused(4)), Some(2)),
        ("1g.10gb", Some(refused((6 << 30) + 4)), Some(2)),
        ("3g.20gb", None, Some(0)),
    ];
    let each = job.each_attempt.iter();
    let each = each.map(|one| {
        (
            one.mig_profile.as_str(),
            one.failed_allocation,
            one.exit_code,
        )
    });
    assert_eq!(each.collect::<Vec<_>>(), expected);
    for (one, number) in job.each_attempt.iter().zip(1..) {
        assert_eq!(one.attempt, number);
        let file = one.stdout.as_ref().expect("a file");
        let said = std::fs::read_to_string(file).expect("it was kept");
        assert!(said.starts_with(&format!("attempt {number}\n")), "{said}");
    }
    // 6 GiB, one granule for the counter, 64 + 4 * 14 MiB of context.
    let then = job.each_attempt[0].then.as_deref();
    assert_eq!(
        then,
        Some("started again: it needs 6266 MiB with its CUDA context")
    );
    for attempt in [1, 2] {
        assert_eq!(ran.attempt_records("grows", attempt)[0].failures, 1);
    }
    assert_eq!(ran.records("grows")[0].failures, 0);
    expect_parts(
        &ran.outcome.stdout,
        &[
            "started again\n",
            "ASKED FOR",
            "attempt 1 ran out on 1g.5gb@",
        ],
    );
    gpu.expect_empty();
}

#[test]
fn on_the_largest_slice_it_fails_with_the_numbers() {
    let program = outgrows();
    let gpu = Gpu::a100();
    let jobs = JobFile::new()
        .job("grows", &program, "15360 3")
        .with_memory("1 GiB");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let job = ran.job("grows");
    let slices: Vec<&str> = job
        .each_attempt
        .iter()
        .map(|one| one.mig_profile.as_str())
        .collect();
    // 15 GiB, then 30 GiB are asked for.
    assert_eq!(slices, ["1g.5gb", "3g.20gb", "7g.40gb"]);
    expect_parts(
        &job.reason,
        &[
            "out of device memory: asked for 15.00 GiB with 30.00 GiB in use",
            "not started again: it needs 46538 MiB with its CUDA context, the largest slice 7g.40gb has 40192 MiB",
        ],
    );
    gpu.expect_empty();
}

#[test]
fn who_does_not_want_it_is_not_started_again() {
    let program = outgrows();
    let gpu = Gpu::a100();
    let never = JobFile::new()
        .job("grows", &program, "6144 1")
        .with_memory("1 GiB")
        .with("restart", "never");
    let ran = Migfit::run_file(&never, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let job = ran.job("grows");
    assert_eq!((job.attempts, job.exit_code), (1, Some(2)));
    expect_parts(
        &job.reason,
        &["proved by the run record", "restart = \"never\""],
    );
}

#[test]
fn a_program_that_copes_is_left_alone_and_told() {
    let program = outgrows();
    let gpu = Gpu::a100();
    let copes = JobFile::new()
        .job("copes", &program, "6144 1 cope")
        .with_memory("1 GiB")
        .with("restart", "early");
    let ran = Migfit::run_file(&copes, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("copes");
    assert_eq!((job.attempts, job.exit_code), (1, Some(0)));
    assert!(job.each_attempt[0].failed_allocation.is_some());
    let told = "an allocation failed (asked for 6.00 GiB with 4 B in use) and the program went on";
    expect_parts(&job.reason, &[told]);
    expect_parts(&ran.outcome.stdout, &["an allocation failed"]);
    let notes = ran.report().notes.join("\n");
    expect_parts(
        &notes,
        &[
            "1 job has exit code 0 after an allocation failed",
            "1 job has restart = \"early\", which acts like \"oom\" for now",
        ],
    );
}

#[test]
fn an_exit_code_is_no_proof() {
    let gpu = Gpu::a100();
    let jobs = JobFile::new()
        .shell("says", "echo CUDA out of memory >&2; exit 2")
        .with_memory("1 GiB");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89);
    assert_eq!(ran.job("says").attempts, 1);
}

/// `migfit run PROGRAM`, foretold too small, with this standard input.
fn single(gpu: &Gpu, stdin: impl Into<std::process::Stdio>) -> Outcome {
    let program = outgrows();
    let run = Migfit::run(&program, gpu).args("3000 2 read");
    run.reading(stdin).done().outcome
}

#[test]
fn a_single_program_is_started_again_with_the_terminal_and_its_file() {
    let gpu = Gpu::a100();
    let files = Sandbox::new();
    files.put("input", "first line\nsecond\n");
    let outcome = single(&gpu, File::open(files.path("input")).expect("there"));
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(
        outcome.stdout,
        "attempt 1\nread first line\nattempt 2\nread first line\n2 pieces\n"
    );
    let told: Vec<&str> = outcome
        .stderr
        .lines()
        .filter(|line| {
            line.contains("started again: it needs") && line.contains("ran out of device memory")
        })
        .collect();
    assert_eq!(told.len(), 1, "{outcome}");
    expect_parts(
        told[0],
        &["migfit: program ran out of device memory on 1g.5gb@"],
    );
    gpu.expect_empty();
}

#[test]
fn what_came_through_a_pipe_cannot_be_read_again() {
    let gpu = Gpu::a100();
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(b"only once\n").expect("it has room");
    drop(writer);
    let outcome = single(&gpu, reader);
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (2, "attempt 1\nread only once\n")
    );
    expect_parts(
        &outcome.stderr,
        &[
            "out of device memory",
            "not started again: its standard input cannot be read a second time",
        ],
    );
    gpu.expect_empty();
}

#[test]
fn a_job_that_waits_for_its_larger_slice_is_told_when_the_run_stops() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return not_tried("a restart that waits", "one core: one job at a time");
    }
    let (gpu, pipes, program) = (Gpu::a100(), Sandbox::new(), outgrows());
    pipes.pipe("holding");
    let holding = pipes.text("holding");
    // While the second job holds a slice, the whole GPU, which the first needs then, cannot be made.
    let grow = format!(
        "read x < {holding}; exec {} 24576 1",
        program.path().display()
    );
    let hold = format!("echo x > {holding}; exec timeout 200 sleep 1000");
    let jobs = JobFile::new().shell("grows", &grow).with_memory("1 GiB");
    let jobs = jobs.shell("holds", &hold).with_memory("1 GiB");
    let mut going = Migfit::run_file(&jobs, &gpu).started();
    going.wait_for("grows ran out of device memory");
    going.signal(libc::SIGINT);
    let ran = going.ended();
    assert_eq!(ran.outcome.code, 97, "{}", ran.outcome);
    let job = ran.job("grows");
    assert_eq!(
        (job.attempts, job.exit_code),
        (1, Some(2)),
        "{}",
        job.reason
    );
    expect_parts(
        &job.reason,
        &[
            "out of device memory",
            "not started again: migfit got SIGINT",
        ],
    );
    // Nothing took its place.
    assert_eq!(ran.said("grows"), "attempt 1\n");
    ran.expect_no_strays();
    gpu.expect_empty();
}
