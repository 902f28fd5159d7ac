//! The demo: everything that migfit does on one GPU, with real programs and no GPU, in the order of a user's day.

mod closing;
mod show;

use crate::error::{ChoreError, file};
use crate::rodinia::{self, PROGRAMS, Program};
use crate::{paths, process, setup, stage};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const MODELS: [&str; 4] = ["a100-40gb", "a100-80gb", "h100-80gb-sxm", "a30-24gb"];
const GPU: &str = "virtual:a100-40gb";

/// Set-up, layout, build, fit, run, report.
pub fn run() -> Result<(), ChoreError> {
    let begun = Instant::now();
    setup::run()?;
    stage::run(false)?;
    show::chapter("1. The GPU: an A100 40GB, and the layouts of its five basic MIG profiles");
    migfit(&["layout", "show", "--gpu", "a100-40gb"])?;
    migfit(&["layout", "graph", "--gpu", "a100-40gb"])?;
    show::chapter(&format!(
        "2. Building {} CUDA programs with the real nvcc and their own Makefiles",
        PROGRAMS.len()
    ));
    show::command("migfit build --virtual -- make");
    let folder = prepare(|make| process::run(make, "the compiler's message is above"))?;
    show::chapter("3. What each program needs, before it runs");
    PROGRAMS
        .iter()
        .try_for_each(|program| fit(program, &folder))?;
    show::chapter(
        "4. Running a batch on a virtual A100, each job on the tightest slice that holds it",
    );
    let report = run_batch(&folder)?;
    show::chapter("5. What happened");
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
    let shown = "migfit run -f mixes/small.toml --gpu virtual:a100-40gb --policy fifo --out ../run";
    show::command(shown);
    let mut run = Command::new(paths::program("migfit"));
    run.current_dir(folder).args([
        "run",
        "-f",
        "mixes/small.toml",
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
