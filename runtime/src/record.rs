//! The run record of this process, as a file mapped into it: every word is in the file as soon as it is written, so
//! that exit, abort and SIGKILL lose nothing. It must not know what the words count.

use migfit_schema::record::{
    FAILURE_ROWS, KERNEL_ROWS, MappedFailure, MappedKernel, MappedPoint, MappedRecord, MappedSite,
    NAME_BYTES, PATH_BYTES, RECORD_MAGIC, RECORD_VERSION, SERIES_ROWS, SITE_FRAMES, SITE_ROWS,
    Work,
};
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::Release};
use std::time::Instant;

/// A word of the head of the record, by its place in the file.
#[derive(Clone, Copy)]
pub struct Word(usize);

/// `word!(peak_bytes)`: that word of the head.
macro_rules! word {
    ($field:ident) => {
        $crate::record::Word::at(std::mem::offset_of!(
            migfit_schema::record::MappedRecord,
            $field
        ))
    };
}
pub(crate) use word;

impl Word {
    /// The word that begins at this byte.
    pub const fn at(byte: usize) -> Word {
        Word(byte)
    }
}

/// A row of the table of allocating code, by its place in the file.
#[derive(Clone, Copy)]
pub struct Site(usize);

/// The mapped file.
pub struct Record {
    base: NonNull<AtomicU64>,
    begun: Instant,
}

// SAFETY: a shared mapping that stays for the life of the process and is only touched through atomic words.
unsafe impl Send for Record {}
// SAFETY: as above.
unsafe impl Sync for Record {}

impl Record {
    /// Makes the record of this process in `folder`.
    ///
    /// # Errors
    /// When the file cannot be made, or the disk has no room for it.
    pub fn create(folder: &Path, pid: u32) -> io::Result<Record> {
        let start = start_time().unwrap_or(0);
        let file = unused_file(folder, pid, start)?;
        // Room is taken now: on a full disk the first write to a hole would end the program with SIGBUS.
        reserve(&file)?;
        let record = Record {
            base: map(&file)?,
            begun: Instant::now(),
        };
        record.set(word!(version), RECORD_VERSION);
        record.set(word!(pid), u64::from(pid));
        record.set(word!(start_time), start);
        // Last: whoever sees the magic sees a record that is ready.
        record
            .cell(word!(magic))
            .store(u64::from_le_bytes(RECORD_MAGIC), Release);
        Ok(record)
    }

    /// Writes a word.
    pub fn set(&self, word: Word, value: u64) {
        self.cell(word).store(value, Release);
    }

    /// Reads a word.
    pub fn get(&self, word: Word) -> u64 {
        self.cell(word).load(Relaxed)
    }

    /// Raises a count by one.
    pub fn count(&self, word: Word) {
        self.cell(word).fetch_add(1, Release);
    }

    /// Raises a sum.
    pub fn add(&self, word: Word, value: u64) {
        self.cell(word).fetch_add(value, Release);
    }

    /// Raises a mark to `value` where it is lower.
    pub fn raise(&self, word: Word, value: u64) {
        self.cell(word).fetch_max(value, Release);
    }

    /// Adds a failed allocation: the row first, then the count that makes it visible.
    pub fn failure(&self, requested: u64, current: u64, code: u64) {
        let row = usize::try_from(self.get(word!(failures))).unwrap_or(usize::MAX);
        if row < FAILURE_ROWS {
            let at = offset_of!(MappedRecord, failure) + row * size_of::<MappedFailure>();
            self.set(Word(at + offset_of!(MappedFailure, requested)), requested);
            self.set(Word(at + offset_of!(MappedFailure, current)), current);
            self.set(Word(at + offset_of!(MappedFailure, code)), code);
        }
        self.count(word!(failures));
    }

    /// Adds a point to the memory series, over the oldest when the ring is full.
    pub fn point(&self, bytes: u64) {
        let row = self.get(word!(series_points)) % SERIES_ROWS as u64;
        let row = usize::try_from(row).unwrap_or(0);
        let at = offset_of!(MappedRecord, series) + row * size_of::<MappedPoint>();
        let passed = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.set(Word(at + offset_of!(MappedPoint, nanoseconds)), passed);
        self.set(Word(at + offset_of!(MappedPoint, bytes)), bytes);
        self.count(word!(series_points));
    }

    /// Takes the next row of the kernel table, with a count of 0; `None` where the table is full.
    pub fn kernel(&self, name: &[u8], numbers: [u64; 7]) -> Option<Word> {
        let row = usize::try_from(self.get(word!(kernel_rows))).ok()?;
        if row >= KERNEL_ROWS {
            return None;
        }
        let at = offset_of!(MappedRecord, kernels) + row * size_of::<MappedKernel>();
        self.text(at, &name[..name.len().min(NAME_BYTES)]);
        // Grid, block and shared memory lie in this order after the count.
        for (index, number) in numbers.into_iter().enumerate() {
            self.set(
                Word(at + offset_of!(MappedKernel, grid) + index * 8),
                number,
            );
        }
        self.count(word!(kernel_rows));
        Some(Word(at + offset_of!(MappedKernel, count)))
    }

    /// Adds work to the row of the kernel table that a word of `kernel` counts.
    pub fn add_work(&self, Word(count): Word, work: Work) {
        let at = count - offset_of!(MappedKernel, count) + offset_of!(MappedKernel, work);
        let Work {
            instructions,
            double,
            shared,
            atomics,
            read_bytes,
            written_bytes,
            distinct_bytes,
        } = work;
        let sums = [
            (offset_of!(Work, instructions), instructions),
            (offset_of!(Work, double), double),
            (offset_of!(Work, shared), shared),
            (offset_of!(Work, atomics), atomics),
            (offset_of!(Work, read_bytes), read_bytes),
            (offset_of!(Work, written_bytes), written_bytes),
            (offset_of!(Work, distinct_bytes), distinct_bytes),
        ];
        for (place, sum) in sums {
            self.add(Word(at + place), sum);
        }
    }

