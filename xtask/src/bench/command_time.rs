//! How long commands take: the median over runs of the whole process, and the layout graph by itself.

use super::figure::{Figure, median};
use crate::error::ChoreError;
use crate::rodinia::{self, PROGRAMS};
use crate::{demo, paths, process};
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 21;

/// The whole A100 graph with the reachable full layouts of every state.
pub fn graph() -> Result<Vec<Figure>, ChoreError> {
    let model = migfit_mig::find("a100-40gb").map_err(|error| ChoreError::Unexpected {
        what: error.to_string(),
        hint: "the model file is missing from mig/models".to_owned(),
    })?;
    let times = (0..RUNS).map(|_| {
        let begun = Instant::now();
        let graph = migfit_mig::LayoutGraph::new(model, &model.basic_profiles());
        drop(std::hint::black_box(graph));
        begun.elapsed().as_secs_f64() * 1e3
    });
    Ok(vec![Figure::below(
        "graph: A100 with fcr",
        median(times.collect()),
        "ms",
        50.0,
    )])
}

/// `migfit fit PROGRAM ARGS`, whole process, for each program.
pub fn fit() -> Result<Vec<Figure>, ChoreError> {
    let folder = demo::built_programs()?;
    PROGRAMS
        .iter()
        .map(|program| fit_one(program, &folder))
        .collect()
}

fn fit_one(program: &rodinia::Program, folder: &std::path::Path) -> Result<Figure, ChoreError> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let mut command = Command::new(paths::program("migfit"));
        command
            .arg("fit")
            .arg(program.path(folder))
            .current_dir(folder);
        command.args(program.arguments[2].split(' '));
        let begun = Instant::now();
        process::quiet(&mut command, "run the command by hand")?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Figure::below(
        format!("fit: {} {}", program.name, program.arguments[2]),
        median(times),
        "ms",
        30.0,
    ))
}
