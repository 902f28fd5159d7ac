//! One call of `migfit run`, and what it left: report, output files, run records.

use crate::gpu::Gpu;
use crate::jobs::JobFile;
use crate::migfit::migfit;
use crate::process::{self, Outcome};
use crate::program::Program;
use crate::sandbox::Sandbox;
use crate::strays;
use migfit_schema::record::{self, RunRecord};
use migfit_schema::report::{JobReport, Report};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// `migfit run` in the making.
pub struct Run {
    folder: Sandbox,
    command: Command,
    words: Vec<String>,
    stdin: Stdio,
}

/// `migfit run` that goes on.
pub struct Going {
    folder: Sandbox,
    command: Command,
    child: Child,
}

/// What a run left.
pub struct Ran {
    folder: Sandbox,
    /// What migfit said.
    pub outcome: Outcome,
}

impl Run {
    /// A run on this GPU, of nothing yet.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Run {
        let folder = Sandbox::new();
        let mut command = migfit();
        command.env("MIGFIT_VGPU_STATE", gpu.state());
        command.args(["run", "--gpu", &gpu.selector(), "--out"]);
        command.arg(folder.path("out")).current_dir(folder.folder());
        Run {
            folder,
            command,
            words: Vec::new(),
            stdin: Stdio::null(),
        }
    }

    /// Starts in this folder.
    #[must_use]
    pub fn folder(mut self, folder: &Path) -> Run {
        self.command.current_dir(folder);
        self
    }

    /// With this policy.
    #[must_use]
    pub fn policy(self, name: &str) -> Run {
        self.flags(&["--policy", name])
    }

    /// With these flags of migfit.
    #[must_use]
    pub fn flags(mut self, flags: &[&str]) -> Run {
        self.command.args(flags);
        self
    }

    /// With this environment variable, for migfit and all jobs.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Run {
        self.command.env(name, value);
        self
    }

    /// With this standard input.
    #[must_use]
    pub fn reading(mut self, stdin: impl Into<Stdio>) -> Run {
        self.stdin = stdin.into();
        self
    }

    /// Of these jobs.
    #[must_use]
    pub fn file(mut self, jobs: &JobFile) -> Run {
        self.command.arg("-f").arg(jobs.write(self.folder.folder()));
        self
    }

    /// Of this program.
    #[must_use]
    pub fn program(mut self, program: &Program) -> Run {
        self.words.push(program.path().display().to_string());
        self
    }

    /// With these arguments for the program, as one would type them.
    #[must_use]
    pub fn args(mut self, args: &str) -> Run {
        let args = args.split_whitespace().map(str::to_owned);
        self.words.extend(args);
        self
    }

    /// Where the report will lie: for jobs that look at it.
    #[must_use]
    pub fn report_path(&self) -> PathBuf {
        self.folder.path("out/report.json")
    }

    /// Runs it to its end, whatever comes of it.
    #[must_use]
    pub fn done(self) -> Ran {
        self.started().ended()
    }

    /// Starts it.
    #[must_use]
    pub fn started(mut self) -> Going {
        self.command.args(&self.words);
        let child = process::start_reading(&mut self.command, self.stdin);
        Going {
            folder: self.folder,
            command: self.command,
            child,
        }
    }

    /// Runs it to its end, which must be a good one; the report.
    #[track_caller]
    #[must_use]
    pub fn report(self) -> Report {
        let ran = self.done();
        assert_eq!(ran.outcome.code, 0, "{}", ran.outcome);
        ran.report()
    }
}

impl Going {
    /// Sends migfit a signal.
    pub fn signal(&self, signal: i32) {
        process::signal(self.child.id(), signal);
    }

    /// Waits until migfit says a line with this part on standard error, which its outcome then lacks.
    ///
    /// # Panics
    /// When it ends without.
    pub fn wait_for(&mut self, part: &str) {
        let stderr = self.child.stderr.take().expect("it is asked for once");
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let found = lines.any(|line| line.contains(part));
        assert!(found, "migfit ended without '{part}'");
        // What it says later goes nowhere, and does not stop it.
        std::thread::spawn(move || lines.for_each(drop));
    }

