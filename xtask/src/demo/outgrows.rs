//! A job whose stated memory is too small on purpose: it runs out on the smallest slice, and is started again on one
//! that holds what it asked for.

use super::{GPU, show};
use crate::error::ChoreError;
use crate::{paths, process};
use std::path::Path;
use std::process::Command;

const MIX: &str = "mixes/outgrows.toml";

/// Runs the mix.
pub fn show(folder: &Path) -> Result<(), ChoreError> {
    show::command(&format!(
        "migfit run -f {MIX} --gpu {GPU} --out ../outgrows"
    ));
    let mut run = Command::new(paths::program("migfit"));
    run.current_dir(folder)
        .args(["run", "-f", MIX, "--gpu", GPU, "--out"])
        .arg(paths::target().join("demo/outgrows"));
    process::run(
        &mut run,
        "each attempt's output lies in target/demo/outgrows",
    )
}
