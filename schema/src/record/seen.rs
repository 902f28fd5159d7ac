//! What a run record says, as read back.

use crate::kernel::Extent;
use serde::{Deserialize, Serialize};

/// What the runtime saw of one process, as read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// `RECORD_VERSION`.
    pub version: u64,
    /// Process id.
    pub pid: u64,
    /// Clock ticks after boot.
    pub start_time: u64,
    /// Whether the process ended by exit or return from `main`.
    pub ended: bool,
    /// Whether the runtime stopped recording after a failure of its own.
    pub disturbed: bool,
    /// Requested bytes alive at the end.
    pub current_bytes: u64,
    /// Largest requested bytes alive at once.
    pub peak_bytes: u64,
    /// The same with 2 MiB granules.
    pub peak_rounded_bytes: u64,
    /// Successful allocations.
    pub allocations: u64,
    /// Successful frees.
    pub frees: u64,
    /// Number of failed allocations.
    pub failures: u64,
    /// The first failed allocations.
    pub first_failures: Vec<Failure>,
    /// Launches that the driver accepted.
    pub launches: u64,
    /// Launches that the driver refused.
    pub refused_launches: u64,
    /// Accepted launches that a virtual GPU did not execute; 0 on a real GPU.
    pub launches_not_executed: u64,
    /// Launches by kernel and shape, in order of first launch.
    pub kernels: Vec<LaunchCount>,
    /// Memory over time, oldest first (the last `SERIES_ROWS` points): (nanoseconds, bytes).
    pub series: Vec<(u64, u64)>,
}

/// A failed allocation: the proof of running out of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Bytes asked for.
    pub requested: u64,
    /// Requested bytes alive at that time.
    pub current: u64,
    /// The driver's error code.
    pub code: u64,
}

/// Launches of one kernel with one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCount {
    /// Mangled name.
    pub kernel: String,
    /// Grid in blocks.
    pub grid: Extent,
    /// Block in threads.
    pub block: Extent,
    /// Dynamic shared memory in bytes.
    pub shared: u64,
    /// How many launches.
    pub count: u64,
}
