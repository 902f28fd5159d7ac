//! What doctor found, as data: each finding has a name of its own, a state, a sentence, and what mends it.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use serde::Serialize;
use std::fmt;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It works.
    Ok,
    /// It works, and there is something to know.
    Warn,
    /// It is there, or was asked for, and does not work.
    Broken,
    /// It is not on this machine; what needs it does not work here, and all else does.
    NotHere,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            State::Ok => "ok",
            State::Warn => "warn",
            State::Broken => "broken",
            State::NotHere => "not here",
        })
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name, for scripts: `gpu.0.permission`. What stands before the first dot is its group.
    pub id: String,
    /// How it is.
    pub state: State,
    /// What was found, in a sentence.
    pub what: String,
    /// What mends it: a command where there is one; none where nothing has to be done.
    pub mend: Option<String>,
}

impl Finding {
    /// Something that works.
    pub fn ok(id: impl Into<String>, what: impl Into<String>) -> Finding {
        Finding {
            id: id.into(),
            state: State::Ok,
            what: what.into(),
            mend: None,
        }
    }

    /// Something in another state, with what mends it.
    pub fn new(
        id: impl Into<String>,
        state: State,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> Finding {
        Finding {
            id: id.into(),
            state,
            what: what.into(),
            mend: Some(mend.into()),
        }
    }

    /// A stage's error, with its place and its hint.
    pub fn of_error(id: impl Into<String>, state: State, error: &dyn Explain) -> Finding {
        let place = error.place().map_or_else(String::new, |place| {
            format!("; {}", place.replace('\n', "; "))
        });
        Finding {
            id: id.into(),
            state,
            what: format!("{error}{place}"),
            mend: error.hint(),
        }
    }
}

/// Why nothing could be looked at.
#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    /// A folder for the self-test.
    #[error("cannot make a temporary folder for the self-test: {0}")]
    NoFolder(std::io::Error),
    /// The JSON cannot be made.
    #[error("cannot write the findings as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Explain for DoctorError {
    fn hint(&self) -> Option<String> {
        Some("set TMPDIR to a folder that can be written and has room".to_owned())
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            DoctorError::NoFolder(_) | DoctorError::Json(_) => ExitCode::CannotWrite,
        }
    }
}
