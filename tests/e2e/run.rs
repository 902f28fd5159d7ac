//! `migfit run -f`: a batch of programs, its report and its files.

use migfit_schema::report::Report;
use migfit_tests::{Gpu, Migfit, Program, Run, Source, program::rodinia_folder};
use serde_json::Value;

/// The job file that the demo runs, as it stands in rodinia/mixes.
fn demo_batch(gpu: &Gpu) -> Run {
    Run::of(gpu)
        .folder(rodinia_folder())
        .flags(&["-f", "mixes/all.toml"])
}

#[test]
fn the_batch_of_the_demo_runs_to_its_end() {
    let gpu = Gpu::a100();
    let ran = demo_batch(&gpu).policy("fifo").done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let report = ran.report();
    assert!(report.batch.jobs >= 14, "{} jobs", report.batch.jobs);
    assert_eq!(
        (report.batch.completed, report.batch.failed),
        (report.batch.jobs, 0)
    );
    assert_eq!(report.jobs.len(), report.batch.jobs);
    for job in &report.jobs {
        let name = &job.name;
        assert_eq!((job.exit_code, job.attempts), (Some(0), 1), "{name}");
        assert!(job.predicted_bytes.is_some(), "{name}");
        assert_eq!(job.predicted_bytes, job.observed_peak_bytes, "{name}");
        assert!(!job.launches.is_empty(), "{name} launched nothing");
        assert_eq!(job.verified, Some(true), "{name}: its own check");
        assert!(
            job.placement.is_some() && job.mig_profile.is_some(),
            "{name}"
        );
    }
    // Tightest, except where the file says more: then the layout was changed on demand.
    let mut profiles: Vec<_> = report
        .jobs
        .iter()
        .flat_map(|job| &job.mig_profile)
        .collect();
    profiles.sort();
    profiles.dedup();
    assert_eq!(profiles, ["1g.10gb", "1g.5gb", "7g.40gb"]);
    keys_are_the_contract(&ran.report_text());
    no_figure_is_claimed(&report);
    output_files_are_there(&report);
    ran.expect_no_strays();
    gpu.expect_empty();
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The keys that the issue lists, and what was added to them since: scripts rely on them.
fn keys_are_the_contract(text: &str) {
    let json: Value = serde_json::from_str(text).expect("the report is JSON");
    assert_eq!(
        keys(&json),
        ["batch", "gpu", "jobs", "notes", "provenance", "version"]
    );
    assert_eq!(
        keys(&json["provenance"]),
        ["date", "driver", "host", "version"]
    );
    let batch = "baseline completed energy_j energy_ratio energy_source failed jobs makespan_s repeats \
                 sequential_energy_j sequential_makespan_s throughput_ratio time_source";
    assert_eq!(keys(&json["batch"]).join(" "), batch);
    let job = "attempts each_attempt exit_code launches mig_profile modelled_added_j modelled_device_s \
               modelled_device_s_by_mig_profile name observed_peak_bytes placement predicted_bytes reason \
               run_s stderr stdout verdict verified wait_s";
    for one in json["jobs"].as_array().expect("a list of jobs") {
        assert_eq!(keys(one).join(" "), job);
        assert_eq!(keys(&one["placement"]), ["size", "start"]);
    }
}

fn no_figure_is_claimed(report: &Report) {
    let batch = &report.batch;
    assert_eq!((batch.throughput_ratio, batch.energy_ratio), (None, None));
    assert_eq!(
        (batch.makespan_s, batch.sequential_makespan_s),
        (None, None)
    );
    assert_eq!((batch.energy_j, batch.sequential_energy_j), (None, None));
    assert_eq!((batch.time_source, batch.energy_source), (None, None));
    let mut notes = report.notes.iter();
    assert!(
        notes.any(|note| note.contains("kernels ran on the CPU")),
        "{:?}",
        report.notes
    );
}

fn output_files_are_there(report: &Report) {
    for job in &report.jobs {
        let read = |file: &Option<String>| {
            let file = file
                .as_ref()
                .expect("the report names the job's output file");
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"))
        };
        assert!(!read(&job.stdout).is_empty(), "{} said nothing", job.name);
        assert_eq!(read(&job.stderr), "", "{}", job.name);
    }
}

#[test]
fn the_table_and_the_json_on_standard_output_tell_the_same() {
    let program = Program::rodinia("lud").built_for_the_virtual_gpu();
    let gpu = Gpu::a100();
    let jobs = migfit_tests::JobFile::new()
        .job("lud", &program, "-s 256")
        .copies(2);
    let ran = Migfit::run_file(&jobs, &gpu).flags(&["--json"]).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    assert_eq!(ran.outcome.stdout, ran.report_text());
    let names = ran.report().jobs.into_iter().map(|job| job.name);
    assert_eq!(names.collect::<Vec<_>>(), ["lud#1", "lud#2"]);

    let table = Migfit::run_file(&jobs, &gpu).done().outcome;
    for part in [
        "2 jobs: 2 completed, 0 failed",
        "256.00 KiB",
        "above 1 is better",
        "kernels ran on the CPU",
    ] {
        assert!(table.stdout.contains(part), "no '{part}' in {table}");
    }
}

#[test]
fn a_single_program_keeps_its_own_output_and_exit_code() {
    let gpu = Gpu::a100();
    let program = Source::fixture("struct_fields").built_for_the_virtual_gpu();
    let ran = Migfit::run(&program, &gpu).args("64 64").done();
    assert_eq!(
        (ran.outcome.code, ran.outcome.stdout.as_str()),
        (0, "done\n"),
        "{}",
        ran.outcome
    );
    let ran = Migfit::run(&program, &gpu).args("64").done();
    assert_eq!(
        (ran.outcome.code, ran.outcome.stdout.as_str()),
        (1, ""),
        "{}",
        ran.outcome
    );
    gpu.expect_empty();
}

#[test]
fn a_job_gets_its_folder_its_environment_and_its_slice() {
    let gpu = Gpu::a100();
    let line =
        "pwd; echo $COLOUR; echo $CUDA_VISIBLE_DEVICES; read x || echo no input; echo oops >&2";
    let jobs = migfit_tests::JobFile::new()
        .shell("told", line)
        .with_env("COLOUR", "green");
    let ran = Migfit::run_file(&jobs, &gpu).done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("told");
    let read = |file: Option<String>| std::fs::read_to_string(file.expect("named")).expect("there");
    let stdout = read(job.stdout);
    let lines: Vec<&str> = stdout.lines().collect();
    // Relative to the job file's folder, which is the run's.
    let folder = ran
        .folder()
        .canonicalize()
        .expect("it exists")
        .display()
        .to_string();
    assert_eq!(
        (lines[0], lines[1], lines[3]),
        (folder.as_str(), "green", "no input")
    );
    assert!(lines[2].starts_with("MIG-"), "{stdout}");
    assert_eq!(read(job.stderr), "oops\n");
    assert_eq!(job.observed_peak_bytes, None, "a shell uses no GPU");
}

#[test]
fn switched_off_a_job_runs_unrecorded() {
    let gpu = Gpu::a100();
    let program = Program::rodinia("lud").built_for_the_virtual_gpu();
    let jobs = migfit_tests::JobFile::new().job("lud", &program, "-s 256");
    let ran = Migfit::run_file(&jobs, &gpu).env("MIGFIT", "off").done();
    assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
    let job = ran.job("lud");
    assert_eq!((job.observed_peak_bytes, job.launches.len()), (None, 0));
    assert_eq!(ran.records("lud").len(), 0);
    gpu.expect_empty();
}
