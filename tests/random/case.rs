//! One program with its command lines: built, run and compared.

use crate::generator::{self, Program};
use crate::truth::{self, Truth};
use crate::{build, mutate};
use migfit_tests::{Sandbox, Stage, process, source::tool, stage};
use serde_json::Value;
use std::collections::BTreeMap;

/// How an answer stands to the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Exact,
    AssumedRight,
    AssumedWrong,
    Bound,
    Unknown,
    /// The truth itself is not to be had: it crashed, did not end, or is not valid IR.
    NoTruth,
    /// "exact" and not what happened, or a bound that does not hold.
    Wrong,
}

impl Grade {
    pub fn name(self) -> &'static str {
        match self {
            Grade::Exact => "exact and right",
            Grade::AssumedRight => "assumed and right",
            Grade::AssumedWrong => "assumed and not right",
            Grade::Bound => "a bound that holds",
            Grade::Unknown => "unknown",
            Grade::NoTruth => "crashed or did not end: no truth",
            Grade::Wrong => "WRONG",
        }
    }
}

/// One run, judged.
pub struct Outcome {
    pub seed: u64,
    pub mutated: bool,
    pub args: Vec<String>,
    pub grade: Grade,
    pub why: String,
}

impl Outcome {
    pub fn line(&self) -> String {
        let mutated = if self.mutated { " mutated" } else { "" };
        format!(
            "seed {}{mutated} {:?}: {}: {}",
            self.seed,
            self.args,
            self.grade.name(),
            self.why
        )
    }
}

/// A program to look at.
pub struct Case {
    program: Program,
    mutated: bool,
}

impl Case {
    pub fn generated(seed: u64) -> Case {
        Case {
            program: generator::program(seed),
            mutated: false,
        }
    }

    pub fn mutated(seed: u64) -> Case {
        Case {
            program: generator::program(seed),
            mutated: true,
        }
    }

    /// Builds it, runs each command line, and compares.
    pub fn judge(self) -> Vec<Outcome> {
        let folder = Sandbox::new();
        let ir = build::ir(&folder, &self.program.source, &self.program.form);
        if self.mutated {
            let text = std::fs::read_to_string(&ir).expect("clang wrote it");
            std::fs::write(&ir, mutate::mutated(&text, self.program.seed))
                .expect("the folder can be written");
        }
        let built = build::program(&folder, &ir);
        assert!(
            self.mutated || built.is_ok(),
            "seed {}: {built:?}",
            self.program.seed
        );
        let outcomes: Vec<Outcome> = self
            .program
            .runs
            .iter()
            .map(|args| {
                let truths = built.as_ref().ok().map(|program| {
                    [1, 77].map(|contents| truth::of(&folder, program, args, contents))
                });
                let (grade, why) = match truths {
                    Some([Some(first), Some(second)]) => {
                        compare(&answer(&folder, args), &[first, second])
                    }
                    _ => (Grade::NoTruth, String::new()),
                };
                Outcome {
                    seed: self.program.seed,
                    mutated: self.mutated,
                    args: args.clone(),
                    grade,
                    why,
                }
            })
            .collect();
        let odd = |one: &Outcome| {
            one.grade == Grade::Wrong || (one.grade == Grade::NoTruth && !self.mutated)
        };
        if outcomes.iter().any(odd) {
            keep(&folder, &self);
        }
        outcomes
    }
}

fn keep(folder: &Sandbox, case: &Case) {
    let kept = stage::target().join(format!(
        "tests/random/{}{}",
        case.program.seed,
        if case.mutated { "m" } else { "" }
    ));
    std::fs::create_dir_all(&kept).expect("target can be written");
    for name in ["program.cu", "program.ll", "program"] {
        let _ = std::fs::copy(folder.path(name), kept.join(name));
    }
}

fn answer(folder: &Sandbox, args: &[String]) -> Value {
    let mut command = tool(Stage::ready().program("migfit"));
    command
        .arg("analyze")
        .arg(folder.path("program.ll"))
        .args(["--json", "--args", &args.join(" "), "--cwd"])
        .arg(folder.folder());
    let outcome = process::output(&mut command).expect_success();
    serde_json::from_str(&outcome.stdout).expect("the answer is JSON")
}

fn compare(answer: &Value, truths: &[Truth]) -> (Grade, String) {
    let verdict = answer["verdict"].as_str().expect("a verdict");
    let peak = answer["peak_bytes"].as_u64();
    let differ: Vec<String> = truths
        .iter()
        .filter_map(|truth| difference(answer, peak, truth))
        .collect();
    let most = truths.iter().map(|truth| truth.peak).max().unwrap_or(0);
    let least = truths.iter().map(|truth| truth.peak).min().unwrap_or(0);
    let grade = match verdict {
        "exact" if differ.is_empty() => Grade::Exact,
        "assumed" if differ.is_empty() => Grade::AssumedRight,
        "assumed" => Grade::AssumedWrong,
        "lower bound" if peak.is_some_and(|peak| peak <= least) => Grade::Bound,
        "upper bound" if peak.is_some_and(|peak| peak >= most) => Grade::Bound,
        "elastic" => Grade::Bound,
        "unknown" => Grade::Unknown,
        _ => Grade::Wrong,
    };
    let mut why = differ;
    for key in ["unknowns", "assumptions"] {
        let notes = answer[key].as_array().into_iter().flatten();
        why.extend(notes.map(|note| {
            format!(
                "{key}: {} at {}: {}",
                note["what"], note["site"], note["reason"]
            )
        }));
    }
    why.truncate(4);
    (grade, format!("{verdict}; {}", why.join("; ")))
}

fn difference(answer: &Value, peak: Option<u64>, truth: &Truth) -> Option<String> {
    if peak != Some(truth.peak) {
        return Some(format!("peak {peak:?}, really {}", truth.peak));
    }
    let mut foretold: BTreeMap<String, u64> = BTreeMap::new();
    for launch in answer["launches"].as_array().into_iter().flatten() {
        let three = |key: &str| {
            let of: Vec<String> = launch[key]
                .as_array()
                .into_iter()
                .flatten()
                .map(Value::to_string)
                .collect();
            of.join("x")
        };
        let kernel = launch["kernel"].as_str().unwrap_or("?");
        let shape = format!(
            "{kernel} {} {} {}",
            three("grid"),
            three("block"),
            launch["shared_bytes"]
        );
        *foretold.entry(shape).or_default() += launch["count"].as_u64().unwrap_or(0);
    }
    (foretold != truth.launches)
        .then(|| format!("launches {foretold:?}, really {:?}", truth.launches))
}
