//! The two commands as a stranger types them: in a fresh clone of this repository with an empty target folder.
//! What set-up installs system-wide stays, so the first-ever run on a machine takes the install time longer.

use super::figure::Figure;
use crate::error::{ChoreError, file};
use crate::{paths, process};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Demo cold, demo again, then test, each in seconds.
pub fn cold() -> Result<Vec<Figure>, ChoreError> {
    let clone = paths::target().join("bench/clone");
    if clone.exists() {
        std::fs::remove_dir_all(&clone).map_err(file("remove", &clone))?;
    }
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--no-hardlinks"])
        .arg(paths::root())
        .arg(&clone);
    process::run(
        &mut git,
        "commit your work first: the clone holds what is committed",
    )?;
    let figures = vec![
        Figure::below(
            "cold: demo, empty target",
            chore("demo", &clone)?,
            "s",
            900.0,
        ),
        Figure::below("cold: demo again", chore("demo", &clone)?, "s", 120.0),
        Figure::below("cold: test after demo", chore("test", &clone)?, "s", 900.0),
    ];
    std::fs::remove_dir_all(&clone).map_err(file("remove", &clone))?;
    Ok(figures)
}

fn chore(name: &str, clone: &Path) -> Result<f64, ChoreError> {
    let begun = Instant::now();
    let mut cargo = Command::new("cargo");
    cargo
        .args(["xtask", name])
        .current_dir(clone)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("MIGFIT_STAGED");
    process::quiet(
        &mut cargo,
        "the chore failed in a fresh clone: run it there by hand",
    )?;
    Ok(begun.elapsed().as_secs_f64())
}
