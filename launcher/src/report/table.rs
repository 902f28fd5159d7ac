//! A report as text: one line a job, foretold against seen, and what no figure is claimed for.

use crate::report::batch::counted;
use crate::report::file::Told;
use crate::report::job::Beside;
use crate::table;
use migfit_schema::report::{AttemptReport, Batch, JobReport, Placement, Report};
use migfit_schema::units::Bytes;
use std::fmt::Write;

const COLUMNS: [&str; 10] = [
    "JOB", "SLICE", "NEEDS", "FORETOLD", "SEEN", "VERDICT", "WAIT", "RUN", "EXIT", "REMARKS",
];
/// Columns with figures, set to the right.
const FIGURES: [usize; 6] = [2, 3, 4, 6, 7, 8];
/// Columns of the attempts of jobs that were started more than once.
const ATTEMPT_COLUMNS: [&str; 9] = [
    "JOB",
    "ATTEMPT",
    "SLICE",
    "SEEN",
    "ASKED FOR",
    "IN USE",
    "WAIT",
    "RUN",
    "EXIT",
];
const ATTEMPT_FIGURES: [usize; 7] = [1, 3, 4, 5, 6, 7, 8];

/// The whole report.
#[must_use]
pub fn text(told: &Told) -> String {
    let Told { report, beside } = told;
    let mut text = String::new();
    let gpu = &report.gpu;
    let _ = writeln!(
        text,
        "{} on {} ({})",
        counts(&report.batch),
        gpu.selector,
        gpu.name
    );
    let _ = writeln!(text, "\n{}", jobs(&report.jobs, beside));
    if let Some(attempts) = attempts(&report.jobs) {
        let _ = writeln!(text, "started again\n{attempts}");
    }
    text += &modelled(&report.jobs);
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

/// What the virtual GPU's counts come to on the slices; nothing where nothing was counted.
fn modelled(jobs: &[JobReport]) -> String {
    let rows = jobs.iter().filter_map(|job| {
        let seconds = job.modelled_device_s?;
        let energy = job.modelled_added_j;
        Some(vec![
            job.name.clone(),
            job.mig_profile.clone().unwrap_or_default(),
            format!("{seconds:.6}"),
            energy.map_or_else(|| "-".to_owned(), |joules| format!("{joules:.3}")),
        ])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    let header = ["JOB", "SLICE", "DEVICE s", "ADDED J"];
    format!(
        "modelled (a roofline over what the virtual GPU counted, host time left out; not measured)\n{}\n",
        table::text(&header, rows, &[2, 3])
    )
}

fn counts(batch: &Batch) -> String {
    format!(
        "{}: {} completed, {} failed",
        counted(batch.jobs, "job"),
        batch.completed,
        batch.failed
    )
}

fn jobs(jobs: &[JobReport], beside: &[Beside]) -> String {
    let rows = jobs.iter().zip(beside);
    let rows = rows.map(|(job, beside)| row(job, beside)).collect();
    table::with_remarks(&COLUMNS, rows, &FIGURES)
}

/// The attempts of jobs that were started more than once; none where there is no such job.
fn attempts(jobs: &[JobReport]) -> Option<String> {
    let again = jobs.iter().filter(|job| job.each_attempt.len() > 1);
    let rows = again.flat_map(|job| job.each_attempt.iter().map(|one| attempt_row(job, one)));
    let rows: Vec<Vec<String>> = rows.collect();
    (!rows.is_empty()).then(|| table::text(&ATTEMPT_COLUMNS, rows, &ATTEMPT_FIGURES))
}

fn attempt_row(job: &JobReport, attempt: &AttemptReport) -> Vec<String> {
    let failed = attempt.failed_allocation;
    vec![
        job.name.clone(),
        attempt.attempt.to_string(),
        place(&attempt.mig_profile, attempt.placement),
        bytes(attempt.observed_peak_bytes),
        bytes(failed.map(|failed| failed.requested_bytes)),
        bytes(failed.map(|failed| failed.in_use_bytes)),
        seconds(Some(attempt.wait_s)),
        seconds(Some(attempt.run_s)),
        code(attempt.exit_code),
    ]
}

fn code(code: Option<i32>) -> String {
    code.map_or_else(|| "-".to_owned(), |code| code.to_string())
}

fn row(job: &JobReport, beside: &Beside) -> Vec<String> {
    vec![
        job.name.clone(),
        slice(job),
        beside
            .needs
            .map_or_else(|| "-".to_owned(), |needs| needs.to_string()),
        bytes(job.predicted_bytes),
        bytes(job.observed_peak_bytes),
        job.verdict.clone(),
        seconds(job.wait_s),
        seconds(job.run_s),
        code(job.exit_code),
        beside.special.clone(),
    ]
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
        "foretold against seen: equal to the byte for {equal} of {} that {} both ({} without)",
        counted(both.len(), "job"),
        if both.len() == 1 { "has" } else { "have" },
        jobs.len() - both.len()
    )
}

fn slice(job: &JobReport) -> String {
    match &job.mig_profile {
        Some(profile) => place(profile, job.placement),
        None => "-".to_owned(),
    }
}

fn place(profile: &str, placement: Option<Placement>) -> String {
    match placement {
        Some(placement) => format!("{profile}@{}", placement.start),
        None => profile.to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::batch::Basis;
    use crate::report::samples;
    use migfit_schema::report::{GpuName, Provenance, REPORT_VERSION};
    use migfit_schema::units::Mib;

    const FAILURE: &str = "out of device memory: asked for 1.00 GiB with 5.00 GiB in use: proved by the run record \
                           (killed by SIGABRT)";

    fn told() -> Told {
        let basis = Basis {
            jobs: 2,
            is_virtual: true,
            not_executed: 7,
            ..samples::basis()
        };
        let good = Beside {
            needs: Some(Mib(126)),
            special: String::new(),
        };
        let bad = Beside {
            needs: None,
            special: format!("{FAILURE}; need unknown: whole GPU"),
        };
        let report = Report {
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
        };
        Told {
            report,
            beside: vec![good, bad],
        }
    }

    #[test]
    fn the_table_says_what_was_foretold_and_what_was_seen() {
        let text = text(&told());
        assert!(
            text.starts_with("2 jobs: 1 completed, 1 failed on virtual:a100-40gb"),
            "{text}"
        );
        let line = text.lines().find(|line| line.contains("lud-1024")).unwrap();
        for part in ["1g.5gb@6", "126 MiB", "4.00 MiB", "exact", "1.25"] {
            assert!(line.contains(part), "{line}");
        }
        assert!(text.contains("equal to the byte for 1 of 1 job that has both (1 without)"));
        assert!(text.contains("above 1 is better"));
        assert!(text.contains("throughput not available"));
        assert!(text.contains("note: kernels not executed: the virtual GPU counted 7 launches"));
    }

    #[test]
    fn an_ordinary_job_has_no_remark_and_a_failure_is_told_in_full() {
        let text = text(&told());
        let line = text.lines().find(|line| line.contains("lud-1024")).unwrap();
        assert!(
            line.ends_with("  0"),
            "nothing behind the exit code: {line}"
        );
        assert!(
            text.lines()
                .all(|line| line.len() <= 120 || line.starts_with("note: "))
        );
        let table = text.split("\n\n").nth(1).unwrap();
        let words: Vec<&str> = table.split_whitespace().collect();
        let whole = format!("134 {FAILURE}; need unknown: whole GPU");
        assert!(words.join(" ").ends_with(&whole), "{table}");
    }

    #[test]
    fn attempts_of_a_job_that_was_started_again_have_a_line_each() {
        let mut told = told();
        assert!(!text(&told).contains("started again"));
        told.report.jobs[1].each_attempt = samples::attempts();
        let text = text(&told);
        let part = text.split("started again\n").nth(1).unwrap();
        let lines: Vec<&str> = part.lines().take(3).collect();
        assert_eq!(
            lines,
            [
                "  JOB   ATTEMPT  SLICE          SEEN  ASKED FOR    IN USE    WAIT     RUN  EXIT",
                "  grow        1  1g.5gb@6   2.00 GiB   4.00 GiB  2.00 GiB  0.00 s  0.50 s     2",
                "  grow        2  1g.10gb@4  6.00 GiB          -         -  0.75 s  1.00 s     0",
            ]
        );
    }

    #[test]
    fn a_single_job_is_told_in_a_line_and_its_notes() {
        let mut report = told().report;
        report.jobs.truncate(1);
        let line = line(&report);
        assert!(line.starts_with(
            "migfit: lud-1024 on 1g.5gb@6 of virtual:a100-40gb: foretold 4.00 MiB, seen 4.00 MiB"
        ));
        assert_eq!(line.lines().count(), 2);
    }
}
