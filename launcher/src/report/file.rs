//! The report on disk. Each finished job is there before the next starts: a line in the journal, and the whole report
//! written anew as long as that is cheap. What cannot be written is told at the end and stops nothing.

use crate::jobs::job::Restart;
use crate::policy::{HostRoom, Shortage};
use crate::report::Heading;
use crate::report::batch::Basis;
use crate::report::job::{self, Beside};
use crate::run::RunError;
use crate::run::attempt::{Attempt, Missing};
use crate::run::folder::{RunFolder, cannot_write};
use crate::run::outcome::Outcome;
use crate::run::ready::ReadyJob;
use migfit_mig::Model;
use migfit_schema::report::{JobReport, REPORT_VERSION, Report};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Up to so many jobs the report is written anew after each; of more, at most once in `PAUSE`. The journal has each
/// job at once in any case.
const EACH: usize = 64;
const PAUSE: Duration = Duration::from_secs(1);

/// A report with what its table shows beside it, job by job.
#[derive(Clone, Debug)]
pub struct Told {
    /// The report.
    pub report: Report,
    /// For each of its jobs.
    pub beside: Vec<Beside>,
}

/// What is known of a run before its first job ends.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The report's head.
    pub heading: Heading,
    /// What the host has for jobs.
    pub host: HostRoom,
    /// Why nothing is recorded, where that is so.
    pub unrecorded: Option<String>,
    /// Whether the job's output goes to the terminal.
    pub terminal: bool,
    /// Whether nobody knows where the slice lies.
    pub place_untold: bool,
    /// The model that a virtual GPU is.
    pub virtual_gpu: Option<&'static Model>,
}

/// The report of a run that goes on.
pub struct ReportFile<'f> {
    folder: &'f RunFolder,
    begun: Begun,
    basis: Basis,
    ended: Vec<Option<(JobReport, Beside)>>,
    /// When the report was last written, and whether it has changed since.
    written: Option<Instant>,
    changed: bool,
    journal: Option<File>,
}

