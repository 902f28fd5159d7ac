//! `migfit simulate`: policies on a simulated clock, for jobs with measured times.

use crate::fixture::Sandbox;
use serde_json::Value;

/// The 24 measured jobs.
const MEASURED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../rodinia/mixes/measured-a100-40gb.toml"
);

/// Jobs on the A30, worked out by hand below.
const FOUR_JOBS: &str = "
[[jobs]]
name = 'a'
count = 2
times = { '1g.6gb' = 10, '2g.12gb' = 8, '4g.24gb' = 4 }
[[jobs]]
name = 'b'
times = { '2g.12gb' = 20, '4g.24gb' = 12 }
[[jobs]]
name = 'c'
after = 'a'
iterations = 10
times = { '2g.12gb' = { startup = 1, iteration = 0.5 }, '4g.24gb' = 3 }
";

fn simulate(jobs: &str, words: &[&str]) -> Value {
    let sandbox = Sandbox::new();
    sandbox.put("jobs.toml", jobs.as_bytes());
    json(&sandbox, &[&["-f", "jobs.toml", "--json"], words].concat())
}

fn json(sandbox: &Sandbox, words: &[&str]) -> Value {
    let outcome = sandbox.migfit(&[&["simulate"], words].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// Equal but for the last digits, which a reader of JSON may lose.
fn close(number: &Value, expected: f64) -> bool {
    number
        .as_f64()
        .is_some_and(|number| (number - expected).abs() < 1e-12)
}

#[test]
fn four_jobs_come_out_as_worked_out_by_hand() {
    let answer = simulate(FOUR_JOBS, &["--gpu", "a30", "--policy", "sequential,fifo"]);
    let [sequential, fifo] = answer["policies"].as_array().unwrap().as_slice() else {
        panic!("two policies: {answer}");
    };
    // 4 + 4 + 12 + 3 on the whole GPU, made once.
    assert_eq!(sequential["makespan_s"], 23.25);
    assert_eq!(
        sequential["mean_wait_s"],
        (0.25 + 4.25 + 8.25 + 20.25) / 4.0
    );
    assert_eq!(sequential["throughput_ratio"], 1.0);
    assert!(
        close(&sequential["memory_utilization"], 23.0 / 23.25),
        "{sequential}"
    );
    // Both a on 1g and b on 2g at once; c after both a, in their place.
    assert_eq!(fifo["makespan_s"], 20.25);
    assert!(close(&fifo["throughput_ratio"], 23.25 / 20.25), "{fifo}");
    assert_eq!(fifo["mean_wait_s"], (3.0 * 0.25 + 10.5) / 4.0);
    let held = 2.0 * 10.0 + 2.0 * 20.0 + 2.0 * 6.0;
    assert!(
        close(&fifo["memory_utilization"], held / (4.0 * 20.25)),
        "{fifo}"
    );
    assert_eq!(fifo["new_gpu_instances"], 4);
    let jobs = fifo["jobs"].as_array().unwrap();
    let last = jobs.last().unwrap();
    assert_eq!(
        (&last["name"], &last["mig_profile"]),
        (&"c".into(), &"2g.12gb".into())
    );
    assert_eq!(
        (&last["start_s"], &last["end_s"]),
        (&10.5.into(), &16.5.into())
    );
}

#[test]
fn the_measured_jobs_are_all_there_and_one_by_one_they_take_the_sum() {
    let text = std::fs::read_to_string(MEASURED).unwrap();
    assert_eq!(text.matches("[[jobs]]").count(), 24);
    // One line for each slice that was measured, five kinds of them: all 24 jobs ran on the four upper ones but for 4 and 8.
    let on = |profile: &str| text.matches(&format!("\"{profile}\" = {{")).count();
    let counts = ["1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"].map(on);
    assert_eq!(counts, [15, 20, 24, 24, 24]);
    let answer = json(&Sandbox::new(), &["-f", MEASURED, "--json"]);
    let sequential = &answer["policies"][0];
    // Worked out from the file's text alone: startup + 1000 iterations on 7g, and one GPU instance.
    let whole = text.lines().filter(|line| line.starts_with("\"7g.40gb\""));
    let sum: f64 = whole
        .map(|line| {
            let numbers = line
                .split(['=', ',', '}'])
                .filter_map(|part| part.trim().parse::<f64>().ok());
            let numbers: Vec<f64> = numbers.collect();
            assert_eq!(numbers.len(), 2, "{line}");
            numbers[0] + 1000.0 * numbers[1]
        })
        .sum();
    let makespan = sequential["makespan_s"].as_f64().unwrap();
    assert!(
        (makespan - sum - 0.25).abs() < 1e-4,
        "{makespan} against {sum}"
    );
    // Our study of the same jobs found 1.1 times the throughput for this kind of policy, and no more than 1.42 for any.
    let fifo = answer["policies"][1]["throughput_ratio"].as_f64().unwrap();
    assert!((1.0..1.2).contains(&fifo), "{fifo}");
    assert_eq!(answer["policies"][1]["jobs"].as_array().unwrap().len(), 24);
    assert_eq!(answer["simulated"], true);
}

#[test]
fn the_text_names_what_it_is() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.migfit(&["simulate", "-f", MEASURED]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    for part in [
        "24 jobs on a100-40gb, simulated; nothing was run",
        "taken as measured on a100-40gb; no interference between slices",
        "all jobs are submitted at 0",
        "restarts are not simulated",
    ] {
        assert!(outcome.stdout.contains(part), "{}", outcome.stdout);
    }
    let again = sandbox.migfit(&["simulate", "-f", MEASURED]);
    assert_eq!(again.stdout, outcome.stdout);
}

#[test]
fn the_baseline_is_taken_even_where_it_is_not_shown() {
    let answer = simulate(FOUR_JOBS, &["--gpu", "a30", "--policy", "fifo"]);
    assert_eq!(answer["policies"].as_array().unwrap().len(), 1);
    let ratio = &answer["policies"][0]["throughput_ratio"];
    assert!(close(ratio, 23.25 / 20.25), "{ratio}");
    let without = "[[jobs]]\nname = 'a'\ntimes = { '1g.5gb' = 5 }\n";
    let answer = simulate(without, &["--policy", "fifo"]);
    assert_eq!(answer["policies"][0]["throughput_ratio"], Value::Null);
}

#[test]
fn the_host_bounds_what_runs_at_once_where_it_is_stated() {
    let jobs =
        "[[jobs]]\nname = 'a'\ncount = 4\nhost_memory = '2 GiB'\ntimes = { '1g.5gb' = 10 }\n";
    let makespan = |words: &[&str]| {
        let answer = simulate(jobs, &[&["--policy", "fifo"], words].concat());
        answer["policies"][0]["makespan_s"].as_f64().unwrap()
    };
    assert_eq!(makespan(&[]), 10.25);
    // The third job has a better place than the idle first slice, and waits until that is made.
    assert_eq!(makespan(&["--cpus", "2"]), 20.5);
    assert_eq!(makespan(&["--host-memory", "3 GiB"]), 40.25);
}

#[test]
fn what_cannot_be_simulated_is_refused_with_a_hint() {
    let timed = "[[jobs]]\nname = 'a'\ntimes = { '1g.5gb' = 5 }\n";
    let cases: &[(&str, &[&str], i32, &str)] = &[
        (
            "[[jobs]]\ncommand = './a'\n[[jobs]]\ncommand = './b'\n",
            &["--policy", "fifo"],
            91,
            "2 of 2 jobs have no measured time to simulate policy fifo with\n  a: no times (jobs.toml:2:11)",
        ),
        (
            timed,
            &[],
            91,
            "1 of 1 job has no measured time to simulate policy sequential with\n  a: no time for 7g.40gb (jobs.toml:3:9)\n\
             hint: add the seconds that a run takes on each slice that holds it: times = { \"7g.40gb\" = 12.5 }",
        ),
        (
            timed,
            &["--gpu", "a30"],
            91,
            "job 'a' has a time for 1g.5gb, which a30-24gb has not\n  jobs.toml:3:9",
        ),
        (
            timed,
            &["--policy", "fifo,fifi"],
            85,
            "no policy is called 'fifi'",
        ),
        (
            timed,
            &["--policy", "fifo,fifo"],
            80,
            "--policy names fifo twice",
        ),
        (timed, &["--cpus", "0"], 80, "0 is not in 1.."),
        (timed, &["--host-memory", "6 GB"], 80, "did you mean GiB?"),
        ("", &[], 91, "the job file holds no jobs"),
        (
            "[[jobs]]\nname = 'a'\nmemory = '64 GiB'\ntimes = { '7g.40gb' = 5 }\n",
            &[],
            90,
            "a: needs 66136 MiB",
        ),
    ];
    for (jobs, words, code, part) in cases {
        let sandbox = Sandbox::new();
        sandbox.put("jobs.toml", jobs.as_bytes());
        let outcome = sandbox.migfit(&[&["simulate", "-f", "jobs.toml"], *words].concat());
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (*code, ""),
            "{jobs}"
        );
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("hint: ") || *code == 80,
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn a_static_layout_stays_as_it_is_and_one_that_is_not_legal_is_refused() {
    let policy = "static:2g.12gb@0 2g.12gb@2";
    let answer = simulate(FOUR_JOBS, &["--gpu", "a30", "--policy", policy]);
    assert_eq!(answer["policies"][0]["policy"], policy);
    assert_eq!(answer["policies"][0]["new_gpu_instances"], 2);
    let best = simulate(FOUR_JOBS, &["--gpu", "a30", "--policy", "static:best"]);
    let made = &best["policies"][0]["new_gpu_instances"];
    assert!(made.as_u64().is_some_and(|made| made <= 4), "{best}");
    let sandbox = Sandbox::new();
    sandbox.put("jobs.toml", FOUR_JOBS.as_bytes());
    let words = ["simulate", "-f", "jobs.toml", "--gpu", "a30", "--policy"];
    let outcome = sandbox.migfit(&[&words[..], &["static:2g.12gb@1"]].concat());
    assert_eq!(outcome.code, 80, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("2g.12gb may start at 0 2"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn every_policy_plays_the_measured_jobs_and_ours_is_ahead() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../rodinia/mixes/measured-a100-40gb.toml"
    );
    let sandbox = Sandbox::new();
    let answer = json(&sandbox, &["-f", file, "--policy", "all", "--json"]);
    let makespan = |name: &str| {
        let policies = answer["policies"].as_array().unwrap().iter();
        let mut own = policies.filter(|policy| policy["policy"] == name);
        own.next().unwrap()["makespan_s"].as_f64().unwrap()
    };
    let ours = makespan("migfit");
    for other in [
        "sequential",
        "fifo",
        "passing",
        "sorted",
        "far",
        "static:best",
    ] {
        assert!(
            ours < makespan(other),
            "{other}: {} against {ours}",
            makespan(other)
        );
    }
    // The joint area bound of these jobs is 1.416 times the throughput of one by one.
    let ratio = makespan("sequential") / ours;
    assert!(ratio >= 0.98 * 1.416, "{ratio}");
}

/// Trials of the measured jobs: the policies' answers.
fn trials(words: &[&str]) -> Value {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../rodinia/mixes/measured-a100-40gb.toml"
    );
    json(&Sandbox::new(), &[&["-f", file, "--json"], words].concat())
}

#[test]
fn known_times_are_planned_to_the_optimum() {
    let words = ["--trials", "24", "--draw", "4-8", "--policy", "migfit"];
    let answer = trials(&words);
    let ours = &answer["policies"][0];
    assert_eq!(ours["proved"], 24);
    let number = |key: &str| ours["against_yardstick"][key].as_f64().unwrap();
    assert!(number("mean") <= 1.005, "{ours}");
    assert!(number("worst") <= 1.02, "{ours}");
    assert_eq!(answer, trials(&words), "a trial repeats");
}

#[test]
fn foretold_times_that_are_off_cost_little() {
    let words = [
        "--trials", "60", "--draw", "4-8", "--error", "10", "--policy", "migfit",
    ];
    let answer = trials(&words);
    let ours = &answer["policies"][0]["against_yardstick"];
    assert!(ours["mean"].as_f64().unwrap() <= 1.03, "{ours}");
}

#[test]
fn jobs_that_arrive_fare_better_than_on_tightest_slices() {
    for load in ["0.3", "0.7"] {
        let words = [
            "--draw",
            "300",
            "--load",
            load,
            "--policy",
            "passing,migfit",
        ];
        let answer = trials(&words);
        let mean = |at: usize, key: &str| answer["policies"][at][key]["mean"].as_f64().unwrap();
        for key in ["mean_turnaround_s", "mean_slowdown"] {
            assert!(mean(1, key) < mean(0, key), "{load} {key}: {answer}");
        }
    }
}

#[test]
fn chance_that_cannot_be_is_refused() {
    let cases: [(&[&str], &str); 4] = [
        (&["--error", "-1"], "no error in percent"),
        (&["--load", "0"], "no load"),
        (&["--draw", "8-4"], "no number of jobs"),
        (&["--draw", "many"], "no number of jobs"),
    ];
    for (words, what) in cases {
        let sandbox = Sandbox::new();
        sandbox.put("jobs.toml", FOUR_JOBS.as_bytes());
        let words = [&["simulate", "-f", "jobs.toml"], words].concat();
        let outcome = sandbox.migfit(&words);
        assert_eq!(outcome.code, 80, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(what), "{}", outcome.stderr);
    }
}

#[test]
fn a_host_that_holds_few_jobs_at_once_is_planned_for() {
    for cpus in ["1", "2", "3", "4"] {
        let policies = "sequential,fifo,passing,static:best,migfit";
        let answer = {
            let file = concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../rodinia/mixes/measured-a100-40gb.toml"
            );
            let words = ["-f", file, "--json", "--cpus", cpus, "--policy", policies];
            json(&Sandbox::new(), &words)
        };
        let makespans = answer["policies"].as_array().unwrap().iter();
        let makespans: Vec<f64> = makespans
            .map(|p| p["makespan_s"].as_f64().unwrap())
            .collect();
        let best = makespans[..4].iter().copied().fold(f64::MAX, f64::min);
        assert!(makespans[4] <= 1.02 * best, "{cpus} cores: {makespans:?}");
    }
}
