//! One program with its command lines, run and foretold: how the answers stand to the truth.

use crate::generator::Program;
use migfit_random::{Answer, Reply, Truth};

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
    /// The analysis crashed or did not end.
    NoAnswer,
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
            Grade::NoAnswer => "NO ANSWER",
        }
    }

    /// Whether the analyzer is to be mended.
    pub fn fails(self) -> bool {
        matches!(self, Grade::Wrong | Grade::NoAnswer)
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

/// A program, or a mutation of its IR.
pub struct Case {
    pub program: Program,
    pub mutated: bool,
}

impl Case {
    /// What its files are named after.
    pub fn name(&self) -> String {
        let mutated = if self.mutated { "m" } else { "" };
        format!("{}{mutated}", self.program.seed)
    }

    /// Flags of clang for its IR. What a mutation leaves unwritten on the stack shall be zero there: it has no value
    /// else, neither one that runs nor one that could be foretold.
    pub fn form(&self) -> Vec<&'static str> {
        let zero = self.mutated.then_some("-ftrivial-auto-var-init=zero");
        self.program.form.iter().copied().chain(zero).collect()
    }

    /// Each command line's grade.
    pub fn judge(
        &self,
        truths: Reply<Option<[Truth; 2]>>,
        answers: &Reply<Answer>,
    ) -> Vec<Outcome> {
        let truths = match truths {
            Reply::Done(truths) => truths,
            // A mutation can make IR invalid; a generated program is valid.
            Reply::Failed(_) if self.mutated => vec![None; self.program.runs.len()],
            Reply::Failed(why) => panic!("program {} has no truth: {why}", self.name()),
        };
        let runs = self.program.runs.iter().zip(&truths).enumerate();
        runs.map(|(at, (args, truths))| {
            let (grade, why) = match (truths, answers) {
                (None, _) => (Grade::NoTruth, String::new()),
                (Some(_), Reply::Failed(why)) => (Grade::NoAnswer, why.clone()),
                (Some(truths), Reply::Done(answers)) => compare(&answers[at], truths),
            };
            Outcome {
                seed: self.program.seed,
                mutated: self.mutated,
                args: args.clone(),
                grade,
                why,
            }
        })
        .collect()
    }
}

fn compare(answer: &Answer, truths: &[Truth; 2]) -> (Grade, String) {
    let differ = truths.iter().filter_map(|truth| difference(answer, truth));
    let differ: Vec<String> = differ.collect();
    let peaks = truths.each_ref().map(|truth| truth.peak);
    let (most, least) = (peaks[0].max(peaks[1]), peaks[0].min(peaks[1]));
    let grade = match answer.verdict.as_str() {
        "exact" if differ.is_empty() => Grade::Exact,
        "assumed" if differ.is_empty() => Grade::AssumedRight,
        "assumed" => Grade::AssumedWrong,
        "lower bound" if answer.peak.is_some_and(|peak| peak <= least) => Grade::Bound,
        "upper bound" if answer.peak.is_some_and(|peak| peak >= most) => Grade::Bound,
        "elastic" => Grade::Bound,
        "unknown" => Grade::Unknown,
        _ => Grade::Wrong,
    };
    let notes = answer.notes.iter().cloned();
    let why: Vec<String> = differ.into_iter().chain(notes).take(4).collect();
    (grade, format!("{}; {}", answer.verdict, why.join("; ")))
}

fn difference(answer: &Answer, truth: &Truth) -> Option<String> {
    if answer.peak != Some(truth.peak) {
        return Some(format!("peak {:?}, really {}", answer.peak, truth.peak));
    }
    let (foretold, really) = (&answer.launches, &truth.launches);
    (foretold != really).then(|| format!("launches {foretold:?}, really {really:?}"))
}
