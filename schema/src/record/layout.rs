//! The mapped file as the runtime writes it: little-endian 64-bit words, no padding.

/// First eight bytes of the mapped file.
pub const RECORD_MAGIC: [u8; 8] = *b"MIGFITRR";
/// Version of the layout below.
pub const RECORD_VERSION: u64 = 2;
/// Environment variable that names the folder for run records; unset: the runtime records nothing.
pub const RECORD_DIR_VARIABLE: &str = "MIGFIT_RECORD_DIR";
/// Environment variable that makes the runtime note which code allocates, when its value is `1`: it takes time.
pub const RECORD_SITES_VARIABLE: &str = "MIGFIT_RECORD_SITES";
/// Environment variable that turns off every shim, hook and preload when its value is `off`.
pub const SWITCH_VARIABLE: &str = "MIGFIT";

/// Number of rows of the kernel table; launches of further kernels are counted in the totals only.
pub const KERNEL_ROWS: usize = 4096;
/// Number of rows of the failure table (the first failures are kept).
pub const FAILURE_ROWS: usize = 64;
/// Number of rows of the memory series.
pub const SERIES_ROWS: usize = 4096;
/// Number of rows of the table of allocating code; further places are counted in the totals only.
pub const SITE_ROWS: usize = 512;
/// Callers that are noted of each.
pub const SITE_FRAMES: usize = 4;
/// Bytes of a file's path in that table, zero-padded, cut at the front where longer.
pub const PATH_BYTES: usize = 256;
/// Bytes of a kernel name in the table, zero-padded, cut where longer.
pub const NAME_BYTES: usize = 192;

/// The mapped file: little-endian u64 words only, no padding. The runtime writes each word atomically.
/// File name: `PID-STARTTIME.record` in the record folder (start time: field 22 of /proc/PID/stat).
#[repr(C)]
pub struct MappedRecord {
    /// `RECORD_MAGIC`, written last when the file is ready.
    pub magic: u64,
    /// `RECORD_VERSION`.
    pub version: u64,
    /// Process id.
    pub pid: u64,
    /// Field 22 of /proc/PID/stat, clock ticks after boot.
    pub start_time: u64,
    /// 1 after a clean end (exit or return from main), 0 before.
    pub ended: u64,
    /// 1 when the runtime stopped recording after a failure of its own.
    pub disturbed: u64,
    /// Requested device bytes alive now.
    pub current_bytes: u64,
    /// Largest `current_bytes` seen.
    pub peak_bytes: u64,
    /// The same with each allocation rounded up to what the driver takes (2 MiB granules).
    pub current_rounded_bytes: u64,
    /// Largest `current_rounded_bytes` seen.
    pub peak_rounded_bytes: u64,
    /// Successful allocations.
    pub allocations: u64,
    /// Successful frees.
    pub frees: u64,
    /// Failed allocations (out of memory).
    pub failures: u64,
    /// Launches that the driver accepted.
    pub launches: u64,
    /// Launches that the driver refused.
    pub refused_launches: u64,
    /// Kernel executions that the virtual GPU skipped because it does not run kernels (0 on a real GPU).
    pub launches_not_executed: u64,
    /// Rows used of `kernels`.
    pub kernel_rows: u64,
    /// Points written to `series` in all; row = count modulo `SERIES_ROWS`.
    pub series_points: u64,
    /// How often the program asked how much memory is free.
    pub memory_queries: u64,
    /// Copies from the device to the host after a launch that was not executed.
    pub unreal_reads: u64,
    /// Rows used of `sites`.
    pub site_rows: u64,
    /// Bytes copied from host to device; told by a virtual GPU alone, as are the seven that follow.
    pub to_device_bytes: u64,
    /// Bytes copied from device to host.
    pub to_host_bytes: u64,
    /// Bytes copied within the device, or set.
    pub within_bytes: u64,
    /// Copies from host to device.
    pub to_device: u64,
    /// Copies from device to host.
    pub to_host: u64,
    /// Copies within the device, and fills.
    pub within: u64,
    /// Launches whose work was counted.
    pub counted_launches: u64,
    /// Room for later words; zero.
    pub reserved: [u64; 4],
    /// The first failed allocations.
    pub failure: [MappedFailure; FAILURE_ROWS],
    /// Code that allocates.
    pub sites: [MappedSite; SITE_ROWS],
    /// Launches by kernel and shape.
    pub kernels: [MappedKernel; KERNEL_ROWS],
    /// Memory over time, a ring.
    pub series: [MappedPoint; SERIES_ROWS],
}

/// A failed allocation.
#[repr(C)]
pub struct MappedFailure {
    /// Bytes asked for.
    pub requested: u64,
    /// Requested bytes alive at that time.
    pub current: u64,
    /// The driver's error code (2: out of memory).
    pub code: u64,
}

/// Launches of one kernel with one grid, block and dynamic shared memory.
#[repr(C)]
pub struct MappedKernel {
    /// Mangled name, zero-padded.
    pub name: [u8; NAME_BYTES],
    /// Launches of this kernel with this shape.
    pub count: u64,
    /// Grid x, y, z.
    pub grid: [u64; 3],
    /// Block x, y, z.
    pub block: [u64; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u64,
    /// What those launches did, where a virtual GPU counted it.
    pub work: Work,
}

/// What launches did. All counts are sums over threads.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Work {
    /// Instructions of device code.
    pub instructions: u64,
    /// Of these, arithmetic in double precision.
    pub double: u64,
    /// Of these, loads and stores of shared memory.
    pub shared: u64,
    /// Of these, atomic operations.
    pub atomics: u64,
    /// Bytes that instructions read of global and constant memory.
    pub read_bytes: u64,
    /// Bytes that instructions wrote to global memory.
    pub written_bytes: u64,
    /// The same bytes, read and written by each launch no more than the program held of device memory then.
    pub distinct_bytes: u64,
}

/// Allocations by one piece of code.
#[repr(C)]
pub struct MappedSite {
    /// Path of the program or library, zero-padded.
    pub file: [u8; PATH_BYTES],
    /// Offsets of return addresses in it from where the file is loaded, of the call first and then of its callers; 0: none.
    pub offsets: [u64; SITE_FRAMES],
    /// Successful allocations.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The smallest.
    pub smallest: u64,
    /// The largest.
    pub largest: u64,
}

/// A point of the memory series.
#[repr(C)]
pub struct MappedPoint {
    /// Nanoseconds after the record began (monotonic clock).
    pub nanoseconds: u64,
    /// Requested device bytes alive.
    pub bytes: u64,
}
