//! Foretold against seen: the peak of requested device bytes, for each program and argument list.
//! Necessary, not evidence: we wrote the programs and the analyzer.

use super::figure::Figure;
use crate::error::{ChoreError, file};
use crate::rodinia::{self, PROGRAMS};
use crate::{demo, paths, process};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

#[derive(Deserialize)]
struct Report {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    name: String,
    predicted_bytes: Option<u64>,
    observed_peak_bytes: Option<u64>,
}

/// Runs every program with every argument list on the virtual A100 and compares.
pub fn peak() -> Result<Vec<Figure>, ChoreError> {
    let folder = demo::built_programs()?;
    let (jobs, out) = (folder.join("bench.toml"), paths::target().join("bench"));
    std::fs::write(&jobs, job_file(&folder)).map_err(file("write", &jobs))?;
    let mut run = Command::new(paths::program("migfit"));
    run.args([
        "run",
        "--gpu",
        "virtual:a100-40gb",
        "--policy",
        "fifo",
        "--out",
    ])
    .arg(&out)
    .arg("-f")
    .arg(&jobs);
    process::quiet(&mut run, "run the command by hand")?;
    let path = out.join("report.json");
    let text = std::fs::read_to_string(&path).map_err(file("read", &path))?;
    let report: Report = serde_json::from_str(&text).map_err(|error| ChoreError::Unexpected {
        what: format!("{}: {error}", path.display()),
        hint: "the report's form changed: change this reader too".to_owned(),
    })?;
    Ok(report.jobs.iter().map(difference).collect())
}

fn difference(job: &Job) -> Figure {
    let difference = match (job.predicted_bytes, job.observed_peak_bytes) {
        (Some(predicted), Some(observed)) => predicted.abs_diff(observed) as f64,
        _ => f64::NAN,
    };
    Figure::exactly(
        format!("peak: {} (both ours)", job.name),
        difference,
        "byte",
        0.0,
    )
}

fn job_file(folder: &Path) -> String {
    let jobs = PROGRAMS.iter().flat_map(|program| {
        let lists = (1..).zip(program.arguments);
        lists.map(|(number, arguments)| job(program, number, arguments, folder))
    });
    jobs.collect()
}

fn job(program: &rodinia::Program, number: u32, arguments: &str, folder: &Path) -> String {
    let words = std::iter::once(program.path(folder).display().to_string());
    let words = words.chain(arguments.split(' ').map(str::to_owned));
    let command = words
        .map(|word| format!("{word:?}"))
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "[[jobs]]\nname = \"{} {number}\"\ncommand = [{command}]\n\n",
        program.name
    )
}