impl<'f> ReportFile<'f> {
    /// The report of a run of these jobs, none ended yet.
    #[must_use]
    pub fn new(folder: &'f RunFolder, begun: Begun, jobs: &[ReadyJob]) -> ReportFile<'f> {
        let early = |ready: &&ReadyJob| ready.job.restart == Restart::Early;
        let basis = Basis {
            jobs: jobs.len(),
            is_virtual: begun.heading.gpu.is_virtual,
            not_executed: 0,
            refused_in: 0,
            unseen_in: 0,
            coped: 0,
            early: jobs.iter().filter(early).count(),
            one_core_each: jobs.iter().all(|ready| ready.job.cpus == 1),
            host: begun.host,
            short_of: Vec::new(),
            unwritten: None,
            baseline: begun.heading.baseline.clone(),
            is_baseline: begun.heading.is_baseline,
        };
        ReportFile {
            folder,
            begun,
            basis,
            ended: vec![None; jobs.len()],
            written: None,
            changed: true,
            journal: None,
        }
    }

    /// Adds a job that has ended, and puts it on disk. What cannot be written stops no job: the report says so.
    pub fn add(&mut self, number: usize, ready: &ReadyJob, outcome: &Outcome) {
        let not_executed = outcome.last().map_or(0, |last| last.seen.not_executed);
        self.basis.not_executed = self.basis.not_executed.saturating_add(not_executed);
        let launches = ready.program.as_ref();
        match outcome.missing(launches.map_or(0, |program| program.foretold.launches)) {
            Some(Missing::Refused(_)) => self.basis.refused_in += 1,
            Some(Missing::Unseen(_)) => self.basis.unseen_in += 1,
            None => {}
        }
        let coped = outcome.last().and_then(Attempt::hidden_lack);
        self.basis.coped += usize::from(coped.is_some());
        let line = job::line(ready, outcome, &self.begun);
        self.enter(number, line, job::beside(ready, outcome), Instant::now());
    }

    fn enter(&mut self, number: usize, line: JobReport, beside: Beside, now: Instant) {
        self.changed = true;
        let noted = self.note(&line);
        if let Some(place) = self.ended.get_mut(number) {
            *place = Some((line, beside));
        }
        let paused = self.written.is_some_and(|last| now < last + PAUSE);
        let written = match self.ended.len() > EACH && paused {
            true => Ok(()),
            false => self.write().map(drop),
        };
        if let Err(error) = noted.and(written) {
            let note = format!("while jobs ran: {error}");
            self.basis.unwritten.get_or_insert(note);
        }
    }

    /// Adds a line to the journal.
    fn note(&mut self, line: &JobReport) -> Result<(), RunError> {
        let path = self.folder.journal();
        let journal = match &mut self.journal {
            Some(journal) => journal,
            none => {
                let open = File::options().create(true).append(true).open(&path);
                none.insert(open.map_err(cannot_write(&path))?)
            }
        };
        let mut text = serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
        let written = journal.write_all(text.as_bytes());
        written.map_err(cannot_write(&path))
    }

    /// A job waited for this part of the host while a slice was free for it.
    pub fn short_of(&mut self, shortages: &[Shortage]) {
        self.changed |= !shortages.is_empty();
        self.basis.short_of = shortages.to_vec();
    }

    /// Tells the report as it stands, and what kept it from being written where that is so.
    pub fn finish(&mut self) -> (Told, Option<RunError>) {
        match self.changed {
            false => (self.told(), None),
            true => match self.write() {
                Ok(told) => (told, None),
                Err(error) => (self.told(), Some(error)),
            },
        }
    }

    fn write(&mut self) -> Result<Told, RunError> {
        let told = self.told();
        let path = self.folder.report();
        replace(&path, json(&told.report).as_bytes()).map_err(cannot_write(&path))?;
        self.written = Some(Instant::now());
        self.changed = false;
        Ok(told)
    }

    fn told(&self) -> Told {
        let (jobs, beside) = self.ended.iter().flatten().cloned().unzip();
        let report = self.report(jobs);
        Told { report, beside }
    }

    fn report(&self, jobs: Vec<JobReport>) -> Report {
        Report {
            version: REPORT_VERSION,
            gpu: self.begun.heading.gpu.clone(),
            provenance: self.begun.heading.provenance.clone(),
            batch: self.basis.batch(&jobs),
            notes: self
                .basis
                .notes()
                .into_iter()
                .chain(self.begun.heading.notes.clone())
                .chain(self.begun.unrecorded.clone())
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
    use crate::jobs::Job;
    use crate::report::samples;
    use crate::run::ready::CannotStart;
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
            notes: Vec::new(),
        }
    }

    fn begun(unrecorded: Option<&str>) -> Begun {
        Begun {
            heading: heading(),
            host: samples::basis().host,
            unrecorded: unrecorded.map(str::to_owned),
            terminal: false,
            place_untold: false,
            virtual_gpu: None,
        }
    }

    /// So many jobs that are ready, none of which can start.
    fn ready(count: usize) -> Vec<ReadyJob> {
        let job = |number| ReadyJob {
            job: Job::new(format!("j{number}"), vec!["true".into()], "/".into()),
            program: Err(CannotStart::StaticRuntime("/true".into())),
        };
        (0..count).map(job).collect()
    }

    fn opened(base: &tempfile::TempDir) -> RunFolder {
        RunFolder::open(Some(&base.path().join("run")), "x").unwrap()
    }

    fn on_disk(folder: &RunFolder) -> Report {
        serde_json::from_str(&std::fs::read_to_string(folder.report()).unwrap()).unwrap()
    }

    #[test]
    fn the_keys_are_those_that_scripts_rely_on() {
        let base = tempfile::tempdir().unwrap();
        let folder = opened(&base);
        let mut file = ReportFile::new(&folder, begun(None), &ready(2));
        let mut jobs = samples::jobs();
        jobs[0].each_attempt = samples::attempts();
        let jobs = jobs.into_iter();
        file.ended = jobs.map(|job| Some((job, Beside::default()))).collect();
        assert!(file.finish().1.is_none());
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
            "attempts each_attempt exit_code launches mig_profile modelled_added_j \
             modelled_device_s modelled_device_s_by_mig_profile name observed_peak_bytes placement predicted_bytes \
             reason run_s stderr stdout verdict verified wait_s"
        );
        assert_eq!(
            keys(&json["jobs"][0]["each_attempt"][0]),
            "attempt exit_code failed_allocation failure mig_profile observed_peak_bytes placement run_s stderr \
             stdout then wait_s"
        );
        assert_eq!(
            keys(&json["jobs"][0]["each_attempt"][0]["failed_allocation"]),
            "in_use_bytes requested_bytes"
        );
        assert_eq!(keys(&json["provenance"]), "date driver host version");
        assert!(json["batch"]["throughput_ratio"].is_null());
    }

