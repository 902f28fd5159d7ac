//! An answer held against the truth.

use crate::answer::{self, Answer, Note};
use crate::fixture::{Fixture, Run};
use crate::form::Form;
use crate::truth::{self, Truth};
use std::collections::BTreeMap;

/// How an answer stands to the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// "exact", and peak, shapes and counts are right.
    Exact,
    /// "assumed", and peak and shapes are right.
    Assumed,
    /// A bound that holds, or "elastic".
    Bound,
    /// "unknown".
    Unknown,
    /// "assumed", and not right.
    AssumedWrong,
    /// "exact", or a bound, and not right: the worst.
    Wrong,
}

impl Grade {
    /// Every grade, the best first.
    pub const ALL: [Grade; 6] = [
        Grade::Exact,
        Grade::Assumed,
        Grade::Bound,
        Grade::Unknown,
        Grade::AssumedWrong,
        Grade::Wrong,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Exact => "exact and right",
            Grade::Assumed => "assumed and right",
            Grade::Bound => "a bound that holds",
            Grade::Unknown => "unknown",
            Grade::AssumedWrong => "assumed and wrong",
            Grade::Wrong => "exact or a bound, and WRONG",
        }
    }
}

/// One answer, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    pub program: String,
    pub number: usize,
    pub args: String,
    pub stated: String,
    pub verdict: String,
    pub grade: Grade,
    pub seconds: f64,
    /// Whether the formula of the peak gives what the evaluation does; none where there is none to compare.
    pub peak_form: Option<bool>,
    pub steps: u64,
    /// What differs, or why it is not known.
    pub why: String,
}

impl Judged {
    /// Whether the answer is right and has the verdict that the fixture states.
    pub fn is_as_stated(&self) -> bool {
        self.stated == self.verdict && !matches!(self.grade, Grade::Wrong | Grade::AssumedWrong)
    }

    /// One line of the table.
    pub fn line(&self) -> String {
        let mark = if self.is_as_stated() { " " } else { "!" };
        format!(
            "{mark} {:28} {:12} {:5.0} ms {:>9} steps  {} [{}] {}",
            self.program,
            self.verdict,
            self.seconds * 1e3,
            self.steps,
            self.grade.name(),
            self.args,
            self.why
        )
    }
}

/// Judges all runs of a program in one form.
pub fn judge(fixture: &Fixture, form: Form) -> Vec<Judged> {
    let numbered = fixture.runs.iter().enumerate();
    numbered
        .map(|(number, run)| one(fixture, form, number, run))
        .collect()
}

fn one(fixture: &Fixture, form: Form, number: usize, run: &Run) -> Judged {
    let truth = truth::of(fixture, number, run);
    let (answer, seconds) = answer::of(fixture, form, run);
    let differences = differences(&answer, &truth);
    let grade = grade(&answer, &truth, differences.is_empty());
    let mut why = differences;
    why.extend(answer.unknowns.iter().map(|note| told("unknown", note)));
    why.extend(answer.assumptions.iter().map(|note| told("assumed", note)));
    why.truncate(6);
    Judged {
        program: form.name_of(fixture),
        number,
        args: run.args.clone(),
        stated: match form.may_differ(fixture, &run.verdict, grade) {
            true => answer.verdict.clone(),
            false => run.verdict.clone(),
        },
        verdict: answer.verdict,
        grade,
        seconds,
        peak_form: answer.closed_forms.peak_agrees,
        steps: answer.steps,
        why: why.join("; "),
    }
}

fn told(kind: &str, note: &Note) -> String {
    let site = note.site.as_deref().unwrap_or("?");
    format!("{kind} {} at {site}: {}", note.what, note.reason)
}

fn grade(answer: &Answer, truth: &Truth, same: bool) -> Grade {
    let peak = answer.peak_bytes.unwrap_or(0);
    match answer.verdict.as_str() {
        "exact" if same => Grade::Exact,
        "assumed" if same => Grade::Assumed,
        "assumed" => Grade::AssumedWrong,
        "lower bound" if peak <= truth.peak => Grade::Bound,
        "upper bound" if peak >= truth.peak => Grade::Bound,
        "elastic" => Grade::Bound,
        "unknown" => Grade::Unknown,
        _ => Grade::Wrong,
    }
}

/// What differs in peak and shapes; in counts too, where the answer is exact.
fn differences(answer: &Answer, truth: &Truth) -> Vec<String> {
    let mut found: Vec<String> = answer
        .closed_forms
        .differ
        .iter()
        .map(|one| format!("the closed form of {} gives other bytes: {one:?}", one.site))
        .collect();
    if answer.peak_bytes != Some(truth.peak) {
        let foretold = answer
            .peak_bytes
            .map_or("?".to_owned(), |peak| peak.to_string());
        found.push(format!("peak {foretold}, really {}", truth.peak));
    }
    let mut foretold: BTreeMap<String, u64> = BTreeMap::new();
    for launch in &answer.launches {
        let shape = launch
            .shape()
            .unwrap_or_else(|| format!("{} ?", launch.kernel));
        *foretold.entry(shape).or_default() += launch.count;
    }
    for (shape, count) in &truth.launches {
        match foretold.get(shape) {
            None => found.push(format!("not foretold: {shape}")),
            Some(other) if other != count && answer.verdict == "exact" => {
                found.push(format!("{shape}: {other} times, really {count}"));
            }
            Some(_) => {}
        }
    }
    let extra = foretold
        .keys()
        .filter(|shape| !truth.launches.contains_key(*shape));
    found.extend(extra.map(|shape| format!("foretold only: {shape}")));
    found
}
