//! Random programs: each is generated from a number, built by clang alone, run under the logging CUDA library with two
//! different device contents, and held against `migfit analyze` on the same IR. No "exact" may be wrong, and no bound.
//!
//! `MIGFIT_RANDOM=10000` looks at so many programs, from `MIGFIT_RANDOM_SEED` on (one number repeats one program);
//! half as many have their IR mutated. What fails is kept under target/tests/random.

#![expect(
    clippy::expect_used,
    reason = "all of it runs in tests: a panic is how a test fails"
)]

mod build;
mod case;
mod generator;
mod mutate;
mod truth;

use case::{Case, Grade, Outcome};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs of a plain test run.
const FEW: u64 = 24;

fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn no_random_program_is_answered_exactly_and_wrong() {
    let programs = number("MIGFIT_RANDOM", FEW);
    let first = number("MIGFIT_RANDOM_SEED", 1);
    let next = AtomicU64::new(first);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + programs {
                        return;
                    }
                    let mut found = Case::generated(seed).judge();
                    if seed.is_multiple_of(2) {
                        found.extend(Case::mutated(seed).judge());
                    }
                    outcomes
                        .lock()
                        .expect("no panic while it is held")
                        .extend(found);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().expect("all are done");
    print(programs, &outcomes);
    let wrong: Vec<String> = outcomes
        .iter()
        .filter(|one| one.grade == Grade::Wrong)
        .map(Outcome::line)
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn print(programs: u64, outcomes: &[Outcome]) {
    let mut count: BTreeMap<(bool, Grade), usize> = BTreeMap::new();
    for one in outcomes {
        *count.entry((one.mutated, one.grade)).or_default() += 1;
    }
    println!("{programs} programs, {} runs", outcomes.len());
    for ((mutated, grade), number) in count {
        println!(
            "{number:7}  {} {}",
            if mutated { "mutated  " } else { "generated" },
            grade.name()
        );
    }
    if std::env::var_os("MIGFIT_RANDOM_VERBOSE").is_some() {
        for one in outcomes {
            println!("{}", one.line());
        }
    }
}
