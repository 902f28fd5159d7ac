//! The run record: what the runtime saw of one process. While the process lives it is a mapped file of fixed
//! layout (so that a crash or SIGKILL loses nothing already written); a reader turns its bytes into `RunRecord`.

use crate::kernel::Extent;
use serde::{Deserialize, Serialize};

/// First eight bytes of the mapped file.
pub const RECORD_MAGIC: [u8; 8] = *b"MIGFITRR";
/// Version of the layout below.
pub const RECORD_VERSION: u64 = 1;
/// Environment variable that names the folder for run records; unset: the runtime records nothing.
pub const RECORD_DIR_VARIABLE: &str = "MIGFIT_RECORD_DIR";
/// Environment variable that turns off every shim, hook and preload when its value is `off`.
pub const SWITCH_VARIABLE: &str = "MIGFIT";

/// Number of rows of the kernel table; launches of further kernels are counted in the totals only.
pub const KERNEL_ROWS: usize = 4096;
/// Number of rows of the failure table (the first failures are kept).
pub const FAILURE_ROWS: usize = 64;
/// Number of rows of the memory series.
pub const SERIES_ROWS: usize = 4096;
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
    /// Room for later words; zero.
    pub reserved: [u64; 14],
    /// The first failed allocations.
    pub failure: [MappedFailure; FAILURE_ROWS],
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
}

/// A point of the memory series.
#[repr(C)]
pub struct MappedPoint {
    /// Nanoseconds after the record began (monotonic clock).
    pub nanoseconds: u64,
    /// Requested device bytes alive.
    pub bytes: u64,
}

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

/// Why a run record could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// Not a run record, or one that was never made ready.
    NotARecord,
    /// A layout of another version.
    Version(u64),
    /// Shorter than the layout.
    Truncated,
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RecordError::NotARecord => write!(f, "not a run record"),
            RecordError::Version(found) => {
                write!(
                    f,
                    "run record of version {found}, this migfit reads {RECORD_VERSION}"
                )
            }
            RecordError::Truncated => write!(f, "run record cut short"),
        }
    }
}

impl std::error::Error for RecordError {}

/// Reads the bytes of a mapped record.
///
/// # Errors
/// When the bytes are no record, of another version, or cut short.
pub fn read(bytes: &[u8]) -> Result<RunRecord, RecordError> {
    if bytes.len() < 16 || bytes[..8] != RECORD_MAGIC {
        return Err(RecordError::NotARecord);
    }
    if bytes.len() < size_of::<MappedRecord>() {
        return Err(RecordError::Truncated);
    }
    let mut words = Words { bytes, at: 8 };
    let version = words.next();
    if version != RECORD_VERSION {
        return Err(RecordError::Version(version));
    }
    let [pid, start_time, ended, disturbed] = words.take();
    let [
        current_bytes,
        peak_bytes,
        _current_rounded,
        peak_rounded_bytes,
    ] = words.take();
    let [
        allocations,
        frees,
        failures,
        launches,
        refused_launches,
        launches_not_executed,
    ] = words.take();
    let [kernel_rows, series_points] = words.take();
    let _reserved: [u64; 14] = words.take();
    let first_failures = words.failures(failures);
    let kernels = words.kernels(kernel_rows);
    let series = words.series(series_points);
    Ok(RunRecord {
        version,
        pid,
        start_time,
        ended: ended != 0,
        disturbed: disturbed != 0,
        current_bytes,
        peak_bytes,
        peak_rounded_bytes,
        allocations,
        frees,
        failures,
        first_failures,
        launches,
        refused_launches,
        launches_not_executed,
        kernels,
        series,
    })
}

