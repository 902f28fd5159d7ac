//! The jobs that run: each with its slice and its clock. Asks those to end whose time is up, and kills those that do
//! not. Knows neither the queue nor what becomes of a job.

use crate::gpu::LiveMigDevice;
use crate::run::child::Running;
use crate::run::ending::Stopped;
use crate::run::folder::JobFolder;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// How long a job may take to end after it was asked to.
pub const GRACE: Duration = Duration::from_secs(5);

/// A job that runs.
pub struct RunningJob {
    /// Which.
    pub job: usize,
    /// Its process.
    pub process: Running,
    /// Its slice.
    pub device: LiveMigDevice,
    /// Why that slice.
    pub placing: String,
    /// Start of the batch to its start.
    pub wait: Duration,
    /// When it started.
    pub started: Instant,
    /// Where its output and records go.
    pub files: JobFolder,
    /// How long it may run.
    pub limit: Option<Duration>,
    /// Why it was asked to end, where it was.
    pub stopped: Option<Stopped>,
    /// When it is killed, once it was asked to end.
    pub killed_at: Option<Instant>,
}

impl RunningJob {
    /// Asks it to end; what it was asked first counts.
    fn ask(&mut self, why: Stopped, now: Instant) {
        if self.stopped.is_none() {
            self.process.signal(Signal::TERM);
            self.stopped = Some(why);
            self.killed_at = now.checked_add(GRACE);
        }
    }

    /// When something is to be done about it.
    fn due(&self) -> Option<Instant> {
        match self.stopped {
            Some(_) => self.killed_at,
            None => self.limit.and_then(|limit| self.started.checked_add(limit)),
        }
    }

    /// Does what is due.
    fn tick(&mut self, now: Instant) {
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        match (self.stopped, self.limit) {
            (None, Some(limit)) => self.ask(Stopped::TimeLimit(limit), now),
            _ => self.kill(),
        }
    }

    fn kill(&mut self) {
        self.process.signal(Signal::KILL);
        // Nothing more can be done to it.
        self.killed_at = None;
    }
}

/// All jobs that run.
#[derive(Default)]
pub struct RunningJobs(Vec<RunningJob>);

impl RunningJobs {
    /// One more.
    pub fn add(&mut self, job: RunningJob) {
        self.0.push(job);
    }

    /// The one that has ended.
    pub fn take(&mut self, job: usize) -> Option<RunningJob> {
        let at = self.0.iter().position(|running| running.job == job)?;
        Some(self.0.remove(at))
    }

    /// Their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().map(|running| running.job)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &RunningJob> {
        self.0.iter()
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// When `tick` has something to do.
    pub fn due(&self) -> Option<Instant> {
        self.0.iter().filter_map(RunningJob::due).min()
    }

    /// Asks and kills those whose time has come.
    pub fn tick(&mut self, now: Instant) {
        self.0.iter_mut().for_each(|running| running.tick(now));
    }

    /// Asks all to end.
    pub fn ask(&mut self, why: Stopped, now: Instant) {
        self.0.iter_mut().for_each(|running| running.ask(why, now));
    }

    /// Kills all.
    pub fn kill(&mut self) {
        self.0.iter_mut().for_each(RunningJob::kill);
    }
}