    /// Takes the next row of the table of allocating code; `None` where the table is full.
    pub fn site(&self, file: &[u8], offsets: [u64; SITE_FRAMES]) -> Option<Site> {
        let row = usize::try_from(self.get(word!(site_rows))).ok()?;
        if row >= SITE_ROWS {
            return None;
        }
        let at = offset_of!(MappedRecord, sites) + row * size_of::<MappedSite>();
        // The end of a path tells more than its beginning.
        self.text(at, &file[file.len().saturating_sub(PATH_BYTES)..]);
        for (nth, offset) in offsets.into_iter().enumerate() {
            self.set(Word(at + offset_of!(MappedSite, offsets) + nth * 8), offset);
        }
        self.set(Word(at + offset_of!(MappedSite, smallest)), u64::MAX);
        self.count(word!(site_rows));
        Some(Site(at))
    }

    /// One allocation more by that code.
    pub fn add_to_site(&self, Site(at): Site, bytes: u64) {
        let word = |place: usize| Word(at + place);
        self.add(word(offset_of!(MappedSite, bytes)), bytes);
        self.raise(word(offset_of!(MappedSite, largest)), bytes);
        self.cell(word(offset_of!(MappedSite, smallest)))
            .fetch_min(bytes, Release);
        self.count(word(offset_of!(MappedSite, count)));
    }

    fn text(&self, at: usize, text: &[u8]) {
        for (index, bytes) in text.chunks(8).enumerate() {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            self.set(Word(at + index * 8), u64::from_le_bytes(padded));
        }
    }

    fn cell(&self, Word(byte): Word) -> &AtomicU64 {
        debug_assert!(byte + 8 <= size_of::<MappedRecord>() && byte.is_multiple_of(8));
        // SAFETY: every `Word` is made from an offset inside the record, which the mapping holds as a whole.
        unsafe { self.base.add(byte / 8).as_ref() }
    }
}

/// A new file. The name may be taken: a process that replaced itself by `exec` keeps its pid and start time.
fn unused_file(folder: &Path, pid: u32, start: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    let first = options.open(folder.join(format!("{pid}-{start}.record")));
    (2..100).fold(first, |tried, image| match tried {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            options.open(folder.join(format!("{pid}-{start}-{image}.record")))
        }
        done => done,
    })
}

fn reserve(file: &File) -> io::Result<()> {
    let bytes = libc::off_t::try_from(size_of::<MappedRecord>()).map_err(io::Error::other)?;
    // SAFETY: an open file of ours.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, bytes) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

fn map(file: &File) -> io::Result<NonNull<AtomicU64>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let fd = file.as_raw_fd();
    let bytes = size_of::<MappedRecord>();
    // SAFETY: a new mapping of an open file that is long enough.
    let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_SHARED, fd, 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at address zero"))
}

/// Field 22 of /proc/self/stat. Field 2, the command, may hold blanks and brackets: counting starts after it.
fn start_time() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::record::read;

    fn read_back(folder: &Path, name: &str) -> migfit_schema::record::RunRecord {
        read(&std::fs::read(folder.join(name)).unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_is_in_the_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::create(folder.path(), 77).unwrap();
        record.raise(word!(peak_bytes), 10);
        record.raise(word!(peak_bytes), 5);
        record.failure(1 << 40, 10, 2);
        record.point(10);
        let count = record
            .kernel(b"_Z6kernelPf", [1, 2, 3, 4, 5, 6, 7])
            .unwrap();
        record.count(count);
        let name = format!("77-{}.record", start_time().unwrap());
        let seen = read_back(folder.path(), &name);
        assert_eq!((seen.pid, seen.peak_bytes, seen.ended), (77, 10, false));
        assert_eq!(seen.first_failures[0].requested, 1 << 40);
        assert_eq!(seen.series[0].1, 10);
        let row = &seen.kernels[0];
        assert_eq!((row.kernel.as_str(), row.count), ("_Z6kernelPf", 1));
        assert_eq!((row.grid.z, row.block.x, row.shared), (3, 4, 7));
    }

    #[test]
    fn tables_that_are_full_lose_rows_but_no_counts() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::create(folder.path(), 78).unwrap();
        for _ in 0..FAILURE_ROWS + 3 {
            record.failure(1, 0, 2);
        }
        for index in 0..KERNEL_ROWS + 3 {
            let name = vec![b'k'; NAME_BYTES + 1];
            assert_eq!(record.kernel(&name, [0; 7]).is_some(), index < KERNEL_ROWS);
        }
        let seen = read_back(
            folder.path(),
            &format!("78-{}.record", start_time().unwrap()),
        );
        assert_eq!(seen.failures, FAILURE_ROWS as u64 + 3);
        assert_eq!(seen.first_failures.len(), FAILURE_ROWS);
        assert_eq!(seen.kernels.len(), KERNEL_ROWS);
        assert_eq!(seen.kernels[0].kernel.len(), NAME_BYTES);
    }

    #[test]
    fn a_process_that_replaced_itself_gets_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let first = Record::create(folder.path(), 79).unwrap();
        first.set(word!(allocations), 1);
        Record::create(folder.path(), 79).unwrap();
        let start = start_time().unwrap();
        let seen = read_back(folder.path(), &format!("79-{start}.record"));
        assert_eq!(seen.allocations, 1, "the first is left as it was");
        read_back(folder.path(), &format!("79-{start}-2.record"));
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(Record::create(Path::new("/no/such/folder"), 1).is_err());
    }
}
