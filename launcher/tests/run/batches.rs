//! Batches that go through: order, slices, files, report.

use crate::fixture::{OWN_STATE, Place};

/// A job by the user's word of so much memory.
fn job(name: &str, memory: &str, script: &str) -> String {
    format!(
        "[[jobs]]\nname = '{name}'\nmemory = '{memory}'\ncommand = ['sh', '-c', '''{script}''']\n"
    )
}

#[test]
fn jobs_run_on_their_tightest_slices_and_nothing_stays() {
    let place = Place::new();
    let jobs = job("small", "1 GiB", "true")
        + &job("half", "15 GiB", "true")
        + &job("whole", "30 GiB", "true");
    let outcome = place.run(&jobs);
    assert_eq!(outcome.code, 0, "{}{}", outcome.stdout, outcome.stderr);
    let slice = |name: &str| {
        let job = place.job(name);
        (
            job["mig_profile"].as_str().unwrap().to_owned(),
            job["placement"]["start"].as_u64().unwrap(),
        )
    };
    assert_eq!(slice("small"), ("1g.5gb".to_owned(), 6));
    assert_eq!(slice("half").0, "3g.20gb");
    assert_eq!(slice("whole"), ("7g.40gb".to_owned(), 0));
    let whole = place.job("whole");
    assert!(
        whole["reason"]
            .as_str()
            .unwrap()
            .contains("instance fusion: "),
        "{whole}"
    );
    assert_eq!(place.layout(OWN_STATE), Vec::<String>::new());
}

#[test]
fn a_whole_idle_gpu_is_split_for_a_small_job() {
    let place = Place::new();
    let outcome = place.run(&(job("whole", "30 GiB", "true") + &job("small", "1 GiB", "true")));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let small = place.job("small");
    assert!(
        small["reason"]
            .as_str()
            .unwrap()
            .contains("instance fission: "),
        "{small}"
    );
}

#[test]
fn the_sequential_policy_gives_everybody_the_whole_gpu_one_by_one() {
    let place = Place::new();
    // The second job finds the first one's line already on disk.
    let jobs =
        job("first", "1 GiB", "true") + &job("second", "1 GiB", "cp out/report.json seen.json");
    let outcome = place.run_with(&["--policy", "sequential"], &jobs);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(place.job("first")["mig_profile"], "7g.40gb");
    let seen: serde_json::Value = serde_json::from_str(&place.read("seen.json")).unwrap();
    assert_eq!(seen["batch"]["jobs"], 2);
    assert_eq!(seen["jobs"].as_array().unwrap().len(), 1);
    assert_eq!(seen["jobs"][0]["name"], "first");
}

#[test]
fn two_jobs_run_at_once_where_the_host_has_two_cores() {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        eprintln!("skipped: this host has one core");
        return;
    }
    let place = Place::new();
    let fifos = std::process::Command::new("mkfifo")
        .args([place.path("a"), place.path("b")])
        .status();
    assert!(fifos.unwrap().success());
    // Each waits for the other: one after the other they would never end.
    let jobs = job("one", "1 GiB", "echo x > a; read y < b")
        + &job("two", "1 GiB", "read y < a; echo x > b");
    let outcome = place.run(&jobs);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

#[test]
fn jobs_that_wait_for_a_core_are_noted() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores >= 7 {
        eprintln!("skipped: this host has a core for each slice");
        return;
    }
    let place = Place::new();
    let copies = format!("count = {}\n", cores + 1);
    let outcome = place.run(&(job("one", "1 GiB", "true") + &copies));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let note = format!("at most {cores} job");
    let notes = place.report()["notes"].to_string();
    assert!(notes.contains(&note), "{notes}");
    assert!(outcome.stdout.contains("by the job file's word"));
    let few = Place::new();
    few.run(&job("one", "1 GiB", "true"));
    assert!(!few.report()["notes"].to_string().contains("at most"));
}

#[test]
fn each_job_has_its_own_files_and_sees_its_slice() {
    let place = Place::new();
    let script = "echo $CUDA_VISIBLE_DEVICES; echo problem >&2; echo $MIGFIT_VGPU $KEY; pwd";
    let jobs = job("env", "1 GiB", script) + "env = { KEY = 'value' }\ncwd = 'sub'\n";
    std::fs::create_dir(place.path("sub")).unwrap();
    let outcome = place.run(&jobs);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let output = place.read("out/jobs/env/stdout");
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("MIG-"), "{output}");
    assert_eq!(lines[1], "a100-40gb value");
    assert!(lines[2].ends_with("/sub"), "{output}");
    assert_eq!(place.read("out/jobs/env/stderr"), "problem\n");
    assert!(place.path("out/jobs/env/records").is_dir());
}

#[test]
fn the_report_claims_no_time_and_says_what_is_not_recorded() {
    let place = Place::new();
    let outcome = place.run(&job("one", "1 GiB", "echo verify: ok"));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let report = place.report();
    for key in [
        "makespan_s",
        "throughput_ratio",
        "energy_ratio",
        "time_source",
        "energy_source",
    ] {
        assert!(report["batch"][key].is_null(), "{key}");
    }
    let one = place.job("one");
    assert!(one["observed_peak_bytes"].is_null());
    assert!(
        one["verified"].is_null(),
        "nobody saw whether its kernels ran"
    );
    assert!(one["run_s"].as_f64().unwrap() > 0.0);
    let notes = report["notes"].to_string();
    assert!(notes.contains("libmigfit_runtime.so is missing"), "{notes}");
    assert!(
        outcome.stdout.contains("above 1 is better"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_program_without_job_profile_gets_the_whole_gpu_and_the_reason() {
    let place = Place::new();
    let outcome = place.run("[[jobs]]\ncommand = 'true'\n");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let job = place.job("true");
    assert_eq!(job["mig_profile"], "7g.40gb");
    assert_eq!(job["verdict"], "unknown");
    assert!(
        job["reason"]
            .as_str()
            .unwrap()
            .contains("carries no job profile"),
        "{job}"
    );
}

#[test]
fn json_is_the_report_file() {
    let place = Place::new();
    let outcome = place.run_with(&["--json"], &job("one", "1 GiB", "true"));
    assert_eq!(outcome.stdout, place.read("out/report.json"));
    assert_eq!(outcome.stderr, "");
}

#[test]
fn with_json_a_single_program_s_output_goes_to_its_file() {
    let place = Place::new();
    let words = [
        "run",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
        "--json",
    ];
    let program = ["sh", "-c", "echo hello; exit 3"];
    let outcome = place.migfit(&[&words[..], &program[..]].concat());
    assert_eq!(outcome.code, 3, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, place.read("out/report.json"));
    assert_eq!(place.read("out/jobs/sh/stdout"), "hello\n");
    let stdout = place.job("sh")["stdout"].as_str().unwrap().to_owned();
    assert!(stdout.ends_with("out/jobs/sh/stdout"), "{stdout}");
}

#[test]
fn a_second_run_takes_the_folder_over() {
    let place = Place::new();
    assert_eq!(place.run(&job("old", "1 GiB", "exit 4")).code, 89);
    assert_eq!(place.run(&job("one", "1 GiB", "true")).code, 0);
    assert_eq!(place.report()["batch"]["failed"], 0);
    assert!(place.path("out/jobs/one").exists());
    assert!(!place.path("out/jobs/old").exists(), "of the first run");
}