    /// Waits until migfit handles this signal.
    ///
    /// # Panics
    /// When it ends before, or was started with the signal ignored: it would then never handle it.
    pub fn wait_until_it_catches(&self, signal: i32) {
        let status = PathBuf::from(format!("/proc/{}/status", self.child.id()));
        let one = 1u64 << (signal - 1);
        loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            if signals(&text, "SigCgt:") & one != 0 {
                return;
            }
            assert!(
                signals(&text, "SigIgn:") & one == 0,
                "signal {signal} is ignored here (nohup, a background job of a shell): run the tests by cargo xtask test"
            );
            std::thread::yield_now();
        }
    }

    /// Fails unless a process of this run lives: what `expect_no_strays` would find.
    #[track_caller]
    pub fn expect_living(&self) {
        let living = strays::of(&self.folder.path("out"));
        assert!(!living.is_empty(), "no process of this run was found");
    }

    /// Waits for its end.
    #[must_use]
    pub fn ended(self) -> Ran {
        let outcome = process::finish(self.child, &self.command);
        Ran {
            folder: self.folder,
            outcome,
        }
    }
}

impl Ran {
    /// The report on disk.
    ///
    /// # Panics
    /// When there is none of the known form.
    #[must_use]
    #[track_caller]
    pub fn report(&self) -> Report {
        report_at(&self.folder.path("out/report.json"))
            .unwrap_or_else(|error| panic!("no report: {error}\n{}", self.outcome))
    }

    /// Text of the report on disk.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn report_text(&self) -> String {
        let path = self.folder.path("out/report.json");
        std::fs::read_to_string(path).expect("a report was written")
    }

    /// A job of the report.
    ///
    /// # Panics
    /// When there is none of that name.
    #[must_use]
    #[track_caller]
    pub fn job(&self, name: &str) -> JobReport {
        job(&self.report(), name)
    }

    /// The run records of a job's processes.
    ///
    /// # Panics
    /// When one cannot be read.
    #[must_use]
    pub fn records(&self, name: &str) -> Vec<RunRecord> {
        self.records_in(&format!("{name}/records"))
    }

    /// The run records of an attempt that was followed by another.
    #[must_use]
    pub fn attempt_records(&self, name: &str, attempt: u32) -> Vec<RunRecord> {
        self.records_in(&format!("{name}/attempt-{attempt}/records"))
    }

    fn records_in(&self, folder: &str) -> Vec<RunRecord> {
        let folder = self.folder.path(&format!("out/jobs/{folder}"));
        let files = std::fs::read_dir(folder).expect("the job has a folder of run records");
        let files = files.flatten().map(|entry| entry.path());
        files
            .map(|file| record::read(&std::fs::read(file).expect("readable")).expect("whole"))
            .collect()
    }

    /// What the job's last attempt said on standard output.
    ///
    /// # Panics
    /// When the report names no file of it, or it cannot be read.
    #[must_use]
    #[track_caller]
    pub fn said(&self, name: &str) -> String {
        let file = self.job(name).stdout.expect("the report names the file");
        std::fs::read_to_string(file).expect("it can be read")
    }

    /// Fails when a process of this run lives on. One that was killed may take a moment to be gone.
    #[track_caller]
    pub fn expect_no_strays(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let strays = strays::of(&self.folder.path("out"));
            if strays.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "left behind: {strays:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The run's own folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.folder()
    }
}

/// A job of a report.
///
/// # Panics
/// When there is none of that name.
#[must_use]
#[track_caller]
pub fn job(report: &Report, name: &str) -> JobReport {
    let found = report.jobs.iter().find(|job| job.name == name);
    found
        .unwrap_or_else(|| panic!("no job '{name}' in the report"))
        .clone()
}

/// Reads a report.
///
/// # Errors
/// When there is none of the known form.
pub fn report_at(path: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{error}\n{text}"))
}

/// A set of signals in a process's status.
fn signals(status: &str, name: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix(name));
    u64::from_str_radix(set.expect("migfit has not ended").trim(), 16).expect("a mask")
}
