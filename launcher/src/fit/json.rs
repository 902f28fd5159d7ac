//! The answers of `migfit fit` as JSON: a form of its own, kept for users' scripts; `VERSION` rises when it changes.

use crate::fit::answer::Answer;
use crate::fit::explain::{self, TreeForm};
use crate::fit::formulas::Formulas;
use crate::fit::launch_facts::{DemandForm, LaunchFacts};
use crate::fit::trust;
use crate::sizing::choice::Slice;
use crate::sizing::context::Basis;
use crate::sizing::{Board, Choice, Sized};
use migfit_mig::{MemorySource, ProfileName};
use migfit_schema::kernel::{Extent, Kernel};
use migfit_schema::profile::{Summary, Unknown};
use migfit_schema::site::Site;
use migfit_schema::units::{Bytes, Mib};
use migfit_sizes::explain::SiteTree;
use migfit_sizes::{AllocationNeed, LaunchNeed, Need};
use serde::Serialize;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct FormulaDocument<'a> {
    version: u32,
    program: &'a str,
    formulas: &'a Formulas,
    job_profile: &'a Summary,
    /// Where sizes come from; null without `--explain`.
    explained: Option<Vec<TreeForm<'a>>>,
}

/// The formulas, as text for people and as the job profile's expressions for programs.
///
/// # Errors
/// When a value has no JSON form.
pub fn formulas(
    summary: &Summary,
    formulas: &Formulas,
    trees: Option<&[SiteTree]>,
) -> serde_json::Result<String> {
    pretty(&FormulaDocument {
        version: VERSION,
        program: &summary.name,
        formulas,
        job_profile: summary,
        explained: trees.map(explain::forms),
    })
}

#[derive(Serialize)]
struct AnswerDocument<'a> {
    version: u32,
    program: &'a str,
    args: &'a [String],
    /// Why there is no size program, when there is none.
    failure: Option<&'a str>,
    /// Linked objects that analysis did not see.
    without_ir: &'a [String],
    need: Option<NeedForm<'a>>,
    /// What the need is known by: `closed_form`, `evaluated`, `users_word` or `whole_gpu`.
    known_by: Option<trust::Basis>,
    /// Where sizes come from; null without `--explain`.
    explained: Option<Vec<TreeForm<'a>>>,
    gpus: Vec<GpuForm>,
}

/// The need of one command line and the slices against it.
///
/// # Errors
/// When a value has no JSON form.
pub fn answer(
    summary: &Summary,
    args: &[String],
    answer: &Answer<'_>,
) -> serde_json::Result<String> {
    pretty(&AnswerDocument {
        version: VERSION,
        program: &summary.name,
        args,
        failure: summary.failure.as_deref(),
        without_ir: &summary.without_ir,
        need: answer
            .need
            .as_ref()
            .map(|need| NeedForm::of(need, answer, summary)),
        known_by: answer.basis,
        explained: answer.trees.as_deref().map(explain::forms),
        gpus: answer
            .boards
            .iter()
            .map(|(board, sized)| GpuForm::of(*board, sized))
            .collect(),
    })
}

fn pretty(document: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(document)? + "\n")
}

#[derive(Serialize)]
struct NeedForm<'a> {
    verdict: String,
    /// `GPU MIG-PROFILE` where the need may differ between slices.
    on_slice: Option<String>,
    peak_bytes: Option<Bytes>,
    peak_rounded_bytes: Option<Bytes>,
    live_at_end_bytes: Bytes,
    /// Of the program's modules, not of an allocation call; not in the peak.
    device_variable_bytes: u64,
    allocations: Vec<AllocationForm<'a>>,
    launches: Vec<LaunchForm<'a>>,
    demand: DemandForm<'a>,
    assumptions: &'a [Unknown],
    unknowns: &'a [Unknown],
    notes: &'a [Unknown],
    files: &'a [String],
    steps: u64,
}

