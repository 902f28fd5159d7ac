//! Jobs from a matrix and from standard input; and that a run does what its plan said.

use crate::fixture::{Place, outcome};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

#[test]
fn a_matrix_runs_every_combination_in_a_folder_of_its_own() {
    let place = Place::new();
    let jobs = "[[jobs]]\nname = 'show'\ncommand = ['sh', '-c', 'echo $W {n} {{x}}']\nmemory = '1 GiB'\n\
                env = { W = '{w}' }\nmatrix = { n = [1, 2], w = ['a/b', 'c'] }\n\
                [[jobs]]\nname = 'last'\ncommand = 'true'\nmemory = '1 GiB'\nafter = 'show'\n";
    let ran = place.run(jobs);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(place.read("out/jobs/show-1-a_b/stdout"), "a/b 1 {x}\n");
    assert_eq!(place.read("out/jobs/show-2-c/stdout"), "c 2 {x}\n");
    assert_eq!(place.job("last")["exit_code"], 0);
}

#[test]
fn commands_on_standard_input_run_and_do_not_read_what_follows() {
    let place = Place::new();
    let words = [
        "run",
        "-f",
        "-",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
    ];
    let mut command = place.command(&words);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"# two jobs\nsh -c 'cat; echo done'\nW=2 sh -c 'exit $W'\n")
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(89), "{error}");
    assert_eq!(place.read("out/jobs/sh#1/stdout"), "done\n");
    assert_eq!(place.job("sh#2")["exit_code"], 2);
}

#[test]
fn a_wrong_line_starts_nothing() {
    let place = Place::new();
    place.put("commands", "touch started\n./b 'open\n");
    let words = [
        "run",
        "-f",
        "-",
        "--gpu",
        "virtual:a100-40gb",
        "--out",
        "out",
    ];
    let commands = std::fs::File::open(place.path("commands")).unwrap();
    let refused = outcome(place.command(&words).stdin(commands));
    assert_eq!(refused.code, 91);
    assert!(
        refused.stderr.contains("standard input:2:1"),
        "{}",
        refused.stderr
    );
    assert!(!place.path("started").exists() && !place.path("out").exists());
}

#[test]
fn a_run_begins_as_its_plan_said() {
    let place = Place::new();
    let job = |name: &str, memory: &str| {
        format!("[[jobs]]\nname = '{name}'\ncommand = 'true'\nmemory = '{memory}'\n")
    };
    let jobs = job("a", "8 GiB") + &job("b", "15 GiB") + &job("c", "1 GiB") + &job("d", "1 GiB");
    place.put("jobs.toml", &jobs);
    let words = [
        "run",
        "--plan",
        "-f",
        "jobs.toml",
        "--gpu",
        "virtual:a100-40gb",
        "--json",
    ];
    let planned = place.migfit(&words);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    assert!(!place.path("out").exists(), "a plan writes nothing");
    let planned: Value = serde_json::from_str(&planned.stdout).unwrap();
    let ran = place.run(&jobs);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Those that begin at once do not depend on how long others take.
    let first = planned["jobs"].as_array().unwrap().iter();
    let first: Vec<&Value> = first.filter(|job| job["waits_for"].is_null()).collect();
    assert!(!first.is_empty());
    for expected in first {
        let real = place.job(expected["name"].as_str().unwrap());
        for key in ["mig_profile", "placement", "reason"] {
            let (planned, real) = (&expected[key], &real[key]);
            let real_text = real.to_string();
            match key {
                // The report adds what is foretold.
                "reason" => assert!(real_text.contains(planned.as_str().unwrap()), "{real_text}"),
                _ => assert_eq!(planned, real),
            }
        }
    }
}
