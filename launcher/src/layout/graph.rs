//! `migfit layout graph`: every layout that a model can take, as text, JSON or graphviz.

use crate::cli::flags::GraphFormat;
use crate::cli::request::GraphRequest;
use crate::layout::error::LayoutError;
use migfit_mig::LayoutGraph;
use migfit_mig::render::{dot, summary};
use serde::Serialize;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document {
    version: u32,
    #[serde(flatten)]
    graph: summary::GraphSummary,
}

/// The text that answers a request.
///
/// # Errors
/// When so many MIG profiles are in play that the graph cannot be held.
pub fn graph(request: &GraphRequest) -> Result<String, LayoutError> {
    let graph = LayoutGraph::new(request.model, &request.mig_profiles)?;
    Ok(match request.format {
        GraphFormat::Text => summary::table(&graph),
        GraphFormat::Dot => dot::dot(&graph),
        GraphFormat::Json => {
            let document = Document {
                version: VERSION,
                graph: summary::summary(&graph),
            };
            serde_json::to_string_pretty(&document)? + "\n"
        }
    })
}
