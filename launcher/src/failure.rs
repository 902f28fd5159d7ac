//! Every way in which `migfit` itself fails, one variant per stage, and its text: `error: what`, then where, then
//! a hint. The text makes sense without colour. Knows nothing of what the stages do.

use crate::analyze::AnalyzeError;
use crate::build::BuildError;
use crate::cli::error::CliError;
use crate::doctor::DoctorError;
use crate::exit_code::ExitCode;
use crate::fit::FitError;
use crate::jobs::JobFileError;
use crate::layout::LayoutError;
use crate::run::RunError;
use crate::simulate::SimulateError;
use crate::trial::TrialError;
use std::fmt::Write;

/// What a stage's error tells beside its own message.
pub trait Explain: std::error::Error {
    /// Where it happened, when the message does not say it already: a file with line and column, a GPU.
    fn place(&self) -> Option<String> {
        None
    }

    /// The next step for the user.
    fn hint(&self) -> Option<String>;

    /// What the shell is told; every stage answers with an exhaustive match.
    fn exit_code(&self) -> ExitCode;
}

/// A failure of the launcher, by stage.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line's grammar; the text is clap's.
    #[error("{0}")]
    Grammar(clap::Error),
    /// A value on the command line.
    #[error(transparent)]
    Cli(#[from] CliError),
    /// `migfit build`.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// `migfit fit`.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// `migfit fit --run`.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// `migfit analyze`.
    #[error(transparent)]
    Analyze(#[from] AnalyzeError),
    /// `migfit layout`.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// `migfit run`.
    #[error(transparent)]
    Run(#[from] RunError),
    /// `migfit simulate`.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// `migfit doctor`.
    #[error(transparent)]
    Doctor(#[from] DoctorError),
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
}

impl Failure {
    /// What the shell is told.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Grammar(_) => ExitCode::Usage,
            Failure::Output(_) => ExitCode::CannotWrite,
            Failure::Cli(error) => error.exit_code(),
            Failure::Build(error) => error.exit_code(),
            Failure::Fit(error) => error.exit_code(),
            Failure::Trial(error) => error.exit_code(),
            Failure::Analyze(error) => error.exit_code(),
            Failure::Layout(error) => error.exit_code(),
            Failure::Run(error) => error.exit_code(),
            Failure::Simulate(error) => error.exit_code(),
            Failure::Doctor(error) => error.exit_code(),
        }
    }

    /// The whole text for the user, with a line end.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Failure::Grammar(error) => error.render().to_string(),
            Failure::Output(_) => text(&self.to_string(), None, None),
            Failure::Cli(error) => explained(error),
            Failure::Build(error) => explained(error),
            Failure::Fit(error) => explained(error),
            Failure::Trial(error) => explained(error),
            Failure::Analyze(error) => explained(error),
            Failure::Layout(error) => explained(error),
            Failure::Run(error) => explained(error),
            Failure::Simulate(error) => explained(error),
            Failure::Doctor(error) => explained(error),
        }
    }
}

impl Explain for BuildError {
    fn hint(&self) -> Option<String> {
        Some(self.hint())
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            BuildError::NoCommand => ExitCode::Usage,
            BuildError::CommandNotFound(_) => ExitCode::NoSuchTarget,
            BuildError::CommandNotStarted { .. } => ExitCode::CannotStart,
            BuildError::NoClang(_)
            | BuildError::NotClang(_)
            | BuildError::ClangTooNew { .. }
            | BuildError::Missing(_) => ExitCode::Incomplete,
            BuildError::Spaces(_) | BuildError::Shims(_) => ExitCode::CannotWrite,
        }
    }
}

impl Explain for JobFileError {
    fn place(&self) -> Option<String> {
        match self {
            JobFileError::Wrong {
                file, line, column, ..
            } => Some(format!("{}:{line}:{column}", file.display())),
            _ => None,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            JobFileError::Wrong { hint, .. } => hint.clone(),
            JobFileError::Unreadable { .. } => {
                "name a job file: migfit run -f jobs.toml".to_owned()
            }
            JobFileError::Folder(_) => "name a job file in it: migfit run -f jobs.toml".to_owned(),
            JobFileError::WorkingFolder(_) => "go to a folder that exists".to_owned(),
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            JobFileError::Unreadable { .. } | JobFileError::WorkingFolder(_) => {
                ExitCode::NoSuchTarget
            }
            JobFileError::Wrong { .. } | JobFileError::Folder(_) => ExitCode::BadJobFile,
        }
    }
}

fn explained(error: &dyn Explain) -> String {
    text(&error.to_string(), error.place(), error.hint())
}

fn text(what: &str, place: Option<String>, hint: Option<String>) -> String {
    let mut text = format!("error: {what}\n");
    for line in place.iter().flat_map(|place| place.lines()) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(hint) = hint {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_and_what_next() {
        let place = Some("jobs.toml:3:7".to_owned());
        let hint = Some("close the quote".to_owned());
        assert_eq!(
            text("broken job file", place, hint),
            "error: broken job file\n  jobs.toml:3:7\nhint: close the quote\n"
        );
        assert_eq!(text("plain", None, None), "error: plain\n");
    }
}
