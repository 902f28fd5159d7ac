//! The report on disk: whole and written anew after each job, so that each finished job is there before the next
//! starts.

use crate::report::Heading;
use crate::report::batch::Basis;
use crate::report::job::{self, Beside};
use crate::run::RunError;
use crate::run::folder::{RunFolder, cannot_write};
use crate::run::outcome::{Missing, Outcome};
use crate::run::ready::ReadyJob;
use migfit_schema::report::{JobReport, REPORT_VERSION, Report};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A report with what its table shows beside it, job by job.
#[derive(Clone, Debug)]
pub struct Told {
    /// The report.
    pub report: Report,
    /// For each of its jobs.
    pub beside: Vec<Beside>,
}

/// The report of a run that goes on.
pub struct ReportFile<'f> {
    folder: &'f RunFolder,
    heading: Heading,
    basis: Basis,
    ended: Vec<Option<(JobReport, Beside)>>,
    /// Why nothing was recorded, where that is so.
    unrecorded: Option<String>,
    /// Whether the job's output went to the terminal.
    terminal: bool,
}

impl<'f> ReportFile<'f> {
    /// The report of a run of so many jobs, none ended yet.
    #[must_use]
    pub fn new(
        folder: &'f RunFolder,
        heading: Heading,
        jobs: usize,
        unrecorded: Option<String>,
        terminal: bool,
    ) -> ReportFile<'f> {
        let basis = Basis {
            jobs,
            is_virtual: heading.gpu.is_virtual,
            baseline: heading.baseline.clone(),
            is_baseline: heading.is_baseline,
            ..Basis::default()
        };
        ReportFile {
            folder,
            heading,
            basis,
            ended: vec![None; jobs],
            unrecorded,
            terminal,
        }
    }

    /// Adds a job that has ended, and writes the report.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(
        &mut self,
        number: usize,
        ready: &ReadyJob,
        outcome: &Outcome,
    ) -> Result<(), RunError> {
        self.basis.not_executed = self
            .basis
            .not_executed
            .saturating_add(outcome.seen.not_executed);
        let launches = ready.program.as_ref();
        match outcome.missing(launches.map_or(0, |program| program.foretold.launches)) {
            Some(Missing::Refused(_)) => self.basis.refused_in += 1,
            Some(Missing::Unseen(_)) => self.basis.unseen_in += 1,
            None => {}
        }
        let folder = self.folder.path().join("jobs").join(&ready.job.name);
        let file = |name: &str| folder.join(name).display().to_string();
        let streams = (!self.terminal).then(|| (file("stdout"), file("stderr")));
        if let Some(place) = self.ended.get_mut(number) {
            let line = job::line(ready, outcome, streams);
            *place = Some((line, job::beside(ready, outcome)));
        }
        self.finish().map(|_| ())
    }

    /// A job waited for one of the host's so many cores while a slice was free for it.
    pub fn short_of_cores(&mut self, cores: usize) {
        self.basis.short_of_cores = Some(cores);
    }

    /// Writes the report as it stands, and tells it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(&self) -> Result<Told, RunError> {
        let ended = self.ended.iter().flatten().cloned();
        let (jobs, beside) = ended.unzip();
        let report = self.report(jobs);
        let path = self.folder.report();
        replace(&path, json(&report).as_bytes()).map_err(cannot_write(&path))?;
        Ok(Told { report, beside })
    }

    fn report(&self, jobs: Vec<JobReport>) -> Report {
        Report {
            version: REPORT_VERSION,
            gpu: self.heading.gpu.clone(),
            provenance: self.heading.provenance.clone(),
            batch: self.basis.batch(&jobs),
            notes: self
                .basis
                .notes()
                .into_iter()
                .chain(self.unrecorded.clone())
                .collect(),
            jobs,
        }
    }
}

/// The report as JSON, with a line end.
#[must_use]
pub fn json(report: &Report) -> String {
    // Every key is a text and every number finite: serialising such a value cannot fail.
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}

/// A reader sees the old file or the new one, never a part; so does one after a power cut.
fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("json.new");
    let written = File::create(&fresh).and_then(|mut file| {
        file.write_all(contents)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| std::fs::rename(&fresh, path));
    replaced.inspect_err(|_| {
        let _ = std::fs::remove_file(&fresh);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;
    use migfit_schema::report::{GpuName, Provenance};

    fn heading() -> Heading {
        Heading {
            gpu: GpuName {
                selector: "virtual:a100-40gb".to_owned(),
                name: "NVIDIA A100-SXM4-40GB".to_owned(),
                uuid: "GPU-1".to_owned(),
                is_virtual: true,
            },
            provenance: Provenance {
                version: "0.1.0".to_owned(),
                driver: "580".to_owned(),
                host: "here".to_owned(),
                date: "2026-01-01T00:00:00Z".to_owned(),
            },
            baseline: Some("7g".to_owned()),
            is_baseline: false,
        }
    }

    #[test]
    fn the_keys_are_those_that_scripts_rely_on() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(Some(&base.path().join("run")), "x").unwrap();
        let mut file = ReportFile::new(&folder, heading(), 2, None, false);
        let jobs = samples::jobs().into_iter();
        file.ended = jobs.map(|job| Some((job, Beside::default()))).collect();
        file.finish().unwrap();
        let text = std::fs::read_to_string(folder.report()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let keys = |value: &serde_json::Value| {
            let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys.join(" ")
        };
        assert_eq!(keys(&json), "batch gpu jobs notes provenance version");
        assert_eq!(
            keys(&json["batch"]),
            "baseline completed energy_j energy_ratio energy_source failed jobs makespan_s repeats \
             sequential_energy_j sequential_makespan_s throughput_ratio time_source"
        );
        assert_eq!(
            keys(&json["jobs"][0]),
            "attempts exit_code launches mig_profile name observed_peak_bytes placement predicted_bytes reason run_s \
             stderr stdout verdict verified wait_s"
        );
        assert_eq!(keys(&json["provenance"]), "date driver host version");
        assert!(json["batch"]["throughput_ratio"].is_null());
    }

    #[test]
    fn jobs_that_have_not_ended_are_counted_and_not_listed() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(Some(&base.path().join("run")), "x").unwrap();
        let mut file = ReportFile::new(
            &folder,
            heading(),
            3,
            Some("nothing is recorded".to_owned()),
            false,
        );
        let last = samples::jobs().pop();
        file.ended[2] = last.map(|job| (job, Beside::default()));
        let report = file.finish().unwrap().report;
        assert_eq!(
            (report.batch.jobs, report.jobs.len(), report.batch.failed),
            (3, 1, 1)
        );
        assert_eq!(report.notes.last().unwrap(), "nothing is recorded");
    }
}
