//! The batch report: what a run of jobs came to. The keys are a contract with users' scripts.

use crate::record::LaunchCount;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the report's form.
pub const REPORT_VERSION: u32 = 1;

/// A whole report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// `REPORT_VERSION`.
    pub version: u32,
    /// The GPU.
    pub gpu: GpuName,
    /// Who made this report, where and when.
    pub provenance: Provenance,
    /// The batch as a whole.
    pub batch: Batch,
    /// Each job, in the order of the job file.
    pub jobs: Vec<JobReport>,
    /// Sentences that a reader must know ("kernels not executed: ...").
    pub notes: Vec<String>,
}

/// The GPU of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuName {
    /// As given on the command line: `virtual:a100-40gb`, `auto`, `0`.
    pub selector: String,
    /// The driver's name for the board.
    pub name: String,
    /// GPU UUID.
    pub uuid: String,
    /// Whether it is our virtual GPU.
    pub is_virtual: bool,
}

/// Who made a report, where and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of migfit.
    pub version: String,
    /// Driver version as NVML tells it.
    pub driver: String,
    /// Host name.
    pub host: String,
    /// Start of the run, RFC 3339 in UTC.
    pub date: String,
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Read off a clock or a counter.
    Measured,
    /// Computed by a model.
    Modelled,
}

/// The batch as a whole. Ratios above 1 are better than one job at a time; null where no source has the figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Number of jobs.
    pub jobs: usize,
    /// Jobs that ended with exit code 0.
    pub completed: usize,
    /// Jobs that did not.
    pub failed: usize,
    /// What "one at a time" means: `unpartitioned` or `7g`.
    pub baseline: Option<String>,
    /// Last finish minus first submit, seconds.
    pub makespan_s: Option<f64>,
    /// The same for the baseline.
    pub sequential_makespan_s: Option<f64>,
    /// `sequential_makespan_s / makespan_s`: above 1 is better.
    pub throughput_ratio: Option<f64>,
    /// Joules of the board over the batch.
    pub energy_j: Option<f64>,
    /// The same for the baseline.
    pub sequential_energy_j: Option<f64>,
    /// `sequential_energy_j / energy_j`: above 1 is better.
    pub energy_ratio: Option<f64>,
    /// Where the times come from; null: no figure.
    pub time_source: Option<Source>,
    /// Where the energies come from; null: no figure.
    pub energy_source: Option<Source>,
    /// How many times the batch was run.
    pub repeats: u32,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobReport {
    /// Name from the job file.
    pub name: String,
    /// Foretold peak of requested device bytes; null where unknown.
    pub predicted_bytes: Option<u64>,
    /// Peak of requested device bytes that the runtime saw; null where nothing was recorded.
    pub observed_peak_bytes: Option<u64>,
    /// How sure the prediction is: `exact`, `assumed`, `upper bound`, `lower bound`, `unknown`, `elastic`.
    pub verdict: String,
    /// MIG profile of the slice: `1g.5gb`; `whole-gpu` where the GPU is not divided.
    pub mig_profile: Option<String>,
    /// Where the slice lay.
    pub placement: Option<Placement>,
    /// Times that the job was started.
    pub attempts: u32,
    /// Start of the batch to start, host seconds; of the last attempt, as are all figures below.
    pub wait_s: Option<f64>,
    /// Start to finish, host seconds.
    pub run_s: Option<f64>,
    /// Seconds that the device would be busy with it on its slice, host time left out: a model over what the virtual GPU
    /// counted, never measured. Null on a real GPU, and where launches were not executed.
    #[serde(default)]
    pub modelled_device_s: Option<f64>,
    /// The same on the slices of each MIG profile of the board, held or not: what a simulation can take as `times`.
    #[serde(default)]
    pub modelled_device_s_by_mig_profile: BTreeMap<String, f64>,
    /// Joules that it would add to an idle board on its slice, by the same model.
    #[serde(default)]
    pub modelled_added_j: Option<f64>,
    /// Exit code; 128 + signal for a killed process; null when it never started.
    pub exit_code: Option<i32>,
    /// Result of the program's own check; null: not run.
    pub verified: Option<bool>,
    /// Why it was placed so, or why it failed.
    pub reason: String,
    /// Launches by kernel and shape that the runtime saw.
    #[serde(default)]
    pub launches: Vec<LaunchCount>,
    /// File with the job's standard output.
    #[serde(default)]
    pub stdout: Option<String>,
    /// File with the job's standard error.
    #[serde(default)]
    pub stderr: Option<String>,
    /// Each start of the job, in order; the last one is told above, too.
    #[serde(default)]
    pub each_attempt: Vec<AttemptReport>,
}

/// One start of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptReport {
    /// Its number, from 1; the job saw it as `MIGFIT_ATTEMPT`.
    pub attempt: u32,
    /// MIG profile of the slice.
    pub mig_profile: String,
    /// Where the slice lay; null where the driver does not tell.
    pub placement: Option<Placement>,
    /// Peak of requested device bytes that the runtime saw; null where nothing was recorded.
    pub observed_peak_bytes: Option<u64>,
    /// The first allocation that failed for lack of memory; null: none was seen.
    pub failed_allocation: Option<FailedAllocation>,
    /// Start of the batch to start, host seconds.
    pub wait_s: f64,
    /// Start to finish, host seconds.
    pub run_s: f64,
    /// Exit code; 128 + signal for a killed process.
    pub exit_code: Option<i32>,
    /// Why it failed; null where it did not.
    pub failure: Option<String>,
    /// After a lack of memory: why the job was started again, or why not; null where nothing lacked.
    pub then: Option<String>,
    /// File with the attempt's standard output; null where it went to the terminal.
    pub stdout: Option<String>,
    /// File with the attempt's standard error; null where it went to the terminal.
    pub stderr: Option<String>,
}

/// An allocation that failed for lack of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAllocation {
    /// Bytes asked for.
    pub requested_bytes: u64,
    /// Requested bytes alive at that time.
    pub in_use_bytes: u64,
}

/// Where a GPU instance lies, in memory slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// First memory slice.
    pub start: u32,
    /// Number of memory slices.
    pub size: u32,
}
