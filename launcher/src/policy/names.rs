//! The policies that users can name, and the objects behind the names.

use crate::exit_code::ExitCode;
use crate::failure::Explain;
use crate::policy::Policy;
use crate::policy::fifo::Fifo;
use crate::policy::migfit::Migfit;
use crate::policy::planned::Planned;
use crate::policy::planners::{Far, Optimal, Static};
use crate::policy::sequential::Sequential;
use crate::policy::share::Sharing;
use crate::policy::sorted::Sorted;
use migfit_mig::layout::LayoutError;
use migfit_mig::{Layout, LayoutGraph};

/// A policy that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyName {
    /// One job at a time, on the whole GPU: the baseline.
    Sequential,
    /// In order, each on its tightest slice, reconfiguring on demand.
    Fifo,
    /// In order, each on its tightest slice; later ones may pass.
    Passing,
    /// By memory, in groups of equal slices.
    Sorted,
    /// Moldable tasks over a repartition tree.
    Far,
    /// The best of all static layouts.
    StaticBest,
    /// One static layout, as the user writes it.
    Static(String),
    /// Exact, for small batches.
    Optimal,
    /// Ours.
    Migfit,
}

/// A policy that cannot be had on this GPU.
#[derive(Clone, Debug, thiserror::Error)]
#[error("--policy {STATIC}{layout}: {why}")]
pub struct PolicyError {
    layout: String,
    why: LayoutError,
}

impl Explain for PolicyError {
    fn hint(&self) -> Option<String> {
        Some("migfit layout graph --gpu MODEL lists every layout; write one like static:\"4g.20gb@0 3g.20gb@4\"".to_owned())
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::Usage
    }
}

/// The form in which a static layout is named.
pub const STATIC: &str = "static:";

impl PolicyName {
    /// All policies that need no layout, in the order in which they are listed.
    pub const ALL: [PolicyName; 8] = [
        PolicyName::Sequential,
        PolicyName::Fifo,
        PolicyName::Passing,
        PolicyName::Sorted,
        PolicyName::Far,
        PolicyName::StaticBest,
        PolicyName::Optimal,
        PolicyName::Migfit,
    ];

    /// The policy itself, for GPUs of one model.
    ///
    /// # Errors
    /// When the layout that it names is not legal there.
    pub fn policy(&self, graph: &LayoutGraph) -> Result<Box<dyn Policy>, PolicyError> {
        Ok(match self {
            PolicyName::Sequential => Box::new(Sequential),
            PolicyName::Fifo => Box::new(Fifo),
            PolicyName::Passing => Box::new(Sharing { shares: false }),
            PolicyName::Sorted => Box::new(Sorted),
            PolicyName::Far => Box::new(Planned::new(Far)),
            PolicyName::StaticBest => Box::new(Planned::new(Static::of(graph.full_layouts()))),
            PolicyName::Static(layout) => {
                let layout = Layout::parse(graph.model(), layout).map_err(|why| PolicyError {
                    layout: layout.clone(),
                    why,
                })?;
                Box::new(Planned::new(Static::of(vec![layout])))
            }
            PolicyName::Optimal => Box::new(Planned::new(Optimal)),
            PolicyName::Migfit => Box::<Migfit>::default(),
        })
    }

    /// The name that users give.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            PolicyName::Sequential => "sequential".to_owned(),
            PolicyName::Fifo => "fifo".to_owned(),
            PolicyName::Passing => "passing".to_owned(),
            PolicyName::Sorted => "sorted".to_owned(),
            PolicyName::Far => "far".to_owned(),
            PolicyName::StaticBest => "static:best".to_owned(),
            PolicyName::Static(layout) => format!("{STATIC}{layout}"),
            PolicyName::Optimal => "optimal".to_owned(),
            PolicyName::Migfit => "migfit".to_owned(),
        }
    }
}
