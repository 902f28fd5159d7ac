//! The folder of one run's results: made, marked as ours, and locked while the run lasts.

use crate::run::RunError;
use std::cell::Cell;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Marks a folder as one of ours; locked while a run writes there.
const MARKER: &str = "migfit-run";

/// State of a virtual GPU that is this run's own.
const GPU_STATE: &str = "virtual-gpu.state";

/// Calls that its libraries do not have.
const GPU_LOG: &str = "virtual-gpu.state.log";

/// Lines of jobs that have ended.
const JOURNAL: &str = "jobs.jsonl";

/// The jobs' own folders.
const JOBS: &str = "jobs";

/// The folder of one run's results.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: File,
    /// Folders that were made for this run, innermost first.
    made: Vec<PathBuf>,
    kept: Cell<bool>,
}

/// Files and folders of one job's results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFolder {
    /// Standard output.
    pub stdout: PathBuf,
    /// Standard error.
    pub stderr: PathBuf,
    /// Run records, one a process.
    pub records: PathBuf,
}

impl RunFolder {
    /// Makes or takes over this folder; none: a new one under `migfit-runs` here.
    ///
    /// # Errors
    /// When it cannot be written, holds something else, or belongs to a run that goes on.
    pub fn open(wanted: Option<&Path>, run: &str) -> Result<RunFolder, RunError> {
        let own = Path::new("migfit-runs").join(run);
        let wanted = wanted.unwrap_or(&own);
        let absent = wanted.ancestors().take_while(|folder| !folder.exists());
        let made = absent
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(Path::to_owned)
            .collect();
        std::fs::create_dir_all(wanted).map_err(cannot_write(wanted))?;
        let path = wanted.canonicalize().map_err(cannot_write(wanted))?;
        let marker = path.join(MARKER);
        let mut entries = path.read_dir().map_err(cannot_write(&path))?;
        if !marker.exists() && entries.next().is_some() {
            return Err(RunError::ForeignFolder(wanted.to_owned()));
        }
        let open = File::options().create(true).append(true).open(&marker);
        let lock = open.map_err(cannot_write(&marker))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunFolder {
                path,
                _lock: lock,
                made,
                kept: Cell::new(false),
            }),
            Err(TryLockError::WouldBlock) => Err(RunError::FolderInUse(wanted.to_owned())),
            Err(TryLockError::Error(source)) => Err(cannot_write(&marker)(source)),
        }
    }

    /// A run really begins: what an earlier one left goes, and from now on the folder stays.
    ///
    /// # Errors
    /// When that cannot be taken away.
    pub fn begin(&self) -> Result<(), RunError> {
        for file in [self.report(), self.journal()] {
            removed(std::fs::remove_file(&file)).map_err(cannot_write(&file))?;
        }
        let jobs = self.path.join(JOBS);
        removed(std::fs::remove_dir_all(&jobs)).map_err(cannot_write(&jobs))?;
        self.kept.set(true);
        Ok(())
    }

    /// The report.
    pub fn report(&self) -> PathBuf {
        self.path.join("report.json")
    }

    /// State of a virtual GPU of this run alone; what an earlier run left is taken away.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn fresh_gpu_state(&self) -> Result<PathBuf, RunError> {
        for name in [GPU_STATE, GPU_LOG] {
            let path = self.path.join(name);
            removed(std::fs::remove_file(&path)).map_err(cannot_write(&path))?;
        }
        Ok(self.path.join(GPU_STATE))
    }

    /// The lines of jobs that have ended, one after the other.
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// The folder of a job.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn job(&self, name: &str) -> Result<JobFolder, RunError> {
        let files = JobFolder::below(&self.path.join(JOBS).join(name));
        std::fs::create_dir_all(&files.records).map_err(cannot_write(&files.records))?;
        Ok(files)
    }

    /// Puts aside what a job's attempt left, so that the next can take its place.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn keep(&self, name: &str, attempt: usize) -> Result<JobFolder, RunError> {
        let folder = self.path.join(JOBS).join(name);
        let (from, to) = (
            JobFolder::below(&folder),
            JobFolder::below(&folder.join(format!("attempt-{attempt}"))),
        );
        if let Some(aside) = to.records.parent() {
            std::fs::create_dir_all(aside).map_err(cannot_write(aside))?;
        }
        let all = [
            (&from.stdout, &to.stdout),
            (&from.stderr, &to.stderr),
            (&from.records, &to.records),
        ];
        for (from, to) in all {
            // A program with the terminal leaves no output files.
            removed(std::fs::rename(from, to)).map_err(cannot_write(to))?;
        }
        Ok(to)
    }
}