/// Walks the little-endian words of a record whose length was checked.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    fn next(&mut self) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[self.at..self.at + 8]);
        self.at += 8;
        u64::from_le_bytes(word)
    }

    fn take<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| self.next())
    }

    fn failures(&mut self, count: u64) -> Vec<Failure> {
        let rows = (0..FAILURE_ROWS).map(|_| {
            let [requested, current, code] = self.take();
            Failure {
                requested,
                current,
                code,
            }
        });
        let all: Vec<_> = rows.collect();
        all.into_iter().take(bounded(count, FAILURE_ROWS)).collect()
    }

    fn kernels(&mut self, count: u64) -> Vec<LaunchCount> {
        let rows = (0..KERNEL_ROWS).map(|_| {
            let name = self.bytes[self.at..self.at + NAME_BYTES]
                .split(|b| *b == 0)
                .next();
            let kernel = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
            self.at += NAME_BYTES;
            let count = self.next();
            let (grid, block) = (extent(self.take()), extent(self.take()));
            LaunchCount {
                kernel,
                grid,
                block,
                shared: self.next(),
                count,
            }
        });
        let all: Vec<_> = rows.collect();
        all.into_iter().take(bounded(count, KERNEL_ROWS)).collect()
    }

    fn series(&mut self, points: u64) -> Vec<(u64, u64)> {
        let mut ring: Vec<(u64, u64)> = (0..SERIES_ROWS).map(|_| self.take::<2>().into()).collect();
        if points > SERIES_ROWS as u64 {
            ring.rotate_left((points % SERIES_ROWS as u64) as usize);
        } else {
            ring.truncate(points as usize);
        }
        ring
    }
}

fn bounded(count: u64, rows: usize) -> usize {
    usize::try_from(count).map_or(rows, |count| count.min(rows))
}

fn extent([x, y, z]: [u64; 3]) -> Extent {
    let narrow = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    Extent {
        x: narrow(x),
        y: narrow(y),
        z: narrow(z),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    fn blank() -> Vec<u8> {
        let mut bytes = vec![0; size_of::<MappedRecord>()];
        bytes[..8].copy_from_slice(&RECORD_MAGIC);
        put(
            &mut bytes,
            offset_of!(MappedRecord, version),
            RECORD_VERSION,
        );
        bytes
    }

    fn put(bytes: &mut [u8], at: usize, value: u64) {
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }

    #[test]
    fn every_field_is_read_from_where_the_layout_puts_it() {
        let mut bytes = blank();
        put(&mut bytes, offset_of!(MappedRecord, peak_bytes), 77);
        put(&mut bytes, offset_of!(MappedRecord, failures), 1);
        put(&mut bytes, offset_of!(MappedRecord, failure), 1 << 30);
        put(&mut bytes, offset_of!(MappedRecord, kernel_rows), 1);
        let row = offset_of!(MappedRecord, kernels);
        bytes[row..row + 5].copy_from_slice(b"_Z1kv");
        put(&mut bytes, row + offset_of!(MappedKernel, count), 3);
        put(&mut bytes, row + offset_of!(MappedKernel, block), 256);
        put(&mut bytes, offset_of!(MappedRecord, series_points), 1);
        put(&mut bytes, offset_of!(MappedRecord, series) + 8, 42);
        let record = read(&bytes).unwrap();
        assert_eq!(record.peak_bytes, 77);
        assert_eq!(record.first_failures[0].requested, 1 << 30);
        assert_eq!(record.kernels[0].kernel, "_Z1kv");
        assert_eq!(
            (record.kernels[0].count, record.kernels[0].block.x),
            (3, 256)
        );
        assert_eq!(record.series, vec![(0, 42)]);
    }

    #[test]
    fn a_full_ring_starts_at_its_oldest_point() {
        let mut bytes = blank();
        put(
            &mut bytes,
            offset_of!(MappedRecord, series_points),
            SERIES_ROWS as u64 + 1,
        );
        put(&mut bytes, offset_of!(MappedRecord, series), 9);
        let record = read(&bytes).unwrap();
        assert_eq!(record.series.len(), SERIES_ROWS);
        assert_eq!(record.series.last(), Some(&(9, 0)));
    }

    #[test]
    fn foreign_old_and_cut_files_are_refused() {
        assert_eq!(read(b"hello"), Err(RecordError::NotARecord));
        let mut bytes = blank();
        bytes.truncate(100);
        assert_eq!(read(&bytes), Err(RecordError::Truncated));
        let mut bytes = blank();
        put(&mut bytes, 8, 99);
        assert_eq!(read(&bytes), Err(RecordError::Version(99)));
    }
}