impl<'a> NeedForm<'a> {
    fn of(need: &'a Need, answer: &Answer<'_>, summary: &Summary) -> NeedForm<'a> {
        // Registers are told for the first GPU.
        let board = answer.boards.first().map(|(board, _)| board.model);
        let capability = board.map_or((0, 0), |model| model.compute_capability);
        NeedForm {
            verdict: need.verdict.to_string(),
            on_slice: answer.slice.map(|(board, name)| format!("{board} {name}")),
            peak_bytes: need.peak,
            peak_rounded_bytes: need.peak_rounded,
            live_at_end_bytes: need.live_at_end,
            device_variable_bytes: summary.device_variables,
            allocations: need.allocations.iter().map(AllocationForm::of).collect(),
            launches: need
                .launches
                .iter()
                .map(|launch| LaunchForm::of(launch, &summary.kernels, capability))
                .collect(),
            demand: DemandForm::of(need),
            assumptions: &need.assumptions,
            unknowns: &need.unknowns,
            notes: &need.notes,
            files: &need.files,
            steps: need.steps,
        }
    }
}

#[derive(Serialize)]
struct AllocationForm<'a> {
    site: &'a Site,
    api: &'a str,
    times: u64,
    smallest_bytes: Option<Bytes>,
    largest_bytes: Option<Bytes>,
    known_total_bytes: Bytes,
}

impl<'a> AllocationForm<'a> {
    fn of(allocation: &'a AllocationNeed) -> AllocationForm<'a> {
        AllocationForm {
            site: &allocation.site,
            api: &allocation.api,
            times: allocation.times,
            smallest_bytes: allocation.bytes.map(|bytes| bytes.0),
            largest_bytes: allocation.bytes.map(|bytes| bytes.1),
            known_total_bytes: allocation.total,
        }
    }
}

#[derive(Serialize)]
struct LaunchForm<'a> {
    site: &'a Site,
    kernel: &'a str,
    name: &'a str,
    grid: Option<Extent>,
    block: Option<Extent>,
    shared_bytes: Option<u64>,
    warps: Option<u64>,
    count: u64,
    count_known: bool,
    #[serde(flatten)]
    facts: LaunchFacts,
}

impl<'a> LaunchForm<'a> {
    fn of(launch: &'a LaunchNeed, kernels: &[Kernel], capability: (u32, u32)) -> LaunchForm<'a> {
        LaunchForm {
            site: &launch.site,
            kernel: &launch.kernel,
            name: &launch.name,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared,
            warps: launch.warps(),
            count: launch.count,
            count_known: launch.count_known,
            facts: LaunchFacts::of(launch, kernels, capability),
        }
    }
}

/// A board, its slices, and the one to take.
#[derive(Serialize)]
pub struct GpuForm {
    gpu: String,
    /// Whether the placements were read on that board.
    confirmed: bool,
    /// `tightest`, `whole`, `too_large`; null for a GPU without MIG profiles.
    choice: Option<&'static str>,
    /// The slice to take; null where nothing holds the job.
    mig_profile: Option<ProfileName>,
    slices: Vec<SliceForm>,
}

impl GpuForm {
    /// Of a board that was sized.
    pub fn of(board: Board<'_>, sized: &Sized) -> GpuForm {
        let (choice, mig_profile) = match sized.choice {
            Some(Choice::Tightest(slice)) => (Some("tightest"), Some(slice.candidate.profile)),
            Some(Choice::Whole(slice)) => (Some("whole"), Some(slice.candidate.profile)),
            Some(Choice::TooLarge(_)) => (Some("too_large"), None),
            None => (None, None),
        };
        GpuForm {
            gpu: board.to_string(),
            confirmed: board.model.confirmed,
            choice,
            mig_profile,
            slices: sized.slices.iter().map(SliceForm::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct SliceForm {
    mig_profile: ProfileName,
    memory_slices: u32,
    sm_slices: u32,
    has_mib: Mib,
    memory_from: MemorySource,
    needs_mib: Mib,
    context_bytes: Bytes,
    context_basis: Basis,
    verdict: String,
    /// Whether its memory holds what is known of the need.
    holds: bool,
}

impl SliceForm {
    fn of(slice: &Slice) -> SliceForm {
        SliceForm {
            mig_profile: slice.candidate.profile,
            memory_slices: slice.candidate.memory_slices,
            sm_slices: slice.candidate.compute_slices,
            has_mib: slice.candidate.have,
            memory_from: slice.candidate.memory_from,
            needs_mib: slice.candidate.need,
            context_bytes: slice.context.bytes,
            context_basis: slice.context.basis,
            verdict: slice.need.verdict.to_string(),
            holds: slice.holds(),
        }
    }
}
