//! What can be wrong with a value on the command line.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use migfit_mig::ModelError;

/// A value on the command line that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CliError {
    /// No GPU model of that name, or one that we know too little of.
    #[error("{}", model_sentence(.0))]
    Model(ModelError),
    /// No policy of that name.
    #[error("no policy is called '{given}'")]
    UnknownPolicy {
        /// As given.
        given: String,
        /// The policy that is spelt most like it.
        nearest: Option<String>,
        /// All policies.
        known: Vec<String>,
    },
    /// The model has no MIG profile of that name.
    #[error("{model} has no MIG profile '{given}'")]
    UnknownMigProfile {
        /// As given.
        given: String,
        /// The model.
        model: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// `--no-args` and arguments.
    #[error("--no-args, and yet arguments are given")]
    NoArgsWithArgs,
    /// `--assume` without a command line to evaluate.
    #[error("--assume is for figures, and no arguments of the program are given")]
    AssumeWithoutArgs,
    /// `--assume` in no form that we know.
    #[error("--assume {given}: {why}")]
    BadAssumption {
        /// As given.
        given: String,
        /// What is wrong, and the forms that there are.
        why: String,
    },
    /// A quote that is not closed.
    #[error("a quote is not closed in --args: {0}")]
    OpenQuote(String),
    /// `--cpus` or `--host-memory` of a run that really starts jobs.
    #[error("{flag} is for plans and simulations: a run takes the host as it is")]
    HostOfARun {
        /// Which.
        flag: &'static str,
    },
    /// `--limit` is no time.
    #[error("--limit {given} is no time")]
    BadLimit {
        /// As given.
        given: String,
        /// How to write it.
        how: String,
    },
    /// `--host-memory` is no amount of memory.
    #[error("--host-memory {given} is no amount of memory")]
    BadHostMemory {
        /// As given.
        given: String,
        /// How to write it.
        how: String,
    },
    /// `--policy` of `migfit simulate` names one twice.
    #[error("--policy names {0} twice")]
    PolicyTwice(String),
    /// `--error` is no percentage.
    #[error("--error {0} is no error in percent")]
    NoError(String),
    /// `--load` is no load.
    #[error("--load {0} is no load")]
    NoLoad(String),
    /// `--draw` is no number of jobs.
    #[error("--draw {0} is no number of jobs")]
    NoDraw(String),
    /// `--slice` names no MIG device.
    #[error("'{given}' is no UUID of a MIG device")]
    BadSlice {
        /// As given.
        given: String,
    },
    /// `--gpu` of `migfit run` is none of the forms that we know.
    #[error("'{given}' selects no GPU")]
    BadSelector {
        /// As given.
        given: String,
        /// Whether a GPU model is called so.
        is_model: bool,
    },
    /// A GPU of this machine, where a model is wanted.
    #[error("'{given}' names a GPU of this machine, and a GPU model is wanted here")]
    NotAModel {
        /// As given.
        given: String,
    },
}

impl Explain for CliError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            CliError::Model(error) => model_hint(error),
            CliError::UnknownPolicy { nearest, known, .. } => meant(nearest.as_deref(), "policies", known),
            CliError::UnknownMigProfile { known, .. } => meant(None, "MIG profiles", known),
            CliError::BadSlice { .. } => {
                "nvidia-smi -L lists them: MIG-5c0f...; leave --slice out, and migfit makes one".to_owned()
            }
            CliError::NoArgsWithArgs => {
                "leave one of them out: everything behind PROGRAM is its arguments".to_owned()
            }
            CliError::BadSelector {
                given,
                is_model: true,
            } => format!("did you mean virtual:{given}?"),
            CliError::AssumeWithoutArgs => {
                "add the program's arguments, or --no-args".to_owned()
            }
            CliError::BadAssumption { .. } => {
                "it holds where the evaluation does not know better: migfit fit says what that is".to_owned()
            }
            CliError::OpenQuote(_) => "quote as in a shell: --args \"-n 4 'two words'\"".to_owned(),
            CliError::HostOfARun { .. } => "leave it out, or add --plan".to_owned(),
            CliError::BadHostMemory { how, .. } | CliError::BadLimit { how, .. } => how.clone(),
            CliError::PolicyTwice(_) => "name each policy once".to_owned(),
            CliError::NoError(_) => "write a number from 0 to 100".to_owned(),
            CliError::NoLoad(_) => "write a number above 0, such as 0.6; above 1 the queue grows".to_owned(),
            CliError::NoDraw(_) => "write a number, or least and most: 8 or 4-8".to_owned(),
            CliError::BadSelector { .. } => {
                "say virtual:MODEL (virtual:a100-40gb), auto, a GPU's number (0) or its UUID (GPU-...); with mig: in \
                 front (mig:auto) only a GPU that can be cut into slices will do"
                    .to_owned()
            }
            CliError::NotAModel { .. } => {
                "name its model, like a100-40gb; migfit doctor tells which board this machine has".to_owned()
            }
        })
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            CliError::Model(_)
            | CliError::UnknownPolicy { .. }
            | CliError::UnknownMigProfile { .. } => ExitCode::UnknownName,
            CliError::BadSelector { .. }
            | CliError::NotAModel { .. }
            | CliError::AssumeWithoutArgs
            | CliError::BadAssumption { .. }
            | CliError::OpenQuote(_)
            | CliError::HostOfARun { .. }
            | CliError::BadHostMemory { .. }
            | CliError::BadLimit { .. }
            | CliError::PolicyTwice(_)
            | CliError::NoError(_)
            | CliError::NoLoad(_)
            | CliError::NoDraw(_)
            | CliError::BadSlice { .. }
            | CliError::NoArgsWithArgs => ExitCode::Usage,
        }
    }
}

fn model_sentence(error: &ModelError) -> String {
    match error {
        ModelError::Unknown { name, .. } => format!("no GPU model is called '{name}'"),
        ModelError::Incomplete { .. } | ModelError::Broken { .. } => error.to_string(),
    }
}

fn model_hint(error: &ModelError) -> String {
    match error {
        ModelError::Unknown {
            suggestion, known, ..
        } => meant(suggestion.as_deref(), "models", known),
        ModelError::Incomplete { .. } => "name a model that is built in: see --help".to_owned(),
        ModelError::Broken { .. } => "install migfit again".to_owned(),
    }
}

fn meant<T: AsRef<str>>(nearest: Option<&str>, kind: &str, known: &[T]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let known = known.join(" ");
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'? {kind}: {known}"),
        None => format!("{kind}: {known}"),
    }
}
