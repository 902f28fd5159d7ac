//! The bytes of a mapped record in, what they say out; damaged and foreign bytes are refused.

use crate::kernel::Extent;
use crate::record::layout::{
    FAILURE_ROWS, KERNEL_ROWS, MappedFailure, MappedKernel, MappedPoint, MappedRecord, MappedSite,
    NAME_BYTES, PATH_BYTES, RECORD_MAGIC, RECORD_VERSION, SERIES_ROWS, SITE_FRAMES, SITE_ROWS,
    Work,
};
use crate::record::seen::{AllocationSite, Copies, Failure, LaunchCount, RunRecord};

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
    let [memory_queries, unreal_reads, site_rows] = words.take();
    let copies = words.copies();
    let [counted_launches] = words.take();
    let _reserved: [u64; 4] = words.take();
    let first_failures = words.failures(failures);
    let sites = words.sites(site_rows);
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
        memory_queries,
        unreal_reads,
        copies,
        counted_launches,
        sites,
        kernels,
        series,
        series_points,
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

    /// The rows used of a table, each by `row`; those never used are passed over unread.
    fn table<T>(
        &mut self,
        used: usize,
        size: usize,
        rows: usize,
        row: fn(&mut Self) -> T,
    ) -> Vec<T> {
        let end = self.at + rows * size;
        let found = (0..used.min(rows)).map(|_| row(self)).collect();
        self.at = end;
        found
    }

    fn failures(&mut self, count: u64) -> Vec<Failure> {
        let used = bounded(count, FAILURE_ROWS);
        self.table(used, size_of::<MappedFailure>(), FAILURE_ROWS, |words| {
            let [requested, current, code] = words.take();
            Failure {
                requested,
                current,
                code,
            }
        })
    }

    fn copies(&mut self) -> Copies {
        let [
            to_device_bytes,
            to_host_bytes,
            within_bytes,
            to_device,
            to_host,
            within,
        ] = self.take();
        Copies {
            to_device_bytes,
            to_host_bytes,
            within_bytes,
            to_device,
            to_host,
            within,
        }
    }

    /// A text padded with zeros.
    fn text(&mut self, room: usize) -> String {
        let bytes = &self.bytes[self.at..self.at + room];
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        self.at += room;
        String::from_utf8_lossy(text).into_owned()
    }

    fn sites(&mut self, count: u64) -> Vec<AllocationSite> {
        let used = bounded(count, SITE_ROWS);
        self.table(used, size_of::<MappedSite>(), SITE_ROWS, |words| {
            let file = words.text(PATH_BYTES);
            let offsets: [u64; SITE_FRAMES] = words.take();
            let [count, bytes, smallest, largest] = words.take();
            AllocationSite {
                file,
                offsets: offsets
                    .into_iter()
                    .take_while(|offset| *offset != 0)
                    .collect(),
                count,
                bytes,
                smallest,
                largest,
            }
        })
    }

    fn kernels(&mut self, count: u64) -> Vec<LaunchCount> {
        let used = bounded(count, KERNEL_ROWS);
        self.table(used, size_of::<MappedKernel>(), KERNEL_ROWS, |words| {
            let kernel = words.text(NAME_BYTES);
            let count = words.next();
            let (grid, block) = (extent(words.take()), extent(words.take()));
            LaunchCount {
                kernel,
                grid,
                block,
                shared: words.next(),
                count,
                work: words.work(),
            }
        })
    }

    fn work(&mut self) -> Work {
        let [
            instructions,
            double,
            shared,
            atomics,
            read_bytes,
            written_bytes,
            distinct_bytes,
        ] = self.take();
        Work {
            instructions,
            double,
            shared,
            atomics,
            read_bytes,
            written_bytes,
            distinct_bytes,
        }
    }

    fn series(&mut self, points: u64) -> Vec<(u64, u64)> {
        let used = bounded(points, SERIES_ROWS);
        let size = size_of::<MappedPoint>();
        let mut ring = self.table(used, size, SERIES_ROWS, |words| words.take::<2>().into());
        if points > SERIES_ROWS as u64 {
            ring.rotate_left((points % SERIES_ROWS as u64) as usize);
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
        let work = row + offset_of!(MappedKernel, work);
        put(&mut bytes, work + offset_of!(Work, instructions), 5);
        put(&mut bytes, work + offset_of!(Work, distinct_bytes), 6);
        put(&mut bytes, offset_of!(MappedRecord, memory_queries), 7);
        put(&mut bytes, offset_of!(MappedRecord, within), 8);
        put(&mut bytes, offset_of!(MappedRecord, counted_launches), 9);
        put(&mut bytes, offset_of!(MappedRecord, site_rows), 1);
        let site = offset_of!(MappedRecord, sites);
        bytes[site..site + 4].copy_from_slice(b"/a.o");
        put(&mut bytes, site + offset_of!(MappedSite, largest), 10);
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
        let work = record.kernels[0].work;
        assert_eq!((work.instructions, work.distinct_bytes), (5, 6));
        let site = &record.sites[0];
        assert_eq!((site.file.as_str(), site.largest), ("/a.o", 10));
        assert_eq!((record.memory_queries, record.copies.within), (7, 8));
        assert_eq!(record.counted_launches, 9);
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
