//! A job as the user states it.

use migfit_mig::ProfileName;
use migfit_schema::units::Bytes;
use migfit_sizes::assumed::Given;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// When migfit may start a job again, which repeats what its program did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restart {
    /// Never.
    Never,
    /// When it ran out of device memory, proved by its run record.
    #[default]
    Oom,
    /// Also before it runs out of device memory, when its growth says that it will.
    Early,
}

/// A measured run time on the slices of one MIG profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceTime {
    /// Seconds before the first iteration; of the whole job where its iterations are not told apart.
    pub startup_s: f64,
    /// Seconds of one iteration; 0 where they are not told apart.
    pub iteration_s: f64,
}

impl SliceTime {
    /// Seconds of a whole run with so many iterations.
    #[must_use]
    pub fn whole_s(&self, iterations: u64) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "2^53 iterations are not reached"
        )]
        let iterations = iterations as f64;
        self.startup_s + self.iteration_s * iterations
    }
}

/// One program to be run to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its name, which is also that of its folder of results.
    pub name: String,
    /// The program as named, and its arguments; empty only where nothing is to be started (`Commands::Optional`).
    pub command: Vec<OsString>,
    /// The folder that it runs in, absolute.
    pub cwd: PathBuf,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
    /// Device memory by the user's word, context not counted.
    pub memory: Option<Bytes>,
    /// What the user says of what cannot be known before the run.
    pub assume: Vec<Given>,
    /// Numbers in the batch of the jobs that must have ended well before this one starts.
    pub after: Vec<usize>,
    /// When it may be started again.
    pub restart: Restart,
    /// When it is submitted, after the begin of the batch: for simulations.
    pub arrives: Duration,
    /// Cores of the host that it keeps busy, at least 1.
    pub cpus: u32,
    /// Host memory that it takes.
    pub host_memory: Option<Bytes>,
    /// How long one attempt may run.
    pub time_limit: Option<Duration>,
    /// Measured run times by MIG profile; the MIG profiles named are those that hold it.
    pub times: BTreeMap<ProfileName, SliceTime>,
    /// Iterations of its main loop, where it has one and the user knows.
    pub iterations: Option<u64>,
    /// Where the job file states its command: `jobs.toml:5:11`; none where there is no job file.
    pub stated_at: Option<String>,
    /// Where the job file states its times.
    pub times_at: Option<String>,
}

impl Job {
    /// A job of which nothing is stated but what to run, and where.
    #[must_use]
    pub fn new(name: String, command: Vec<OsString>, cwd: PathBuf) -> Job {
        Job {
            name,
            command,
            cwd,
            env: Vec::new(),
            memory: None,
            assume: Vec::new(),
            after: Vec::new(),
            restart: Restart::default(),
            arrives: Duration::ZERO,
            cpus: 1,
            host_memory: None,
            time_limit: None,
            times: BTreeMap::new(),
            iterations: None,
            stated_at: None,
            times_at: None,
        }
    }

    /// Seconds that its whole run was measured to take on a slice of this MIG profile.
    #[must_use]
    pub fn measured_s(&self, slice: ProfileName) -> Option<f64> {
        let time = self.times.get(&slice)?;
        Some(time.whole_s(self.iterations.unwrap_or(0)))
    }

    /// The program as named.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.command.first().map(PathBuf::from).unwrap_or_default()
    }

    /// The value of an environment variable, as the program would see it without migfit.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<OsString> {
        let own = self.env.iter().rev().find(|(known, _)| known == name);
        own.map(|(_, value)| value.into())
            .or_else(|| std::env::var_os(name))
    }

    /// Variables of this process with those of the job, where they are text.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let own = |name: &str| self.env.iter().any(|(known, _)| known == name);
        let inherited = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            (!own(&name)).then_some((name, value))
        });
        inherited.chain(self.env.iter().cloned()).collect()
    }
}
