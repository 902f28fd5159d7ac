//! The demo: everything that migfit does on one GPU, with real programs and no GPU, in the order of a user's day.

mod closing;
mod outgrows;
mod planning;
mod show;

use crate::error::{ChoreError, file};
use crate::rodinia::{self, PROGRAMS, Program};
use crate::{paths, process, setup, stage};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const MODELS: [&str; 4] = ["a100-40gb", "a100-80gb", "h100-80gb-sxm", "a30-24gb"];
const GPU: &str = "virtual:a100-40gb";

/// How the line begins that tells when the plans stood.
pub const FIRST_RESULT: &str = "Layouts, plan and simulation stood after ";

/// Layout, plan and simulation first; then set-up, build, fit, run, report; then a job that outgrows its slice.
pub fn run() -> Result<(), ChoreError> {
    let begun = Instant::now();
    planning::show(begun)?;
    setup::run()?;
    stage::run(false)?;
    show::chapter(&format!(
        "4. Building {} CUDA programs with the real nvcc and their own builds",
        PROGRAMS.len()
    ));
    show::command("migfit build --host-compiler clang --virtual -- make");
    let folder = prepare(|make| process::run(make, "the compiler's message is above"))?;
    show::chapter("5. What each program needs, before it runs");
    PROGRAMS
        .iter()
        .try_for_each(|program| fit(program, &folder))?;
    show::chapter(
        "6. Running a batch on a virtual A100, each job on the tightest slice that holds it",
    );
    let report = run_batch(&folder)?;
    show::chapter("7. A job that outgrows its slice, on purpose");
    outgrows::show(&folder)?;
    show::chapter("8. What happened");
    closing::print(&report, begun.elapsed())
}

/// The programs built for the virtual GPU, with their inputs; quick when they are there.
pub fn built_programs() -> Result<PathBuf, ChoreError> {
    prepare(|make| process::quiet(make, "run `cargo xtask demo` to see the build"))
}

/// Sources, build and inputs; `build` runs the build command.
fn prepare(
    build: impl FnOnce(&mut Command) -> Result<(), ChoreError>,
) -> Result<PathBuf, ChoreError> {
    let folder = paths::target().join("demo/rodinia");
    rodinia::copy(&folder)?;
    build(&mut rodinia::build_command(&folder)?)?;
    rodinia::make_inputs(&folder)?;
    Ok(folder)
}

/// The formulas, then the need for two argument lists on four GPU models.
fn fit(program: &Program, folder: &Path) -> Result<(), ChoreError> {
    let path = format!("{0}/{0}", program.name);
    migfit_in(folder, &["fit", &path])?;
    for arguments in [program.arguments[0], program.large] {
        let models = MODELS.iter().flat_map(|model| ["--gpu", model]);
        let words = ["fit"].into_iter().chain(models).chain([path.as_str()]);
        let words: Vec<&str> = words.chain(arguments.split(' ')).collect();
        migfit_in(folder, &words)?;
    }
    Ok(())
}

fn run_batch(folder: &Path) -> Result<PathBuf, ChoreError> {
    let out = paths::target().join("demo/run");
    let shown = "migfit run -f mixes/all.toml --gpu virtual:a100-40gb --policy fifo --out ../run";
    show::command(shown);
    let mut run = Command::new(paths::program("migfit"));
    run.current_dir(folder).args([
        "run",
        "-f",
        "mixes/all.toml",
        "--gpu",
        GPU,
        "--policy",
        "fifo",
        "--out",
    ]);
    process::run(run.arg(&out), "each job's output lies in target/demo/run")?;
    let report = paths::target().join("demo/report.json");
    std::fs::copy(out.join("report.json"), &report).map_err(file("write", &report))?;
    Ok(report)
}

fn migfit(words: &[&str]) -> Result<(), ChoreError> {
    migfit_in(&paths::root(), words)
}

fn migfit_in(folder: &Path, words: &[&str]) -> Result<(), ChoreError> {
    show::command(&format!("migfit {}", words.join(" ")));
    let mut command = Command::new(paths::program("migfit"));
    process::run(
        command.args(words).current_dir(folder),
        "this is a bug in migfit: please report it",
    )
}
