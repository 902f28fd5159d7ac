//! What stands at a report's head: the GPU, and who made the report, where and when.

use crate::cli::request::{PolicyName, RunPlan};
use crate::gpu::Opened;
use crate::report::date;
use migfit_schema::report::{GpuName, Provenance};
use std::time::SystemTime;

/// What stands at a report's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The GPU.
    pub gpu: GpuName,
    /// Who, where, when.
    pub provenance: Provenance,
    /// What "one at a time" means on this GPU: the MIG profile that takes all of it, or the undivided GPU.
    pub baseline: Option<String>,
    /// Whether this run is the baseline itself.
    pub is_baseline: bool,
    /// What a reader must know of the GPU: which one was taken and why, that MIG is off.
    pub notes: Vec<String>,
}

impl Heading {
    /// The head of the report of a run that started then.
    #[must_use]
    pub fn new(plan: &RunPlan, opened: &Opened, started: SystemTime) -> Heading {
        let gpu = opened.gpu.facts();
        let whole = opened.gpu.model().whole();
        Heading {
            gpu: GpuName {
                selector: plan.gpu.to_string(),
                name: gpu.name.clone(),
                uuid: gpu.uuid.clone(),
                is_virtual: gpu.is_virtual,
            },
            provenance: Provenance {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                driver: gpu.driver.clone(),
                host: host(),
                date: date::rfc3339(started),
            },
            baseline: match (&plan.slice, gpu.is_undivided) {
                // One slice says nothing of the GPU.
                (Some(_), _) => None,
                (None, true) => Some("unpartitioned".to_owned()),
                (None, false) => whole.map(|whole| format!("{}g", whole.name.slices)),
            },
            is_baseline: plan.policy == PolicyName::Sequential && plan.slice.is_none(),
            notes: opened.notes.clone(),
        }
    }
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
}
