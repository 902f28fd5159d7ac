//! The answer as JSON: one object, whose keys are a contract with those who read it by program.

use crate::fit::launch_facts::{DemandForm, LaunchFacts};
use crate::fit::trust::Basis;
use migfit_schema::kernel::{Extent, Kernel};
use migfit_schema::profile::{JobProfile, Unknown};
use migfit_sizes::agreement::Agreement;
use migfit_sizes::{AllocationNeed, ClosedNeed, DeviceProperties, LaunchNeed, Need};
use serde::Serialize;

#[derive(Serialize)]
struct AnswerForm<'a> {
    /// Largest sum of requested bytes alive at once; null where nothing useful is known.
    peak_bytes: Option<u64>,
    /// The same as the driver rounds.
    peak_rounded_bytes: Option<u64>,
    verdict: String,
    /// Each site and size, in program order.
    allocations: Vec<AllocationForm>,
    /// Each site and shape, in program order.
    launches: Vec<LaunchForm<'a>>,
    demand: DemandForm<'a>,
    unknowns: Vec<NoteForm<'a>>,
    assumptions: Vec<NoteForm<'a>>,
    notes: Vec<NoteForm<'a>>,
    /// Device memory of closed libraries; not part of the peak.
    closed_libraries: Vec<ClosedForm<'a>>,
    /// Bytes of `__device__` and `__constant__` variables; not part of the peak.
    device_variable_bytes: u64,
    /// What the need is known by.
    known_by: Basis,
    /// Closed forms of the job profile against the evaluation, by allocation site.
    closed_forms: FormsForm,
    files_read: &'a [String],
    device: &'a str,
    steps: u64,
}

#[derive(Serialize)]
struct AllocationForm {
    site: String,
    api: String,
    /// Bytes of one request; null where not known.
    bytes: Option<u64>,
    count: u64,
}

#[derive(Serialize)]
struct LaunchForm<'a> {
    site: String,
    /// Mangled name.
    kernel: &'a str,
    /// Name for people.
    name: &'a str,
    grid: Option<[u32; 3]>,
    block: Option<[u32; 3]>,
    shared_bytes: Option<u64>,
    warps: Option<u64>,
    count: u64,
    /// False where the count hangs on an assumption.
    count_known: bool,
    #[serde(flatten)]
    facts: LaunchFacts,
}

#[derive(Serialize)]
struct FormsForm {
    /// Sites whose closed form gives the evaluated bytes.
    agree: usize,
    /// Sites that ran and have none.
    none: usize,
    /// Whether the formula of the peak gives the evaluated one; null where there is none to compare.
    peak_agrees: Option<bool>,
    /// Sites where the two differ; the peak is none, and stands without a site.
    differ: Vec<DifferenceForm>,
}

#[derive(Serialize)]
struct DifferenceForm {
    site: String,
    api: String,
    formula_bytes: String,
    evaluated_bytes: u64,
}

impl FormsForm {
    fn of(forms: &Agreement) -> FormsForm {
        let differ = forms.differing.iter().map(|one| DifferenceForm {
            site: one.site.to_string(),
            api: one.api.clone(),
            formula_bytes: one.formula.to_string(),
            evaluated_bytes: one.evaluated,
        });
        FormsForm {
            agree: forms.agreeing,
            none: forms.without,
            peak_agrees: forms.peak,
            differ: differ.collect(),
        }
    }
}

#[derive(Serialize)]
struct ClosedForm<'a> {
    site: String,
    library: &'a str,
    call: &'a str,
    /// At most this much; null where not known.
    bytes_at_most: Option<u64>,
    source: &'a str,
}

#[derive(Serialize)]
struct NoteForm<'a> {
    site: Option<String>,
    what: &'a str,
    reason: &'a str,
}

/// The answer as text.
///
/// # Errors
/// When the encoder refuses it.
pub fn answer(
    profile: &JobProfile,
    device: &DeviceProperties,
    need: &Need,
    forms: &Agreement,
) -> Result<String, serde_json::Error> {
    let form = AnswerForm {
        peak_bytes: need.peak.map(|bytes| bytes.0),
        peak_rounded_bytes: need.peak_rounded.map(|bytes| bytes.0),
        verdict: need.verdict.to_string(),
        allocations: need.allocations.iter().flat_map(allocations).collect(),
        launches: need
            .launches
            .iter()
            .map(|one| launch(one, &profile.summary.kernels, device))
            .collect(),
        demand: DemandForm::of(need),
        unknowns: notes(&need.unknowns),
        assumptions: notes(&need.assumptions),
        notes: notes(&need.notes),
        closed_libraries: need.closed.iter().map(closed).collect(),
        device_variable_bytes: profile.summary.device_variables,
        known_by: Basis::of(need, forms),
        closed_forms: FormsForm::of(forms),
        files_read: &need.files,
        device: &device.name,
        steps: need.steps,
    };
    serde_json::to_string_pretty(&form).map(|text| text + "\n")
}

fn allocations(need: &AllocationNeed) -> impl Iterator<Item = AllocationForm> + '_ {
    need.sizes.iter().map(|(bytes, count)| AllocationForm {
        site: need.site.to_string(),
        api: need.api.clone(),
        bytes: bytes.map(|bytes| bytes.0),
        count: *count,
    })
}

fn launch<'a>(
    need: &'a LaunchNeed,
    kernels: &[Kernel],
    device: &DeviceProperties,
) -> LaunchForm<'a> {
    let three = |extent: Extent| [extent.x, extent.y, extent.z];
    LaunchForm {
        site: need.site.to_string(),
        kernel: &need.kernel,
        name: &need.name,
        grid: need.grid.map(three),
        block: need.block.map(three),
        shared_bytes: need.shared,
        warps: need.warps(),
        count: need.count,
        count_known: need.count_known,
        facts: LaunchFacts::of(need, kernels, device.compute_capability),
    }
}

fn closed(need: &ClosedNeed) -> ClosedForm<'_> {
    ClosedForm {
        site: need.site.to_string(),
        library: &need.library,
        call: &need.call,
        bytes_at_most: need.bytes.map(|bytes| bytes.0),
        source: &need.source,
    }
}

fn notes(all: &[Unknown]) -> Vec<NoteForm<'_>> {
    all.iter()
        .map(|note| NoteForm {
            site: note.site.as_ref().map(ToString::to_string),
            what: &note.what,
            reason: &note.reason,
        })
        .collect()
}
