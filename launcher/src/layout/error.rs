//! Why a model's layouts cannot be shown.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use migfit_mig::graph::GraphError;

/// Why a model's layouts cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// The graph cannot be made.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The JSON cannot be made.
    #[error("cannot write the layouts as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Explain for LayoutError {
    fn hint(&self) -> Option<String> {
        match self {
            LayoutError::Graph(_) => {
                Some("ask for fewer MIG profiles: --profiles 1g,2g,3g".to_owned())
            }
            LayoutError::Json(_) => None,
        }
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            LayoutError::Graph(_) => ExitCode::UnknownName,
            LayoutError::Json(_) => ExitCode::CannotWrite,
        }
    }
}
