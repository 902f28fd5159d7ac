//! A report as text: one line a job, foretold against seen, and what no figure is claimed for.

use crate::table;
use migfit_schema::report::{Batch, JobReport, Report};
use migfit_schema::units::Bytes;
use std::fmt::Write;

const COLUMNS: [&str; 9] = [
    "JOB", "SLICE", "FORETOLD", "SEEN", "VERDICT", "WAIT", "RUN", "EXIT", "REASON",
];
/// Columns with figures, set to the right.
const FIGURES: [usize; 5] = [2, 3, 5, 6, 7];
/// Characters of a reason in the table; the whole is in the report file.
const REASON: usize = 64;

/// The whole report.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let gpu = &report.gpu;
    let _ = writeln!(
        text,
        "{} on {} ({})",
        counts(&report.batch),
        gpu.selector,
        gpu.name
    );
    let _ = writeln!(text, "\n{}", jobs(&report.jobs));
    let _ = writeln!(text, "{}", foretold_and_seen(&report.jobs));
    let _ = writeln!(
        text,
        "ratios against one job at a time (above 1 is better):"
    );
    let _ = writeln!(
        text,
        "  throughput {}",
        figure(report.batch.throughput_ratio, "")
    );
    let _ = writeln!(
        text,
        "  energy     {}",
        figure(report.batch.energy_ratio, "")
    );
    let _ = writeln!(
        text,
        "makespan     {}",
        figure(report.batch.makespan_s, " s")
    );
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// The report of a single job: a line for it, and one for each note.
#[must_use]
pub fn line(report: &Report) -> String {
    let one = |job: &JobReport| {
        format!(
            "migfit: {} on {} of {}: foretold {}, seen {}, {}\n",
            job.name,
            slice(job),
            report.gpu.selector,
            bytes(job.predicted_bytes),
            bytes(job.observed_peak_bytes),
            job.reason
        )
    };
    let notes = report.notes.iter().map(|note| format!("migfit: {note}\n"));
    report.jobs.iter().map(one).chain(notes).collect()
}

fn counts(batch: &Batch) -> String {
    let plural = if batch.jobs == 1 { "" } else { "s" };
    format!(
        "{} job{plural}: {} completed, {} failed",
        batch.jobs, batch.completed, batch.failed
    )
}

fn jobs(jobs: &[JobReport]) -> String {
    let row = |job: &JobReport| {
        vec![
            job.name.clone(),
            slice(job),
            bytes(job.predicted_bytes),
            bytes(job.observed_peak_bytes),
            job.verdict.clone(),
            seconds(job.wait_s),
            seconds(job.run_s),
            job.exit_code
                .map_or_else(|| "-".to_owned(), |code| code.to_string()),
            short(&job.reason),
        ]
    };
    table::text(&COLUMNS, jobs.iter().map(row).collect(), &FIGURES)
}

fn foretold_and_seen(jobs: &[JobReport]) -> String {
    let both = jobs
        .iter()
        .filter_map(|job| job.predicted_bytes.zip(job.observed_peak_bytes));
    let both: Vec<(u64, u64)> = both.collect();
    let equal = both
        .iter()
        .filter(|(foretold, seen)| foretold == seen)
        .count();
    format!(
        "foretold against seen: equal to the byte for {equal} of {} jobs that have both ({} have not)",
        both.len(),
        jobs.len() - both.len()
    )
}

fn slice(job: &JobReport) -> String {
    match (&job.mig_profile, job.placement) {
        (Some(profile), Some(placement)) => format!("{profile}@{}", placement.start),
        _ => "-".to_owned(),
    }
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "-".to_owned(), |bytes| Bytes(bytes).to_string())
}

fn seconds(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2} s"))
}

fn figure(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(
        || "not available".to_owned(),
        |value| format!("{value:.2}{unit}"),
    )
}

/// The first clause, cut where it is long.
fn short(reason: &str) -> String {
    let first = reason.split("; ").next().unwrap_or(reason);
    match first.char_indices().nth(REASON) {
        Some((end, _)) => format!("{}...", &first[..end]),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::batch::Basis;
    use crate::report::samples;
    use migfit_schema::report::{GpuName, Provenance, REPORT_VERSION};

    fn report() -> Report {
        let basis = Basis {
            jobs: 2,
            is_virtual: true,
            not_executed: 7,
            baseline: None,
            is_baseline: false,
        };
        Report {
            version: REPORT_VERSION,
            gpu: GpuName {
                selector: "virtual:a100-40gb".to_owned(),
                name: "NVIDIA A100-SXM4-40GB".to_owned(),
                uuid: String::new(),
                is_virtual: true,
            },
            provenance: Provenance {
                version: String::new(),
                driver: String::new(),
                host: String::new(),
                date: String::new(),
            },
            batch: basis.batch(&samples::jobs()),
            jobs: samples::jobs(),
            notes: basis.notes(),
        }
    }

    #[test]
    fn the_table_says_what_was_foretold_and_what_was_seen() {
        let text = text(&report());
        assert!(
            text.starts_with("2 jobs: 1 completed, 1 failed on virtual:a100-40gb"),
            "{text}"
        );
        let line = text.lines().find(|line| line.contains("lud-1024")).unwrap();
        for part in ["1g.5gb@6", "4.00 MiB", "exact", "1.25"] {
            assert!(line.contains(part), "{line}");
        }
        assert!(text.contains("equal to the byte for 1 of 1 jobs that have both (1 have not)"));
        assert!(text.contains("above 1 is better"));
        assert!(text.contains("throughput not available"));
        assert!(text.contains("note: kernels not executed: the virtual GPU counted 7 launches"));
    }

    #[test]
    fn a_long_reason_is_cut_at_its_first_clause() {
        assert_eq!(short("exit code 3; 4 MiB foretold"), "exit code 3");
        assert_eq!(short(&"ü".repeat(70)), format!("{}...", "ü".repeat(64)));
    }

    #[test]
    fn a_single_job_is_told_in_a_line_and_its_notes() {
        let mut report = report();
        report.jobs.truncate(1);
        let line = line(&report);
        assert!(line.starts_with(
            "migfit: lud-1024 on 1g.5gb@6 of virtual:a100-40gb: foretold 4.00 MiB, seen 4.00 MiB"
        ));
        assert_eq!(line.lines().count(), 2);
    }
}
