//! How a process of a job ended, and what made it end. Knows neither slices nor records.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It never started; why.
    NotStarted(String),
}

impl Ending {
    /// How a process ended.
    pub fn of(status: &std::io::Result<ExitStatus>) -> Ending {
        match status {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => Ending::Exit(code),
                (None, signal) => Ending::Signal(signal.unwrap_or(0)),
            },
            Err(error) => Ending::NotStarted(format!("its end was not seen: {error}")),
        }
    }

    /// As a shell tells it; none when it never ran.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Ending::Exit(code) => Some(*code),
            Ending::Signal(signal) => Some(128 + signal),
            Ending::NotStarted(_) => None,
        }
    }

    /// Whether the job did what it should.
    pub fn is_success(&self) -> bool {
        *self == Ending::Exit(0)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::NotStarted(why) => write!(f, "not started: {why}"),
            Ending::Exit(code) => write!(f, "exit code {code}"),
            Ending::Signal(signal) => {
                let name = signal_hook::low_level::signal_name(*signal);
                write!(f, "killed by {}", name.unwrap_or("an unnamed signal"))
            }
        }
    }
}

/// Why migfit stopped a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// migfit itself was told to stop, by this signal.
    Told(&'static str),
    /// It ran longer than it may.
    TimeLimit(Duration),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Told(signal) => write!(f, "stopped: migfit got {signal}"),
            Stopped::TimeLimit(limit) => {
                write!(f, "time limit of {} s reached", limit.as_secs_f64())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_stops_are_told_in_words() {
        assert_eq!(Ending::Exit(3).to_string(), "exit code 3");
        assert_eq!(Ending::Signal(6).to_string(), "killed by SIGABRT");
        assert_eq!(Ending::Signal(6).exit_code(), Some(134));
        let limit = |seconds| Stopped::TimeLimit(Duration::from_secs_f64(seconds)).to_string();
        assert_eq!(limit(90.0), "time limit of 90 s reached");
        assert_eq!(limit(0.5), "time limit of 0.5 s reached");
    }
}
