//! What was measured -> JSON. Its keys are a contract with users' scripts.

use crate::fit::json::GpuForm;
use crate::modelled::Modelled;
use crate::sizing::Board;
use crate::trial::launches::{Waves, warps, waves};
use crate::trial::measured::Measured;
use migfit_schema::kernel::Extent;
use migfit_schema::record::{Copies, LaunchCount, Work};
use migfit_schema::units::Mib;
use migfit_sizes::people_name;
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    command: &'a [String],
    /// Always `fit_run`.
    known_by: &'static str,
    verdict: String,
    notes: &'a [String],
    virtual_gpu: &'a str,
    virtual_memory_mib: Mib,
    ending: String,
    exit_code: Option<i32>,
    seconds: f64,
    scratch_layer: bool,
    written_files: Option<u64>,
    written_bytes: Option<u64>,
    processes: usize,
    peak_bytes: u64,
    peak_rounded_bytes: u64,
    live_at_end_bytes: u64,
    device_variable_bytes: Option<u64>,
    allocations: u64,
    frees: u64,
    failed_allocations: u64,
    sites: Vec<SiteForm<'a>>,
    launches: Vec<LaunchForm<'a>>,
    copies: Copies,
    /// By GPU and MIG profile: a model's figures, none measured. Empty where launches were not executed.
    modelled: BTreeMap<String, BTreeMap<String, Modelled>>,
    /// Nanoseconds since the first CUDA call, bytes alive.
    memory_over_time: &'a [(u64, u64)],
    /// Points of it that were lost.
    points_lost: u64,
    gpus: Vec<GpuForm>,
}

#[derive(Serialize)]
struct SiteForm<'a> {
    place: &'a str,
    file: &'a str,
    offsets: &'a [u64],
    times: u64,
    bytes: u64,
    smallest_bytes: u64,
    largest_bytes: u64,
}

#[derive(Serialize)]
struct LaunchForm<'a> {
    kernel: &'a str,
    name: String,
    grid: Extent,
    block: Extent,
    shared_bytes: u64,
    warps: u64,
    count: u64,
    /// What all of them did, by the virtual GPU's counts.
    work: Work,
    /// By GPU.
    waves: BTreeMap<String, WavesForm>,
}

#[derive(Serialize)]
struct WavesForm {
    blocks_per_sm: Option<u32>,
    by_mig_profile: BTreeMap<String, f64>,
}

/// The document.
///
/// # Errors
/// When a value has no JSON form.
pub fn text(measured: &Measured) -> serde_json::Result<String> {
    let record = &measured.record;
    let document = Document {
        version: VERSION,
        command: &measured.command,
        known_by: "fit_run",
        verdict: measured.verdict.to_string(),
        notes: &measured.doubts,
        virtual_gpu: &measured.model,
        virtual_memory_mib: measured.memory,
        ending: measured.ending.to_string(),
        exit_code: measured.ending.exit_code(),
        seconds: measured.took.as_secs_f64(),
        scratch_layer: measured.written.is_some(),
        written_files: measured.written.map(|written| written.files),
        written_bytes: measured.written.map(|written| written.bytes),
        processes: measured.processes,
        peak_bytes: record.peak_bytes,
        peak_rounded_bytes: record.peak_rounded_bytes,
        live_at_end_bytes: record.current_bytes,
        device_variable_bytes: measured.variables.map(|bytes| bytes.0),
        allocations: record.allocations,
        frees: record.frees,
        failed_allocations: record.failures,
        sites: sites(measured),
        launches: measured
            .launches
            .iter()
            .map(|launch| form(launch, measured))
            .collect(),
        copies: measured.copies,
        modelled: times(measured),
        memory_over_time: &measured.series.points,
        points_lost: measured.series.lost,
        gpus: measured
            .boards
            .iter()
            .map(|(board, sized)| GpuForm::of(*board, sized))
            .collect(),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn times(measured: &Measured) -> BTreeMap<String, BTreeMap<String, Modelled>> {
    let boards = measured.boards.iter().filter(|_| measured.is_counted());
    let of = |board: Board<'static>| {
        let times = measured.modelled(board.model).into_iter();
        times
            .map(|(name, found)| (name.to_string(), found))
            .collect()
    };
    boards
        .map(|(board, _)| (board.to_string(), of(*board)))
        .collect()
}

fn sites(measured: &Measured) -> Vec<SiteForm<'_>> {
    measured
        .sites
        .iter()
        .map(|(place, site)| SiteForm {
            place,
            file: &site.file,
            offsets: &site.offsets,
            times: site.count,
            bytes: site.bytes,
            smallest_bytes: site.smallest,
            largest_bytes: site.largest,
        })
        .collect()
}

fn form<'a>(launch: &'a LaunchCount, measured: &Measured) -> LaunchForm<'a> {
    let boards = measured.boards.iter();
    let waves = boards.map(|(board, _)| {
        let Waves {
            blocks_per_sm,
            by_mig_profile,
        } = waves(launch, &measured.kernels, board.model);
        let by_mig_profile = by_mig_profile
            .into_iter()
            .map(|(name, waves)| (name.to_string(), waves))
            .collect();
        (
            board.to_string(),
            WavesForm {
                blocks_per_sm,
                by_mig_profile,
            },
        )
    });
    LaunchForm {
        kernel: &launch.kernel,
        name: people_name(&launch.kernel),
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared,
        warps: warps(launch),
        count: launch.count,
        work: launch.work,
        waves: waves.collect(),
    }
}
