//! One thread's tools: it builds programs by the dozen, has each run and foretold, and judges.

use crate::case::{Case, Grade, Outcome};
use crate::front_end::FrontEnd;
use crate::generator;
use crate::mutate;
use crate::worker::Worker;
use migfit_random::Question;
use migfit_tests::{Sandbox, logger, stage};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Command;

/// What one thread works with.
pub struct Bench {
    folder: Sandbox,
    front_end: FrontEnd,
    native: Worker,
    answers: Worker,
}

impl Bench {
    pub fn new() -> Bench {
        let folder = Sandbox::new();
        let library = logger::folder().join("libcudart.so.13");
        Bench {
            front_end: FrontEnd::new(&folder),
            native: Worker::start(Command::new(env!("CARGO_BIN_EXE_random-native")).arg(library)),
            answers: Worker::start(&mut Command::new(env!("CARGO_BIN_EXE_random-answers"))),
            folder,
        }
    }

    /// The programs of these numbers; of every second one a mutation as well.
    pub fn judge(&mut self, seeds: Range<u64>) -> Vec<Outcome> {
        let cases: Vec<Case> = seeds.flat_map(cases).collect();
        self.compile(&cases);
        cases.iter().flat_map(|case| self.look_at(case)).collect()
    }

    fn file(&self, name: &str, end: &str) -> PathBuf {
        self.folder.path(&format!("{name}.{end}"))
    }

    fn compile(&mut self, cases: &[Case]) {
        let mut forms: BTreeMap<Vec<&'static str>, Vec<PathBuf>> = BTreeMap::new();
        for case in cases {
            let name = format!("{}.cu", case.name());
            let source = self.folder.put(&name, &case.program.source);
            forms.entry(case.form()).or_default().push(source);
        }
        for (form, sources) in forms {
            self.front_end.compile(&form, &sources);
        }
        for case in cases.iter().filter(|case| case.mutated) {
            let ir = self.file(&case.name(), "ll");
            let text = std::fs::read_to_string(&ir).expect("clang wrote it");
            let changed = mutate::mutated(&text, case.program.seed);
            std::fs::write(&ir, changed).expect("the folder can be written");
        }
    }

    fn look_at(&mut self, case: &Case) -> Vec<Outcome> {
        let question = Question {
            ir: self.file(&case.name(), "ll"),
            folder: self.folder.folder().to_owned(),
            runs: case.program.runs.clone(),
        };
        self.native.ask(&question);
        self.answers.ask(&question);
        let (truths, answers) = (self.native.reply(), self.answers.reply());
        let outcomes = case.judge(truths, &answers);
        let odd =
            |one: &Outcome| one.grade.fails() || (one.grade == Grade::NoTruth && !case.mutated);
        if outcomes.iter().any(odd) {
            self.keep(case);
        }
        for end in ["cu", "ll", "log"] {
            // There is no log where nothing ran.
            let _ = std::fs::remove_file(self.file(&case.name(), end));
        }
        outcomes
    }

    fn keep(&self, case: &Case) {
        let kept = stage::target().join("tests/random");
        std::fs::create_dir_all(&kept).expect("target can be written");
        for end in ["cu", "ll"] {
            let name = format!("{}.{end}", case.name());
            let from = self.folder.path(&name);
            std::fs::copy(from, kept.join(name)).expect("target can be written");
        }
    }
}

fn cases(seed: u64) -> impl Iterator<Item = Case> {
    let ways: &[bool] = match seed.is_multiple_of(2) {
        true => &[false, true],
        false => &[false],
    };
    let program = generator::program(seed);
    ways.iter().map(move |&mutated| Case {
        program: program.clone(),
        mutated,
    })
}
