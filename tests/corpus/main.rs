//! The corpus: many small CUDA programs, each run once under a logging CUDA library that knows nothing of migfit
//! (tests/fixtures/logger); what it wrote down is kept beside the program and held against `migfit analyze`.
//!
//! `MIGFIT_CORPUS_TRUTH=write` runs the programs and writes the truths anew; `check` runs them and compares.
//! `MIGFIT_CORPUS_ONLY=part` looks only at programs whose names hold that part. The table goes to standard output.

#![expect(
    clippy::expect_used,
    reason = "all of it runs in tests: a panic is how a test fails"
)]

mod answer;
mod build;
mod fixture;
mod form;
mod header;
mod judged;
mod scene;
mod truth;

use fixture::Fixture;
use form::Form;
use judged::{Grade, Judged};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

#[test]
fn each_answer_is_the_truth_or_says_what_is_missing() {
    let fixtures = Fixture::all();
    assert!(!fixtures.is_empty(), "no fixtures");
    let mut broken = match std::env::var("MIGFIT_CORPUS_TRUTH").as_deref() {
        Ok("write") => in_parallel(&fixtures, truth::write),
        Ok("check") => in_parallel(&fixtures, truth::check),
        _ => Vec::new(),
    };
    broken.extend(judge(&fixtures, &[Form::Nvcc]));
    assert!(broken.is_empty(), "no answer, see above: {broken:?}");
}

#[test]
fn clang_s_own_ir_gets_the_same_answers() {
    let broken = judge(&Fixture::all(), &Form::OF_CLANG);
    assert!(broken.is_empty(), "no answer, see above: {broken:?}");
}

/// Names of programs of which there was no answer; fails where an answer is not as stated.
fn judge(fixtures: &[Fixture], forms: &[Form]) -> Vec<String> {
    let wanted = |fixture: &Fixture| {
        let mut forms = forms.to_vec();
        forms.retain(|form| !form.is_left_out(fixture));
        forms
    };
    // Built before anything is judged: answers are timed.
    let mut broken = in_parallel(fixtures, |fixture| {
        for form in wanted(fixture) {
            form.input(fixture);
        }
    });
    let judged = Mutex::new(Vec::new());
    broken.extend(in_parallel(fixtures, |fixture| {
        let of_one: Vec<Judged> = wanted(fixture)
            .into_iter()
            .flat_map(|form| judged::judge(fixture, form))
            .collect();
        judged
            .lock()
            .expect("no judge panics while holding it")
            .extend(of_one);
    }));
    let mut judged = judged.into_inner().expect("all judges are done");
    judged.sort_by(|a, b| (&a.program, a.number).cmp(&(&b.program, b.number)));
    print(&judged);
    let surprises: Vec<&Judged> = judged.iter().filter(|one| !one.is_as_stated()).collect();
    let list: Vec<String> = surprises.iter().map(|one| one.line()).collect();
    assert!(
        list.is_empty(),
        "{} surprises:\n{}",
        list.len(),
        list.join("\n")
    );
    broken
}

fn print(judged: &[Judged]) {
    for one in judged {
        println!("{}", one.line());
    }
    let count = |grade| judged.iter().filter(|one| one.grade == grade).count();
    println!("\n{} runs of {} programs", judged.len(), {
        let mut names: Vec<&str> = judged.iter().map(|one| one.program.as_str()).collect();
        names.dedup();
        names.len()
    });
    for grade in Grade::ALL {
        println!("{:5}  {}", count(grade), grade.name());
    }
    let exact = judged.iter().filter(|one| one.grade == Grade::Exact);
    let agree = exact.clone().filter(|one| one.peak_form == Some(true));
    println!(
        "the formula of the peak gives it in {} of {} exact runs",
        agree.count(),
        exact.count()
    );
    let mut times: Vec<f64> = judged.iter().map(|one| one.seconds).collect();
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get((times.len() * part).div_ceil(100).max(1) - 1);
    if let (Some(middle), Some(late), Some(last)) = (at(50), at(95), times.last()) {
        println!(
            "an answer takes: median {:.0} ms, 95 of 100 at most {:.0} ms, longest {:.0} ms",
            middle * 1e3,
            late * 1e3,
            last * 1e3
        );
    }
}

/// One on each core; gives the names of those at which the work panicked.
fn in_parallel(fixtures: &[Fixture], work: impl Fn(&Fixture) + Sync) -> Vec<String> {
    let next = Mutex::new(fixtures.iter());
    let broken = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let fixture = next.lock().expect("taking one does not panic").next();
            let Some(fixture) = fixture else { return };
            if catch_unwind(AssertUnwindSafe(|| work(fixture))).is_err() {
                let mut broken = broken.lock().expect("adding does not panic");
                broken.push(fixture.name.clone());
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(worker);
        }
    });
    broken.into_inner().expect("all workers are done")
}