    #[test]
    fn jobs_that_have_not_ended_are_counted_and_not_listed() {
        let base = tempfile::tempdir().unwrap();
        let folder = opened(&base);
        let mut file = ReportFile::new(&folder, begun(Some("nothing is recorded")), &ready(3));
        let last = samples::jobs().pop();
        file.ended[2] = last.map(|job| (job, Beside::default()));
        let report = file.finish().0.report;
        assert_eq!(
            (report.batch.jobs, report.jobs.len(), report.batch.failed),
            (3, 1, 1)
        );
        assert_eq!(report.notes.last().unwrap(), "nothing is recorded");
    }

    #[test]
    fn a_few_jobs_are_written_one_by_one_and_many_once_in_a_while() {
        for (count, later) in [(EACH, 2), (EACH + 1, 1)] {
            let base = tempfile::tempdir().unwrap();
            let folder = opened(&base);
            let jobs = ready(count);
            let mut file = ReportFile::new(&folder, begun(None), &jobs);
            let not_started = Outcome::not_started("x");
            let line = |number: usize| job::line(&jobs[number], &not_started, &begun(None));
            let now = Instant::now();
            file.enter(0, line(0), Beside::default(), now);
            assert_eq!(on_disk(&folder).jobs.len(), 1);
            // At once, so that the first one's time has not passed.
            file.enter(1, line(1), Beside::default(), now);
            assert_eq!(on_disk(&folder).jobs.len(), later, "of {count}");
            let journal = std::fs::read_to_string(folder.journal()).unwrap();
            assert_eq!(journal.lines().count(), 2, "the journal has each");
            let second: JobReport = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
            assert_eq!(second.name, "j1");
            file.enter(2, line(2), Beside::default(), now + 2 * PAUSE);
            assert_eq!(on_disk(&folder).jobs.len(), 3);
            file.enter(3, line(3), Beside::default(), now);
            assert!(file.finish().1.is_none());
            assert_eq!(on_disk(&folder).jobs.len(), 4, "the last word is whole");
        }
    }

    #[test]
    fn what_cannot_be_written_is_told_and_stops_nothing() {
        let base = tempfile::tempdir().unwrap();
        let folder = opened(&base);
        let jobs = ready(1);
        let mut file = ReportFile::new(&folder, begun(None), &jobs);
        // Nothing can be renamed over a folder that is not empty.
        std::fs::create_dir_all(folder.report().join("x")).unwrap();
        file.add(0, &jobs[0], &Outcome::not_started("x"));
        let (told, error) = file.finish();
        assert_eq!(told.report.jobs.len(), 1);
        assert!(error.unwrap().to_string().contains("report.json"));
        std::fs::remove_dir_all(folder.report()).unwrap();
        let (told, error) = file.finish();
        assert!(error.is_none());
        let note = told.report.notes.last().unwrap();
        assert!(note.starts_with("while jobs ran: cannot write '"), "{note}");
        assert_eq!(on_disk(&folder), told.report);
    }
}
