//! The last eleven lines: what a newcomer should take home, read off the report.

use crate::error::{ChoreError, file};
use crate::paths;
use crate::rodinia::PROGRAMS;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

#[derive(Deserialize)]
struct Report {
    batch: Batch,
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Batch {
    jobs: usize,
    completed: usize,
}

#[derive(Deserialize)]
struct Job {
    predicted_bytes: Option<u64>,
    observed_peak_bytes: Option<u64>,
    mig_profile: Option<String>,
    launches: Vec<Launches>,
    verified: Option<bool>,
}

#[derive(Deserialize)]
struct Launches {
    count: u64,
}

/// Prints them.
pub fn print(report: &Path, elapsed: Duration) -> Result<(), ChoreError> {
    let text = std::fs::read_to_string(report).map_err(file("read", report))?;
    let parsed: Report = serde_json::from_str(&text).map_err(|error| ChoreError::Unexpected {
        what: format!("{}: {error}", report.display()),
        hint: "the report's form changed: change this reader too".to_owned(),
    })?;
    let shown = report.strip_prefix(paths::root()).unwrap_or(report);
    println!("{}", lines(&parsed, shown, elapsed).join("\n"));
    Ok(())
}

fn lines(report: &Report, path: &Path, elapsed: Duration) -> Vec<String> {
    let Report { batch, jobs } = report;
    let equal = jobs.iter().filter(|job| {
        job.predicted_bytes.is_some() && job.predicted_bytes == job.observed_peak_bytes
    });
    let verified = jobs.iter().filter(|job| job.verified == Some(true));
    let launches: u64 = jobs
        .iter()
        .flat_map(|job| &job.launches)
        .map(|launch| launch.count)
        .sum();
    vec![
        format!(
            "migfit read the LLVM IR of {} CUDA programs while the real nvcc built them.",
            PROGRAMS.len()
        ),
        "From that alone it foretold how much GPU memory each run needs, before it ran.".to_owned(),
        format!(
            "{} of {} jobs ran to their end on a virtual A100 40GB.",
            batch.completed, batch.jobs
        ),
        format!(
            "{} of {} used exactly the bytes foretold (we wrote both sides: necessary, not proof).",
            equal.count(),
            batch.jobs
        ),
        format!("Slices used: {}.", slices(jobs)),
        format!("The preloaded runtime saw {launches} kernel launches."),
        format!(
            "{} of {} checked their results against the same work on the CPU: verified.",
            verified.count(),
            batch.jobs
        ),
        "The virtual GPU ran the kernels on the CPU, which tells nothing of their time,".to_owned(),
        "so no throughput or energy is claimed: those fields are null in the report.".to_owned(),
        format!("The whole report: {}", path.display()),
        format!(
            "The demo took {:.0} s. Next: `migfit build -- make` on your own program.",
            elapsed.as_secs_f64()
        ),
    ]
}

/// `7 x 1g.5gb, 2 x 2g.10gb`, in order of name.
fn slices(jobs: &[Job]) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for slice in jobs.iter().filter_map(|job| job.mig_profile.as_deref()) {
        *counts.entry(slice).or_insert(0) += 1;
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(slice, count)| format!("{count} x {slice}"))
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(predicted: Option<u64>, observed: Option<u64>) -> Job {
        Job {
            predicted_bytes: predicted,
            observed_peak_bytes: observed,
            mig_profile: Some("1g.5gb".into()),
            launches: Vec::new(),
            verified: observed.map(|_| true),
        }
    }

    #[test]
    fn there_are_eleven_lines_and_an_unknown_need_is_no_hit() {
        let jobs = vec![
            job(Some(5), Some(5)),
            job(None, None),
            job(Some(1), Some(2)),
        ];
        let report = Report {
            batch: Batch {
                jobs: 3,
                completed: 3,
            },
            jobs,
        };
        let lines = lines(&report, Path::new("report.json"), Duration::from_secs(1));
        assert_eq!(lines.len(), 11);
        assert!(lines[6].starts_with("2 of 3 checked"));
        assert!(lines[3].starts_with("1 of 3"));
        assert_eq!(lines[4], "Slices used: 3 x 1g.5gb.");
    }
}
