//! The run records of one job's processes -> what was seen of the job.

use crate::run::holes;
use crate::sizing::as_the_driver_rounds;
use migfit_schema::record::{self, Copies, LaunchCount, RunRecord};
use migfit_schema::units::Bytes;
use std::fmt;
use std::path::Path;

/// NVML's and CUDA's code of "out of memory" in a run record.
const OUT_OF_MEMORY: u64 = 2;

/// A failed allocation: the proof of running out of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// What was asked for.
    pub requested: Bytes,
    /// What the program had at that time, as it asked for it.
    pub in_use: Bytes,
    /// What it would have had, both as the driver rounds: at least its peak by then.
    pub would_have: Bytes,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "asked for {} with {} in use",
            self.requested, self.in_use
        )
    }
}

/// What the runtime saw of one job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Largest peak of requested bytes of one process; none where no process left a record.
    pub peak: Option<u64>,
    /// Processes that left a record.
    pub processes: usize,
    /// Launches by kernel and shape, of all processes.
    pub launches: Vec<LaunchCount>,
    /// Launches that the driver accepted.
    pub accepted: u64,
    /// Launches that the driver refused.
    pub refused: u64,
    /// Launches whose work a virtual GPU counted.
    pub counted: u64,
    /// What was copied, where a virtual GPU counted it.
    pub copies: Copies,
    /// Launches that a virtual GPU counted and did not run.
    pub not_executed: u64,
    /// Failed allocations, in the order of each process; the first 64 of a process.
    pub lacks: Vec<Lack>,
    /// What could not be read, or is not whole.
    pub troubles: Vec<String>,
}

/// Reads all run records of a folder.
#[must_use]
pub fn read(folder: &Path) -> Seen {
    let mut seen = Seen::default();
    let entries = folder
        .read_dir()
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "record")
    });
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file).map_err(|error| error.to_string());
        // Its writer has ended. Most of a record is room for rows that were never used.
        if let Ok(bytes) = &bytes {
            holes::punch(&file, bytes);
        }
        match bytes.and_then(|bytes| record::read(&bytes).map_err(|error| error.to_string())) {
            Ok(record) => seen.add(record),
            Err(trouble) => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                seen.troubles.push(format!("run record {name}: {trouble}"));
            }
        }
    }
    seen
}

impl Seen {
    fn add(&mut self, record: RunRecord) {
        self.peak = self.peak.max(Some(record.peak_bytes));
        self.processes += 1;
        self.accepted = self.accepted.saturating_add(record.launches);
        self.refused = self.refused.saturating_add(record.refused_launches);
        self.not_executed = self
            .not_executed
            .saturating_add(record.launches_not_executed);
        self.counted = self.counted.saturating_add(record.counted_launches);
        self.copies.add(&record.copies);
        self.lacks.extend(lacks(&record));
        if record.disturbed {
            self.troubles
                .push(format!("process {} was recorded in part", record.pid));
        }
        for launch in record.kernels {
            self.count(launch);
        }
    }

    fn count(&mut self, launch: LaunchCount) {
        let shape = |l: &LaunchCount| (l.kernel.clone(), l.grid, l.block, l.shared);
        let known = self
            .launches
            .iter_mut()
            .find(|known| shape(known) == shape(&launch));
        match known {
            Some(known) => known.add(&launch),
            None => self.launches.push(launch),
        }
    }
}

/// What one process lacked. Rounding is charged as at its peak: the record has no rounded figure for each failure.
fn lacks(record: &RunRecord) -> impl Iterator<Item = Lack> {
    let peak = record.peak_rounded_bytes;
    let rounding = peak.saturating_sub(record.peak_bytes);
    let failures = record.first_failures.iter();
    let proofs = failures.filter(|failure| failure.code == OUT_OF_MEMORY);
    proofs.map(move |failure| {
        let in_use = failure.current.saturating_add(rounding);
        let more = as_the_driver_rounds(Bytes(failure.requested));
        Lack {
            requested: Bytes(failure.requested),
            in_use: Bytes(failure.current),
            would_have: Bytes(in_use.saturating_add(more.0).max(peak)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::record::{MappedRecord, RECORD_MAGIC, RECORD_VERSION};
    use std::mem::offset_of;

    fn record(peak: u64, failed: Option<u64>) -> Vec<u8> {
        let mut bytes = vec![0; size_of::<MappedRecord>()];
        bytes[..8].copy_from_slice(&RECORD_MAGIC);
        let mut put =
            |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(offset_of!(MappedRecord, version), RECORD_VERSION);
        put(offset_of!(MappedRecord, peak_bytes), peak);
        put(offset_of!(MappedRecord, launches), 3);
        put(offset_of!(MappedRecord, refused_launches), 2);
        put(offset_of!(MappedRecord, launches_not_executed), 3);
        put(offset_of!(MappedRecord, kernel_rows), 1);
        put(offset_of!(MappedRecord, kernels) + 192, 3);
        if let Some(requested) = failed {
            put(offset_of!(MappedRecord, peak_rounded_bytes), 2 << 20);
            put(offset_of!(MappedRecord, failures), 2);
            put(offset_of!(MappedRecord, failure), requested);
            put(offset_of!(MappedRecord, failure) + 8, 20);
            put(offset_of!(MappedRecord, failure) + 16, 2);
            // The second one failed for another reason: no proof.
            put(offset_of!(MappedRecord, failure) + 24, 7);
        }
        bytes
    }

    #[test]
    fn processes_of_one_job_are_put_together() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("1-1.record"), record(10, None)).unwrap();
        std::fs::write(folder.path().join("2-1.record"), record(30, Some(99))).unwrap();
        std::fs::write(folder.path().join("3-1.record"), "cut").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "not ours").unwrap();
        let seen = read(folder.path());
        assert_eq!(
            (seen.peak, seen.processes, seen.not_executed),
            (Some(30), 2, 6)
        );
        assert_eq!((seen.accepted, seen.refused), (6, 4));
        assert_eq!((seen.launches.len(), seen.launches[0].count), (1, 6));
        let lack = Lack {
            requested: Bytes(99),
            in_use: Bytes(20),
            // 2 MiB for the 30 bytes of the peak, 10 of them freed; 2 MiB for the 99.
            would_have: Bytes((4 << 20) - 10),
        };
        assert_eq!(seen.lacks, [lack]);
        assert_eq!(seen.troubles, ["run record 3-1.record: not a run record"]);
    }

    #[test]
    fn no_record_is_not_a_peak_of_zero() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).peak, None);
        assert_eq!(read(&folder.path().join("absent")), Seen::default());
    }
}
