//! Every check of the repository, in the order in which a mistake shows soonest.

use crate::error::ChoreError;
use crate::{paths, process, setup, stage};
use std::process::Command;
use std::time::Instant;

/// Random programs of a thorough test, from number 1 on.
const RANDOM_PROGRAMS: &str = "10000";

/// Set-up, then format, build, lints, tests, documentation; where thorough, many random programs as well.
pub fn run(thorough: bool) -> Result<(), ChoreError> {
    setup::run_for_tests()?;
    step(
        "format",
        &["fmt", "--all", "--check"],
        "run `cargo fmt --all`",
    )?;
    stage::run(false)?;
    let lints = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ];
    step(
        "lints (about a minute)",
        &lints,
        "mend what clippy names above",
    )?;
    step(
        "tests (about five minutes)",
        &["test", "--workspace", "--no-fail-fast"],
        "the failing test is named above",
    )?;
    let docs = [
        "doc",
        "--workspace",
        "--no-deps",
        "--document-private-items",
        "--quiet",
    ];
    step("documentation", &docs, "mend the links named above")?;
    if thorough {
        let all = ["test", "-p", "migfit-tests", "--test", "e2e", "assembler"];
        step_with(
            "every CUDA file of ours through NVIDIA's assembler (some minutes)",
            &all,
            &[("MIGFIT_ASSEMBLE", "all")],
            "the file that differs is named above",
        )?;
        let random = ["test", "-p", "migfit-random", "--", "--nocapture"];
        let programs = [("MIGFIT_RANDOM", RANDOM_PROGRAMS)];
        let name = "random programs (a quarter of an hour on two free cores)";
        step_with(
            name,
            &random,
            &programs,
            "the wrong ones are kept in target/tests/random",
        )?;
    }
    Ok(())
}

fn step(name: &str, args: &[&str], hint: &str) -> Result<(), ChoreError> {
    step_with(name, args, &[], hint)
}

fn step_with(
    name: &str,
    args: &[&str],
    environment: &[(&str, &str)],
    hint: &str,
) -> Result<(), ChoreError> {
    println!("==> {name}: cargo {}", args.join(" "));
    let begun = Instant::now();
    // The tests send signals: what whoever started us ignores (nohup, a shell's background jobs) must reach their jobs.
    let mut cargo = Command::new("env");
    cargo
        .arg("--default-signal=INT,QUIT,TERM,HUP")
        .arg(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(args)
        .current_dir(paths::root())
        .envs(environment.iter().copied());
    // The tests use what was staged just now instead of staging again.
    cargo
        .env("MIGFIT_STAGED", "1")
        // The same random cases each time: what fails, fails again.
        .env("PROPTEST_RNG_SEED", "20261130")
        .env("RUSTDOCFLAGS", "-D warnings");
    process::run(&mut cargo, hint)?;
    println!("    {name}: done in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}