impl JobFolder {
    /// The files of a job, or of one of its attempts, in this folder.
    pub fn below(folder: &Path) -> JobFolder {
        JobFolder {
            stdout: folder.join("stdout"),
            stderr: folder.join("stderr"),
            records: folder.join("records"),
        }
    }
}

/// A run that was refused leaves no folder behind that was not there before.
impl Drop for RunFolder {
    fn drop(&mut self) {
        if self.kept.get() || self.made.is_empty() {
            return;
        }
        // What cannot be taken away, or has been put there by others meanwhile, stays.
        for name in [MARKER, GPU_STATE, GPU_LOG] {
            let _ = std::fs::remove_file(self.path.join(name));
        }
        self.made
            .iter()
            .all(|folder| std::fs::remove_dir(folder).is_ok());
    }
}

/// Names the file in what the system says of it.
pub fn cannot_write(path: &Path) -> impl Fn(io::Error) -> RunError {
    move |source| RunError::CannotWrite {
        path: path.to_owned(),
        source,
    }
}

fn removed(answer: io::Result<()>) -> io::Result<()> {
    match answer {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_taken_over_and_locked() {
        let base = tempfile::tempdir().unwrap();
        let wanted = base.path().join("deep/run");
        let first = RunFolder::open(Some(&wanted), "x").unwrap();
        let again = RunFolder::open(Some(&wanted), "x");
        assert!(matches!(again, Err(RunError::FolderInUse(_))));
        first.begin().unwrap();
        first.job("a").unwrap();
        std::fs::write(first.report(), "{}").unwrap();
        drop(first);
        let second = RunFolder::open(Some(&wanted), "x").unwrap();
        assert!(second.report().exists(), "nothing has begun yet");
        second.begin().unwrap();
        let left: Vec<_> = second.path.read_dir().unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn an_attempt_s_files_are_put_aside() {
        let base = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(Some(&base.path().join("run")), "x").unwrap();
        let first = folder.job("a").unwrap();
        std::fs::write(&first.stdout, "first").unwrap();
        std::fs::write(first.records.join("1.record"), "").unwrap();
        let kept = folder.keep("a", 1).unwrap();
        assert!(kept.stdout.ends_with("jobs/a/attempt-1/stdout"));
        assert_eq!(std::fs::read_to_string(&kept.stdout).unwrap(), "first");
        assert!(kept.records.join("1.record").exists());
        assert!(!first.stdout.exists() && !first.records.exists());
        assert_eq!(folder.job("a").unwrap(), first);
        assert!(first.records.exists());
    }

    #[test]
    fn a_refused_run_leaves_no_folder() {
        let base = tempfile::tempdir().unwrap();
        let wanted = base.path().join("runs/1");
        drop(RunFolder::open(Some(&wanted), "x").unwrap());
        assert_eq!(base.path().read_dir().unwrap().count(), 0);
        std::fs::create_dir_all(&wanted).unwrap();
        drop(RunFolder::open(Some(&wanted), "x").unwrap());
        assert!(wanted.exists(), "it was there before");
    }

    #[test]
    fn other_people_s_folders_and_impossible_ones_are_refused() {
        let base = tempfile::tempdir().unwrap();
        std::fs::write(base.path().join("thesis.tex"), "").unwrap();
        let foreign = RunFolder::open(Some(base.path()), "x");
        assert!(matches!(foreign, Err(RunError::ForeignFolder(_))));
        let below_a_file = base.path().join("thesis.tex/run");
        let impossible = RunFolder::open(Some(&below_a_file), "x");
        assert!(matches!(impossible, Err(RunError::CannotWrite { .. })));
    }
}
