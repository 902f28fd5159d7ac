//! Random programs: each is generated from a number, compiled by clang alone, run natively under the logging CUDA
//! library with two different device contents, and held against the analyzer's answer on the same IR. No "exact" may be
//! wrong, and no bound.
//!
//! `MIGFIT_RANDOM=10000` looks at so many programs, from `MIGFIT_RANDOM_SEED` on (one number repeats one program);
//! half as many have their IR mutated. What fails is kept under target/tests/random.

#![expect(
    clippy::expect_used,
    reason = "all of it runs in tests: a panic is how a test fails"
)]

mod bench;
mod case;
mod front_end;
mod generator;
mod mutate;
mod worker;

use bench::Bench;
use case::{Grade, Outcome};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs of a plain test run.
const FEW: u64 = 100;
/// Programs that a thread takes at a time: the front end is started for each form among them.
const AT_A_TIME: u64 = 25;

/// Programs that were once answered wrongly, or not at all: a failing exit behind work, alone or beside an end that
/// nothing comes to; a check of a variable's initial content that passed for one of success; deep recursion.
const ONCE_WRONG: [u64; 11] = [148, 484, 623, 911, 1211, 1421, 1525, 1591, 1788, 2115, 2876];

fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn no_random_program_is_answered_exactly_and_wrong() {
    let programs = number("MIGFIT_RANDOM", FEW);
    let first = number("MIGFIT_RANDOM_SEED", 1);
    let outcomes = judge(first, first + programs);
    print(programs, &outcomes);
    assert_none_fails(&outcomes);
}

#[test]
fn what_was_once_wrong_stays_right() {
    let mut bench = Bench::new();
    let seeds = ONCE_WRONG.into_iter();
    let outcomes: Vec<Outcome> = seeds.flat_map(|seed| bench.judge(seed..seed + 1)).collect();
    assert_none_fails(&outcomes);
}

fn assert_none_fails(outcomes: &[Outcome]) {
    let failing = outcomes.iter().filter(|one| one.grade.fails());
    let failing: Vec<String> = failing.map(Outcome::line).collect();
    assert!(
        failing.is_empty(),
        "{} wrong:\n{}",
        failing.len(),
        failing.join("\n")
    );
}

/// All programs from `first` up to `end`, by as many threads as there are processors.
fn judge(first: u64, end: u64) -> Vec<Outcome> {
    let next = AtomicU64::new(first);
    let outcomes = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut bench = Bench::new();
                loop {
                    let begin = next.fetch_add(AT_A_TIME, Ordering::Relaxed);
                    if begin >= end {
                        return;
                    }
                    let found = bench.judge(begin..end.min(begin + AT_A_TIME));
                    for one in found.iter().filter(|one| one.grade.fails()) {
                        println!("{}", one.line());
                    }
                    let mut all = outcomes.lock().expect("no panic while it is held");
                    all.extend(found);
                }
            });
        }
    });
    outcomes.into_inner().expect("all are done")
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
