//! A job as the user states it.

use migfit_schema::units::Bytes;
use std::ffi::OsString;
use std::path::PathBuf;

/// One program to be run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name, which is also that of its folder of results.
    pub name: String,
    /// The program as named, and its arguments; never empty.
    pub command: Vec<OsString>,
    /// The folder that it runs in, absolute.
    pub cwd: PathBuf,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
    /// Device memory by the user's word, context not counted.
    pub memory: Option<Bytes>,
    /// Where the job file states its command: `jobs.toml:5:11`; none where there is no job file.
    pub stated_at: Option<String>,
}

impl Job {
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
