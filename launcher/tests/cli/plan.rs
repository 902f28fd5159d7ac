//! `migfit run --plan`: who would go where and why; nothing is started and nothing is written.

use crate::fixture::{Outcome, Sandbox, elf, section, size_program, summary};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

fn planned(sandbox: &Sandbox, words: &[&str]) -> Outcome {
    // The plan of a test must not depend on the machine that it runs on.
    let cpus = match words.contains(&"--cpus") {
        true => &[][..],
        false => &["--cpus", "8"],
    };
    let usual = ["run", "--plan", "--gpu", "a100-40gb"];
    sandbox.migfit(&[&usual, cpus, words].concat())
}

fn plan(jobs: &str, words: &[&str]) -> Outcome {
    let sandbox = Sandbox::new();
    sandbox.put("jobs.toml", jobs.as_bytes());
    let outcome = planned(&sandbox, &[&["-f", "jobs.toml"], words].concat());
    let left: Vec<_> = std::fs::read_dir(sandbox.path("")).unwrap().collect();
    assert_eq!(left.len(), 1, "a plan writes nothing: {left:?}");
    outcome
}

fn json(jobs: &str, words: &[&str]) -> Value {
    let outcome = plan(jobs, &[&["--json"], words].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    serde_json::from_str(&outcome.stdout).unwrap()
}

const TIMED: &str = "
[[jobs]]
name = 'large'
times = { '4g.20gb' = 20, '7g.40gb' = 12 }
[[jobs]]
name = 'small'
count = 2
times = { '3g.20gb' = 10, '7g.40gb' = 6 }
";

#[test]
fn a_plan_with_times_is_a_timetable() {
    let outcome = plan(TIMED, &[]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let expected = "\
plan: 3 jobs on a100-40gb, policy migfit; nothing was run

  JOB      SLICE         NEEDS    START      END  WAITS FOR  WHY
  large    4g.20gb@0  by times   0.25 s  20.25 s  -          new: as planned
  small#1  3g.20gb@4  by times   0.25 s  10.25 s  -          new: as planned
  small#2  3g.20gb@4  by times  10.25 s  20.25 s  small#1    idle one as it is: as planned

makespan 20.25 s (simulated)
note: starts and ends are simulated: times of the job file, 0.25 s for each new GPU instance (assumed), no interference between slices
note: no command, for plans and simulations only: large, small#1, small#2
note: restarts are not planned
note: the best place keeps the most full layouts reachable; --json has whole reasons
";
    assert_eq!(outcome.stdout, expected);
}

#[test]
fn a_plan_without_times_is_an_order() {
    let jobs = "
[[jobs]]
name = 'first'
command = '/bin/sh'
memory = '15 GiB'
count = 2
[[jobs]]
name = 'last'
command = '/bin/sh'
memory = '1 GiB'
after = 'first'
[[jobs]]
name = 'other'
command = '/bin/sh'
memory = '1 GiB'
";
    let answer = json(jobs, &[]);
    assert_eq!(
        (&answer["kind"], &answer["makespan_s"]),
        (&"order".into(), &Value::Null)
    );
    let told: Vec<String> = answer["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| {
            format!(
                "{} {} {} {}",
                job["name"], job["mig_profile"], job["needs_mib"], job["waits_for"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "\"first#1\" \"3g.20gb\" 15960 null",
            "\"first#2\" \"3g.20gb\" 15960 null",
            "\"other\" \"1g.5gb\" 1624 \"first#1\"",
            "\"last\" \"1g.5gb\" 1624 \"first#2\"",
        ]
    );
    assert_eq!(
        answer["jobs"][3]["waits_because"],
        "it comes after that job"
    );
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.starts_with("an order, not a timetable"), "{note}");
}

#[test]
fn what_the_job_profile_foretells_is_planned_with() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "a.out",
        &elf(Some(&section(&summary(), Some(&size_program())))),
    );
    let outcome = planned(&sandbox, &["--json", "./a.out", "1000"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let fit = sandbox.migfit(&["fit", "--gpu", "a100-40gb", "--json", "./a.out", "1000"]);
    let fit: Value = serde_json::from_str(&fit.stdout).unwrap();
    let job = &answer["jobs"][0];
    assert_eq!(job["verdict"], "exact");
    assert_eq!(job["predicted_bytes"], fit["need"]["peak_bytes"], "{fit}");
    assert_eq!(job["hindrance"], Value::Null);
}

#[test]
fn programs_that_are_missing_or_tell_nothing_are_said_so() {
    let jobs = "[[jobs]]\nname = 'gone'\ncommand = './gone'\n[[jobs]]\nname = 'mute'\ncommand = '/bin/sh'\n";
    let outcome = plan(jobs, &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for part in [
        "gone  7g.40gb@0  unknown  -          new: only place",
        "mute  7g.40gb@0  unknown  gone       idle one as it is: only place",
        "note: migfit run would not begin: no program yet for gone\n",
        "note: need not foretold, so the whole GPU: mute; migfit build makes job profiles",
    ] {
        assert!(outcome.stdout.contains(part), "{}", outcome.stdout);
    }
    let answer = json(jobs, &[]);
    let hindrance = answer["jobs"][0]["hindrance"].as_str().unwrap();
    assert!(hindrance.contains("gone"), "{hindrance}");
    let reason = answer["jobs"][1]["need_reason"].as_str().unwrap();
    assert!(reason.contains("carries no job profile"), "{reason}");
}

#[test]
fn the_host_that_is_planned_for_bounds_what_runs_at_once() {
    let jobs = "[[jobs]]\nname = 'a'\ncount = 3\ntimes = { '1g.5gb' = 10 }\n";
    let answer = json(jobs, &["--cpus", "1", "--policy", "fifo"]);
    assert_eq!(answer["makespan_s"], 30.25);
    let notes = answer["notes"].to_string();
    assert!(notes.contains("the host has 1 cores"), "{notes}");
}

#[test]
fn commands_on_standard_input_are_planned() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_migfit"))
        .args([
            "run",
            "--plan",
            "--gpu",
            "virtual:a30-24gb",
            "--cpus",
            "4",
            "-f",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"# two\n/bin/sh -c 'exit 1'\n\n/bin/sh\n")
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("plan: 2 jobs on virtual:a30-24gb, policy migfit"),
        "{text}"
    );
    assert!(text.contains("sh#1  4g.24gb@0"), "{text}");
}

#[test]
fn what_a_run_refuses_a_plan_refuses_with_the_same_codes() {
    let cases: &[(&str, &[&str], i32, &str)] = &[
        (
            "[[jobs]]\nname = 'a'\ncommand = '/bin/sh'\nmemory = '64 GiB'\n",
            &[],
            90,
            "1 of 1 job needs more memory than the largest slice has; nothing was started",
        ),
        (
            "[[jobs]]\nname = 'a'\ncommand = 'x'\nafter = 'b'\n[[jobs]]\nname = 'b'\ncommand = 'x'\nafter = 'a'\n",
            &[],
            91,
            "after goes round in a circle: a -> b -> a\n  jobs.toml:4:9",
        ),
        (
            "[[jobs]]\nname = 'a'\ntimes = { '1g.10mb' = 5 }\n",
            &[],
            91,
            "'1g.10mb' is no MIG profile\n  jobs.toml:3:11",
        ),
        (
            "[[jobs]]\nname = 'a'\ntimes = { '2g.12gb' = 5 }\n",
            &[],
            91,
            "job 'a' has a time for 2g.12gb, which a100-40gb has not\n  jobs.toml:3:9\nhint: measured on another GPU? --gpu a30-24gb",
        ),
        (TIMED, &["--policy", "fifi"], 85, "did you mean 'fifo'?"),
        (TIMED, &["--out", "x"], 80, "--out"),
        (TIMED, &["--slice", "MIG-1"], 80, "--slice"),
    ];
    for (jobs, words, code, part) in cases {
        let outcome = plan(jobs, words);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (*code, ""),
            "{jobs}"
        );
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
}

#[test]
fn a_plan_looks_at_no_gpu_and_a_run_takes_the_host_as_it_is() {
    let sandbox = Sandbox::new();
    let refused = |words: &[&str]| {
        let outcome = sandbox.migfit(&[&["run"], words].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (80, ""));
        outcome.stderr
    };
    for words in [
        &["--plan", "/bin/sh"][..],
        &["--plan", "--gpu", "GPU-1", "/bin/sh"],
    ] {
        let error = refused(words);
        assert!(
            error.contains("hint: name its model, like a100-40gb"),
            "{error}"
        );
    }
    let error = refused(&["--cpus", "4", "/bin/sh"]);
    assert!(
        error.contains("hint: leave it out, or add --plan"),
        "{error}"
    );
    let unknown = sandbox.migfit(&["run", "--plan", "--gpu", "a100-4gb", "/bin/sh"]);
    assert_eq!(unknown.code, 85);
}
