//! `migfit fit` on programs whose job profile is made here: formulas, figures, slices, JSON.

use crate::fixture::{Outcome, Sandbox, asking_size_program, elf, section, size_program, summary};

fn fit(words: &[&str]) -> Outcome {
    let sandbox = Sandbox::new();
    sandbox.put("vector", &elf(Some(&section(&summary(), None))));
    let outcome = sandbox.migfit(&[&["fit"], words].concat());
    assert_eq!(outcome.stderr, "");
    outcome
}

fn json(words: &[&str]) -> serde_json::Value {
    let text = fit(words).stdout;
    assert!(text.starts_with("{\n  \"version\": 1,\n"), "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn without_arguments_it_tells_the_formulas_with_their_places() {
    let outcome = fit(&["./vector"]);
    let expected = "vector: 1 allocation site, 0 launch sites\n\n\
                    allocations\n  vector.cu:12  cudaMalloc\n      bytes   arg(1) * 4\n\n\
                    peak\n      bytes   arg(1) * 4\n\n\
                    how inputs are written\n  arg(1): the first word behind the program, as a number\n";
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, expected));
}

#[test]
fn formulas_have_a_json_form() {
    let json = json(&["--json", "./vector"]);
    assert_eq!(json["program"], "vector");
    let formula = &json["formulas"]["allocations"][0];
    assert_eq!(formula["place"], "vector.cu:12");
    assert_eq!(
        formula["formulas"][0],
        serde_json::json!(["bytes", "arg(1) * 4"])
    );
    assert_eq!(json["job_profile"]["allocations"][0]["site"]["line"], 12);
}

#[test]
fn a_need_that_is_not_known_goes_to_the_whole_gpu_and_says_so() {
    let outcome = fit(&["./vector", "4096"]);
    assert!(
        outcome
            .stdout
            .starts_with("./vector 4096\ndevice memory: unknown\n"),
        "{}",
        outcome.stdout
    );
    for model in ["a100-40gb", "a100-80gb", "h100-80gb-sxm", "a30-24gb"] {
        let mut lines = outcome.stdout.lines();
        let row = lines
            .find(|line| line.trim_start().starts_with(model))
            .unwrap();
        assert!(
            row.contains("(whole)") && row.contains("not known well enough"),
            "{row}"
        );
    }
}

/// A program whose host code is there too.
fn vector() -> Sandbox {
    let sandbox = Sandbox::new();
    let program = elf(Some(&section(&summary(), Some(&size_program()))));
    sandbox.put("vector", &program);
    sandbox
}

