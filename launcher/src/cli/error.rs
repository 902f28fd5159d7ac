//! What can be wrong with a value on the command line.

use crate::exit_code::ExitCode;
use crate::failure::Explain;

/// A value on the command line that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CliError {
    /// No GPU model of that name.
    #[error("no GPU model is called '{given}'")]
    UnknownModel {
        /// As given.
        given: String,
        /// The model that is spelt most like it.
        nearest: Option<&'static str>,
        /// All models.
        known: Vec<&'static str>,
    },
    /// No policy of that name.
    #[error("no policy is called '{given}'")]
    UnknownPolicy {
        /// As given.
        given: String,
        /// The policy that is spelt most like it.
        nearest: Option<&'static str>,
        /// All policies.
        known: Vec<&'static str>,
    },
    /// `--gpu` of `migfit run` is none of the forms that we know.
    #[error("'{given}' selects no GPU")]
    BadSelector {
        /// As given.
        given: String,
    },
}

impl Explain for CliError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            CliError::UnknownModel { nearest, known, .. } => meant(*nearest, "models", known),
            CliError::UnknownPolicy { nearest, known, .. } => meant(*nearest, "policies", known),
            CliError::BadSelector { .. } => {
                "say virtual:MODEL (virtual:a100-40gb), a GPU's number (0) or its UUID (GPU-...)"
                    .to_owned()
            }
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            CliError::UnknownModel { .. } | CliError::UnknownPolicy { .. } => ExitCode::UnknownName,
            CliError::BadSelector { .. } => ExitCode::Usage,
        }
    }
}

fn meant(nearest: Option<&str>, kind: &str, known: &[&str]) -> String {
    let known = known.join(" ");
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'? {kind}: {known}"),
        None => format!("{kind}: {known}"),
    }
}
