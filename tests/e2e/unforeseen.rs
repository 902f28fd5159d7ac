//! What cannot be foretold is said, with its place, and gets the whole GPU; what was foretold too small is proved by
//! the run record.

use migfit_tests::project::built_project;
use migfit_tests::{Gpu, JobFile, Migfit, Sandbox, Source};

#[test]
fn a_size_by_the_clock_is_unknown_with_its_place() {
    let program = Source::fixture("by_the_clock").built_for_the_virtual_gpu();
    let answer = Migfit::fit(&program).on("a100-40gb").args("").json();
    assert_eq!(
        (answer.need().verdict.as_str(), answer.need().peak_bytes),
        ("unknown", None)
    );
    let unknown = answer
        .need()
        .unknowns
        .first()
        .expect("it says what is unknown");
    let site = unknown.site.as_ref().expect("it says where").to_string();
    assert_eq!(
        (unknown.what.as_str(), site.as_str()),
        ("size of cudaMalloc", "program.cu:7")
    );
    assert!(
        unknown.reason.contains("program.cu:6"),
        "{}",
        unknown.reason
    );

    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).done();
    let job = ran.job("program");
    assert_eq!((job.exit_code, job.predicted_bytes), (Some(0), None));
    assert_eq!(
        (job.verdict.as_str(), job.mig_profile.as_deref()),
        ("unknown", Some("7g.40gb"))
    );
    let seen = job.observed_peak_bytes.expect("the runtime saw it");
    assert!((1..=8).any(|mib| mib << 20 == seen), "{seen}");
    for part in ["whole GPU", "program.cu:7"] {
        assert!(job.reason.contains(part), "no '{part}' in: {}", job.reason);
    }
    gpu.expect_empty();
}

#[test]
fn a_program_that_takes_what_it_gets_is_elastic() {
    let program = Source::fixture("half_of_free").built_for_the_virtual_gpu();
    let answer = Migfit::fit(&program).on("a100-40gb").args("").json();
    assert_eq!(answer.need().verdict, "elastic");
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).done();
    let job = ran.job("program");
    assert_eq!((job.exit_code, job.verdict.as_str()), (Some(0), "elastic"));
    assert_eq!(job.mig_profile.as_deref(), Some("7g.40gb"));
    // Half of 40192 MiB, the context taken off.
    let seen = job.observed_peak_bytes.expect("the runtime saw it");
    assert!(seen < 20_096 << 20 && seen > 19_000 << 20, "{seen}");
}

#[test]
fn a_job_that_asks_for_more_than_its_slice_has_runs_out_of_memory() {
    let program = Source::fixture("holds").built_for_the_virtual_gpu();
    let jobs = JobFile::new();
    // The user's word counts: 1 GiB, and then it asks for 8.
    let jobs = jobs.job("liar", &program, "8192 exit");
    let jobs = jobs.with_memory("1 GiB").with("restart", "never");
    let jobs = jobs.job("honest", &program, "64 exit");
    let gpu = Gpu::a100();
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 89, "{}", ran.outcome);
    let liar = ran.job("liar");
    assert_eq!(
        (liar.exit_code, liar.mig_profile.as_deref()),
        (Some(2), Some("1g.5gb"))
    );
    assert_eq!(liar.observed_peak_bytes, Some(0));
    for part in ["out of device memory", "8.00 GiB", "run record"] {
        assert!(
            liar.reason.contains(part),
            "no '{part}' in: {}",
            liar.reason
        );
    }
    let failure = &ran.records("liar")[0].first_failures[0];
    assert_eq!(
        (failure.requested, failure.current, failure.code),
        (8 << 30, 0, 2)
    );
    assert_eq!(ran.job("honest").exit_code, Some(0));
    gpu.expect_empty();
}

