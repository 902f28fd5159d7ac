//! The two commands as a stranger types them: in a fresh clone of this repository with an empty target folder.
//! What set-up installs system-wide stays, so the first-ever run on a machine takes the install time longer.

use super::figure::Figure;
use crate::error::{ChoreError, file};
use crate::{demo, paths, process};
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
    let (first, demo) = demo(&clone)?;
    let figures = vec![
        Figure::below("cold: layouts, plan and simulation", first, "s", 90.0),
        Figure::below("cold: demo, empty target", demo, "s", 900.0),
        Figure::below("cold: demo again", chore("demo", &clone)?, "s", 120.0),
        Figure::below("cold: test after demo", chore("test", &clone)?, "s", 900.0),
    ];
    std::fs::remove_dir_all(&clone).map_err(file("remove", &clone))?;
    Ok(figures)
}

/// Seconds until the plans stood, and until the end.
fn demo(clone: &Path) -> Result<(f64, f64), ChoreError> {
    let begun = Instant::now();
    let mut first = None;
    process::lines(&mut cargo("demo", clone), BY_HAND, |line| {
        if line.starts_with(demo::FIRST_RESULT) {
            first.get_or_insert(begun.elapsed().as_secs_f64());
        }
    })?;
    let first = first.ok_or_else(|| ChoreError::Unexpected {
        what: format!("the demo printed no line '{}...'", demo::FIRST_RESULT),
        hint: BY_HAND.to_owned(),
    })?;
    Ok((first, begun.elapsed().as_secs_f64()))
}

fn chore(name: &str, clone: &Path) -> Result<f64, ChoreError> {
    let begun = Instant::now();
    process::quiet(&mut cargo(name, clone), BY_HAND)?;
    Ok(begun.elapsed().as_secs_f64())
}

const BY_HAND: &str = "the chore failed in a fresh clone: run it there by hand";

fn cargo(chore: &str, clone: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["xtask", chore])
        .current_dir(clone)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("MIGFIT_STAGED");
    cargo
}
