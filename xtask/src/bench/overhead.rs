//! What `migfit run` costs over starting the program by itself, on a slice of the virtual GPU that is there already
//! (made by a client of NVML that is not ours): the difference of two medians, taken in turns in one run.

use super::figure::{Figure, median};
use crate::error::{ChoreError, file};
use crate::setup::clients;
use crate::{demo, paths, process};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Pairs of runs.
const PAIRS: usize = 31;
/// Milliseconds that migfit may cost.
const TARGET_MS: f64 = 20.0;
const MODEL: &str = "a100-40gb";
const MIG_PROFILE: &str = "1g.5gb";

#[derive(Deserialize)]
struct Shown {
    mig_devices: Vec<MigDevice>,
}

#[derive(Deserialize)]
struct MigDevice {
    uuid: String,
}

/// A virtual GPU with one slice.
struct Bed {
    folder: PathBuf,
    state: PathBuf,
    slice: String,
}

/// `migfit run --slice UUID PROGRAM ARGS` against `PROGRAM ARGS`.
pub fn overhead() -> Result<Vec<Figure>, ChoreError> {
    let programs = demo::built_programs()?;
    let bed = Bed::make()?;
    let program = programs.join("lud/lud");
    let words = ["-i", "inputs/matrix_128"];
    let (mut alone, mut under) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let mut command = Command::new(&program);
        bed.serve(&mut command)
            .env("CUDA_VISIBLE_DEVICES", &bed.slice);
        alone.push(milliseconds(command.args(words).current_dir(&programs))?);
        let mut command = bed.migfit(&program);
        under.push(milliseconds(command.args(words).current_dir(&programs))?);
    }
    let (alone, under) = (median(alone), median(under));
    println!("    by itself {alone:.2} ms, under migfit {under:.2} ms");
    Ok(vec![Figure::below(
        "run: over the program itself, existing slice",
        under - alone,
        "ms",
        TARGET_MS,
    )])
}

impl Bed {
    fn make() -> Result<Bed, ChoreError> {
        clients::install_missing()?;
        let folder = paths::target().join("bench/overhead");
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(file("remove", &folder))?;
        }
        std::fs::create_dir_all(&folder).map_err(file("create", &folder))?;
        let mut bed = Bed {
            state: folder.join("gpu.state"),
            folder,
            slice: String::new(),
        };
        bed.client(&["create", MIG_PROFILE])?;
        let shown = bed.client(&["show"])?;
        let shown: Shown =
            serde_json::from_str(&shown).map_err(|error| unexpected(&error.to_string()))?;
        let slice = shown.mig_devices.into_iter().next();
        bed.slice = slice
            .ok_or_else(|| unexpected("no MIG device was made"))?
            .uuid;
        Ok(bed)
    }

    /// A script of the tests, over nvidia-ml-py.
    fn client(&self, words: &[&str]) -> Result<String, ChoreError> {
        let mut python = Command::new(paths::prefix().join("clients/bin/python"));
        python
            .arg(paths::root().join("tests/fixtures/clients/mig.py"))
            .args(words)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        let output = process::output(self.serve(&mut python), "run cargo xtask setup")?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(unexpected(&String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// Lets a command find the virtual GPU.
    fn serve<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("LD_LIBRARY_PATH", paths::prefix().join("lib/migfit/vgpu"))
            .env("MIGFIT_VGPU", MODEL)
            .env("MIGFIT_VGPU_STATE", &self.state)
    }

    fn migfit(&self, program: &Path) -> Command {
        let mut command = Command::new(paths::program("migfit"));
        command.env("MIGFIT_VGPU_STATE", &self.state);
        command.args(["run", "--gpu", &format!("virtual:{MODEL}")]);
        command.args(["--slice", &self.slice, "--out"]);
        command.arg(self.folder.join("run")).arg(program);
        command
    }
}

fn milliseconds(command: &mut Command) -> Result<f64, ChoreError> {
    let begun = Instant::now();
    process::quiet(command, "run the command by hand")?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

fn unexpected(what: &str) -> ChoreError {
    ChoreError::Unexpected {
        what: format!("a slice of the virtual GPU: {what}"),
        hint: "tests/fixtures/clients/mig.py makes and shows it: run it by hand".to_owned(),
    }
}
