//! Programs that crash or are killed: the run record survives, the report tells how, the layout is as before.

use migfit_tests::{Gpu, JobFile, Migfit, Source};

#[test]
fn the_run_record_survives_every_kind_of_death() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let deaths = [
        ("abort", 134, "SIGABRT"),
        ("segv", 139, "SIGSEGV"),
        ("kill", 137, "SIGKILL"),
    ];
    let mut jobs = JobFile::new();
    for (how, ..) in deaths {
        jobs = jobs.job(how, &program, &format!("300 {how}"));
    }
    let jobs = jobs.job("well", &program, "300 exit");
    let gpu = Gpu::a100();
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let report = ran.report();
    assert_eq!((report.batch.completed, report.batch.failed), (1, 3));
    for (how, code, signal) in deaths {
        let job = ran.job(how);
        assert_eq!(job.exit_code, Some(code), "{how}");
        assert_eq!(job.observed_peak_bytes, Some(300 << 20), "{how}");
        assert!(job.reason.contains(signal), "{how}: {}", job.reason);
        let record = &ran.records(how)[0];
        assert!(!record.ended && !record.disturbed, "{how}");
        assert_eq!(
            (record.current_bytes, record.allocations),
            (300 << 20, 1),
            "{how}"
        );
        // What it said before it died is in its file.
        let said = std::fs::read_to_string(job.stdout.expect("named")).expect("there");
        assert_eq!(said, "holding\n", "{how}");
    }
    assert!(ran.records("well")[0].ended);
    ran.expect_no_strays();
    gpu.expect_empty();
}

#[test]
fn a_single_program_s_death_is_migfit_s_exit_code() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    for (how, code) in [("abort", 134), ("kill", 137)] {
        let ran = Migfit::run(&program, &gpu).args(&format!("1 {how}")).done();
        assert_eq!(ran.outcome.code, code, "{}", ran.outcome);
        assert_eq!(ran.job("program").exit_code, Some(code));
    }
    gpu.expect_empty();
}

#[test]
fn what_a_job_leaves_running_is_ended_with_it() {
    let gpu = Gpu::a100();
    let jobs = JobFile::new()
        .shell("leaver", "sleep 1000 & exit 0")
        .shell("next", "exit 0");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    ran.expect_no_strays();
    gpu.expect_empty();
}
