//! What a run record says, as read back.

use crate::kernel::Extent;
use crate::record::layout::Work;
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
    /// How often the program asked how much memory is free.
    pub memory_queries: u64,
    /// Copies to the host after a launch that was not executed.
    pub unreal_reads: u64,
    /// What was copied; zeros on a real GPU, where nobody counts it.
    pub copies: Copies,
    /// Launches whose work was counted.
    pub counted_launches: u64,
    /// Code that allocates, in order of first allocation; empty where that was not asked for.
    pub sites: Vec<AllocationSite>,
    /// Launches by kernel and shape, in order of first launch.
    pub kernels: Vec<LaunchCount>,
    /// Memory over time, oldest first (the last `SERIES_ROWS` points): (nanoseconds, bytes).
    pub series: Vec<(u64, u64)>,
    /// Points of the series in all; more than `series` has where the oldest were written over.
    pub series_points: u64,
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
    /// What they did, where a virtual GPU counted it.
    pub work: Work,
}

impl LaunchCount {
    /// Counts the launches of another row of the same kernel and shape in.
    pub fn add(&mut self, other: &LaunchCount) {
        self.count = self.count.saturating_add(other.count);
        let (sum, more) = (&mut self.work, &other.work);
        for (sum, more) in [
            (&mut sum.instructions, more.instructions),
            (&mut sum.double, more.double),
            (&mut sum.shared, more.shared),
            (&mut sum.atomics, more.atomics),
            (&mut sum.read_bytes, more.read_bytes),
            (&mut sum.written_bytes, more.written_bytes),
            (&mut sum.distinct_bytes, more.distinct_bytes),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

impl Copies {
    /// Counts those of another process in.
    pub fn add(&mut self, other: &Copies) {
        for (sum, more) in [
            (&mut self.to_device_bytes, other.to_device_bytes),
            (&mut self.to_host_bytes, other.to_host_bytes),
            (&mut self.within_bytes, other.within_bytes),
            (&mut self.to_device, other.to_device),
            (&mut self.to_host, other.to_host),
            (&mut self.within, other.within),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// What was copied between host and device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copies {
    /// Bytes from host to device.
    pub to_device_bytes: u64,
    /// Bytes from device to host.
    pub to_host_bytes: u64,
    /// Bytes within the device, fills included.
    pub within_bytes: u64,
    /// Copies from host to device.
    pub to_device: u64,
    /// Copies from device to host.
    pub to_host: u64,
    /// Copies within the device, and fills.
    pub within: u64,
}

/// Allocations by one piece of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllocationSite {
    /// Path of the program or library.
    pub file: String,
    /// Offsets of return addresses in it from where the file is loaded, of the call first and then of its callers.
    pub offsets: Vec<u64>,
    /// Successful allocations.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The smallest.
    pub smallest: u64,
    /// The largest.
    pub largest: u64,
}