#[test]
fn a_need_is_worked_out_for_the_arguments() {
    let outcome = vector().migfit(&["fit", "./vector", "4096"]);
    let expected = "./vector 4096\n\
                    device memory: 16.00 KiB at the peak (16384 bytes; 2.00 MiB as the driver rounds), exact\n\
                    known by: evaluation of the program's own code for these arguments\n\n\
                    allocations\n\
                    \x20 PLACE         CALL        TIMES  BYTES EACH  BYTES\n\
                    \x20 vector.cu:12  cudaMalloc      1       16384  16384\n\n\
                    slices\n";
    assert!(
        outcome.stdout.starts_with(expected),
        "{}{}",
        outcome.stdout,
        outcome.stderr
    );
    assert!(
        outcome.stdout.contains("a100-40gb      1g.5gb "),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("602 MiB  it is the smallest\n"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_larger_need_skips_the_slices_that_are_too_small_and_says_why() {
    let two_billion = vector().migfit(&[
        "fit",
        "--gpu",
        "a100-40gb",
        "--json",
        "./vector",
        "2000000000",
    ]);
    let json: serde_json::Value = serde_json::from_str(&two_billion.stdout).unwrap();
    assert_eq!(json["need"]["peak_bytes"], 8_000_000_000_u64);
    assert_eq!(json["need"]["verdict"], "exact");
    let gpu = &json["gpus"][0];
    assert_eq!(
        (&gpu["choice"], &gpu["mig_profile"]),
        (&"tightest".into(), &"1g.10gb".into())
    );
    let smallest = &gpu["slices"][0];
    assert_eq!(smallest["holds"], false);
    assert_eq!(
        (&smallest["has_mib"], &smallest["needs_mib"]),
        (&4864.into(), &8230.into())
    );
    let text = vector()
        .migfit(&["fit", "--gpu", "a100-40gb", "./vector", "2000000000"])
        .stdout;
    assert!(
        text.contains("1g.5gb: has 4864 MiB, need 8230 MiB"),
        "{text}"
    );
}

#[test]
fn device_variables_are_told_and_count() {
    let sandbox = Sandbox::new();
    let mut summary = summary();
    summary.device_variables = 5 << 20;
    let program = elf(Some(&section(&summary, Some(&size_program()))));
    sandbox.put("vector", &program);
    let text = sandbox.migfit(&["fit", "./vector", "4096"]).stdout;
    let line = "\ndevice variables: 5242880 bytes (of the module, not of an allocation call)\n";
    assert!(text.contains(line), "{text}");
    assert!(
        text.contains(" + device variables + CUDA context"),
        "{text}"
    );
    assert!(text.contains("608 MiB"), "{text}");
    let json = sandbox
        .migfit(&["fit", "--json", "./vector", "4096"])
        .stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["need"]["device_variable_bytes"], 5 << 20);
    assert_eq!(json["need"]["peak_bytes"], 16384);
    assert_eq!(json["gpus"][0]["slices"][0]["needs_mib"], 2 + 6 + 600);
}

#[test]
fn a_program_that_asks_its_device_is_headed_by_the_slice_to_take() {
    let sandbox = Sandbox::new();
    let program = elf(Some(&section(&summary(), Some(&asking_size_program()))));
    sandbox.put("vector", &program);
    let words = ["fit", "--gpu", "a100-40gb", "./vector", "4096"];
    let text = sandbox.migfit(&words).stdout;
    let head = "./vector 4096\non 1g.5gb of a100-40gb (it asks its device: each slice has its own need)\n\
                device memory: 16.00 KiB";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn the_boards_are_those_asked_for() {
    let gpus = |words: &[&str]| -> Vec<String> {
        let json = json(words);
        let gpus = json["gpus"].as_array().unwrap().iter();
        gpus.map(|gpu| gpu["gpu"].as_str().unwrap().to_owned())
            .collect()
    };
    let asked = [
        "--json",
        "--gpu",
        "a30-24gb",
        "--gpu",
        "virtual:a100-40gb",
        "./vector",
        "1",
    ];
    assert_eq!(gpus(&asked), ["a30-24gb", "virtual:a100-40gb"]);
    assert!(gpus(&["--json", "--gpu", "all", "./vector", "1"]).len() >= 16);
}

#[test]
fn everything_behind_the_program_is_the_program_s() {
    let json = json(&["--json", "./vector", "--json", "-n", "--", "--gpu"]);
    assert_eq!(
        json["args"],
        serde_json::json!(["--json", "-n", "--", "--gpu"])
    );
}

#[test]
fn a_program_without_arguments_has_figures_too() {
    let outcome = fit(&["--no-args", "./vector"]);
    assert!(
        outcome.stdout.starts_with("./vector\ndevice memory: "),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_model_that_does_not_exist_is_refused_with_the_one_meant() {
    let outcome = Sandbox::new().migfit(&["fit", "--gpu", "a100-4gb", "./vector", "1"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (85, ""));
    let expected =
        "error: no GPU model is called 'a100-4gb'\nhint: did you mean 'a100-40gb'? models: ";
    assert!(outcome.stderr.starts_with(expected), "{}", outcome.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_migfit"))
        .args(["layout", "graph", "--gpu", "a100-40gb", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}