/// Whatever a program does: a figure that is told is the figure that is seen, or it is not told.
fn right_or_unknown(fixture: &str, args: &str, bytes: u64) {
    let program = Source::fixture(fixture).built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let ran = Migfit::run(&program, &gpu).args(args).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("program");
    assert_eq!(job.observed_peak_bytes, Some(bytes));
    match job.predicted_bytes {
        Some(foretold) => assert_eq!(foretold, bytes, "{fixture}: {}", job.verdict),
        None => {
            let answer = Migfit::fit(&program).on("a100-40gb").args(args).json();
            let unknowns = &answer.need().unknowns;
            assert!(
                unknowns.iter().any(|one| one.site.is_some()),
                "{unknowns:?}"
            );
            assert_eq!(
                job.mig_profile.as_deref(),
                Some("7g.40gb"),
                "{}",
                job.reason
            );
        }
    }
}

#[test]
fn strings_and_exceptions_of_cxx() {
    right_or_unknown("raii_buffers", "100000 3", 12 * 100_000);
}

#[test]
fn sizes_read_through_a_cxx_stream() {
    let files = Sandbox::new();
    files.put("sizes", "3\n1000 2000\n 70000\n");
    right_or_unknown("stream_input", &files.text("sizes"), 2 * 73_000);
}

#[test]
fn device_code_in_several_files_is_foretold_and_runs() {
    let gpu = Gpu::a100();
    for (project, launches) in [("separate", 1), ("linked", 5)] {
        let program = built_project(project);
        let answer = Migfit::fit(&program).args("100000").json();
        assert_eq!(answer.peak(), 400_000, "{project}");
        let jobs = JobFile::new().job("job", &program, "100000");
        let ran = Migfit::run_file(&jobs, &gpu).done();
        let job = ran.job("job");
        let seen = (job.exit_code, job.observed_peak_bytes);
        assert_eq!(seen, (Some(0), Some(400_000)), "{project}: {}", ran.outcome);
        let seen: u64 = ran
            .records("job")
            .iter()
            .map(|record| record.launches)
            .sum();
        assert_eq!(seen, launches, "{project}");
    }
    gpu.expect_empty();
}

#[test]
fn linked_device_files_share_names_and_keep_their_own() {
    let program = built_project("linked");
    let ran = Migfit::run(&program, &Gpu::a100()).args("1000").done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let expected = "one address: 1 1\nvalues: 1.5 2.5 of 64 bytes, 9, 7, 50\n";
    assert_eq!(ran.outcome.stdout, expected);
}

#[test]
fn an_exception_is_followed_to_its_handler() {
    let program = Source::fixture("thrown").built_for_the_virtual_gpu();
    let calm = Migfit::fit(&program).on("a100-40gb").args("50").json();
    let need = (calm.need().verdict.as_str(), calm.need().peak_bytes);
    assert_eq!(need, ("exact", Some(200)));
    let thrown = Migfit::fit(&program).on("a100-40gb").args("500").json();
    let need = (thrown.need().verdict.as_str(), thrown.need().peak_bytes);
    assert_eq!(need, ("exact", Some(500 << 20)));

    let gpu = Gpu::a100();
    let jobs = JobFile::new().job("thrown", &program, "500");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    let job = ran.job("thrown");
    assert_eq!(
        (job.mig_profile.as_deref(), job.observed_peak_bytes),
        (Some("1g.5gb"), Some(500 << 20))
    );
}

#[test]
fn a_refusal_between_two_allocations_is_foreseen() {
    let program = Source::fixture("refused_late").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    for (argument, bytes) in [("5", 6000), ("50", 1000)] {
        let answer = Migfit::fit(&program).on("a100-40gb").args(argument).json();
        let need = (answer.need().verdict.as_str(), answer.need().peak_bytes);
        assert_eq!(need, ("exact", Some(bytes)), "{argument}");
        let jobs = JobFile::new().job("job", &program, argument);
        let ran = Migfit::run_file(&jobs, &gpu).done();
        assert_eq!(ran.job("job").observed_peak_bytes, Some(bytes));
    }
}
