//! The mapped state file: made whole or not at all, changed under an exclusive lock, read under a shared one.
//! A change is written to the spare slot and becomes current by one store, so a writer killed half-way leaves nothing.

use super::error::StateError;
use super::layout::{Header, MAGIC, NAME_BYTES, StateLayout, Tables, VERSION};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A state file, opened by this process.
pub struct StateFile {
    path: PathBuf,
    mapping: Mutex<Mapping>,
}

/// What the header of a state file tells.
pub struct Identity {
    /// The model's name.
    pub model: String,
    /// The GPU's UUID.
    pub uuid: uuid::Uuid,
}

impl StateFile {
    /// Makes the file for this model unless it is there.
    pub fn create(
        path: &Path,
        model: &str,
        uuid: uuid::Uuid,
        tables: &Tables,
    ) -> Result<(), StateError> {
        if path.exists() {
            return Ok(());
        }
        let failed = |what| {
            move |source| StateError::File {
                path: path.to_owned(),
                what,
                source,
            }
        };
        require_folder(path)?;
        let (draft, file) = draft_of(path).map_err(failed("made"))?;
        let bytes = initial_bytes(model, uuid, tables);
        let written = write_all(file, &bytes).and_then(|()| match fs::hard_link(&draft, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        });
        // The draft is of no use any more, whatever became of it; a stale one harms nobody.
        let _ = fs::remove_file(&draft);
        written.map_err(failed("made"))
    }

    /// Opens and checks the file.
    pub fn open(path: &Path) -> Result<(StateFile, Identity), StateError> {
        let mapping = Mapping::open(path)?;
        let identity = mapping.identity();
        let file = StateFile {
            path: path.to_owned(),
            mapping: Mutex::new(mapping),
        };
        Ok((file, identity))
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the current tables under the shared lock.
    pub fn read<T>(&self, reader: impl FnOnce(&Tables) -> T) -> Result<T, StateError> {
        let mapping = self.mapping()?;
        let _lock = self.lock(&mapping, libc::LOCK_SH)?;
        // SAFETY: the lock keeps every writer out; any bytes are valid tables.
        Ok(reader(unsafe {
            &*mapping.slot(mapping.generation().load(Ordering::Acquire))
        }))
    }

    /// Changes the tables under the exclusive lock. When `change` fails nothing is changed.
    pub fn write<T>(
        &self,
        change: impl FnOnce(&mut Tables) -> Result<T, StateError>,
    ) -> Result<T, StateError> {
        let mapping = self.mapping()?;
        let _lock = self.lock(&mapping, libc::LOCK_EX)?;
        let generation = mapping.generation().load(Ordering::Acquire);
        let (current, spare) = (
            mapping.slot(generation),
            mapping.slot(generation.wrapping_add(1)),
        );
        // SAFETY: the lock keeps everyone else out, and the two slots do not overlap.
        let spare = unsafe {
            std::ptr::copy_nonoverlapping(current, spare, 1);
            &mut *spare
        };
        let result = change(spare)?;
        mapping
            .generation()
            .store(generation.wrapping_add(1), Ordering::Release);
        Ok(result)
    }

    /// The mapping of this process: after a fork the child opens the file anew, since a lock belongs to the opening.
    fn mapping(&self) -> Result<MutexGuard<'_, Mapping>, StateError> {
        let mut mapping = self.mapping.lock().unwrap_or_else(PoisonError::into_inner);
        if mapping.pid != std::process::id() {
            *mapping = Mapping::open(&self.path)?;
        }
        Ok(mapping)
    }

    fn lock<'a>(&self, mapping: &'a Mapping, kind: i32) -> Result<FileLock<'a>, StateError> {
        loop {
            // SAFETY: the descriptor is open as long as `mapping` lives.
            if unsafe { libc::flock(mapping.file.as_raw_fd(), kind) } == 0 {
                return Ok(FileLock(&mapping.file));
            }
            let source = io::Error::last_os_error();
            if source.kind() != io::ErrorKind::Interrupted {
                return Err(StateError::File {
                    path: self.path.clone(),
                    what: "locked",
                    source,
                });
            }
        }
    }
}

/// Gives the lock back at its end, also where a reader or a change panics.
struct FileLock<'a>(&'a File);

impl Drop for FileLock<'_> {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open. Unlocking explicitly frees the lock even if a forked child holds a copy.
        unsafe { libc::flock(self.0.as_raw_fd(), libc::LOCK_UN) };
    }
}

struct Mapping {
    file: File,
    base: NonNull<StateLayout>,
    pid: u32,
}

// SAFETY: the mapping is reached through the mutex of `StateFile` only.
unsafe impl Send for Mapping {}

impl Mapping {
    fn open(path: &Path) -> Result<Mapping, StateError> {
        let failed = |what| {
            move |source| StateError::File {
                path: path.to_owned(),
                what,
                source,
            }
        };
        let foreign = |reason| StateError::Foreign {
            path: path.to_owned(),
            reason,
        };
        // Asked before it is opened: opening a device may do something.
        if !fs::metadata(path).map_err(failed("opened"))?.is_file() {
            return Err(foreign("it is no regular file".to_owned()));
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(failed("opened"))?;
        let length = file.metadata().map_err(failed("examined"))?.len();
        check(&file, length).map_err(foreign)?;
        // SAFETY: a new shared mapping of a file that is at least this long.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<StateLayout>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(base.cast::<StateLayout>()) {
            Some(base) if base.as_ptr().cast() != libc::MAP_FAILED => Ok(Mapping {
                file,
                base,
                pid: std::process::id(),
            }),
            _ => Err(failed("mapped")(io::Error::last_os_error())),
        }
    }

    fn generation(&self) -> &AtomicU64 {
        // SAFETY: the mapping is live and aligned to a page; the field is only used as an atomic.
        unsafe { &(*self.base.as_ptr()).header.generation }
    }

    fn slot(&self, generation: u64) -> *mut Tables {
        let odd = usize::from(generation % 2 == 1);
        // SAFETY: only an address within the mapping is formed.
        unsafe {
            (&raw mut (*self.base.as_ptr()).slots)
                .cast::<Tables>()
                .add(odd)
        }
    }

    fn identity(&self) -> Identity {
        // SAFETY: these two fields never change after the file was made.
        let (model, uuid) = unsafe {
            let header = &raw const (*self.base.as_ptr()).header;
            ((*header).model, (*header).uuid)
        };
        let name = model.split(|byte| *byte == 0).next().unwrap_or_default();
        Identity {
            model: String::from_utf8_lossy(name).into_owned(),
            uuid: uuid::Uuid::from_bytes(uuid),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing refers to it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), size_of::<StateLayout>()) };
    }
}

/// Why the file is none of ours, as a clause.
fn check(file: &File, length: u64) -> Result<(), String> {
    use std::os::unix::fs::FileExt;
    let wanted = size_of::<StateLayout>() as u64;
    let mut start = [0; 24];
    if length < start.len() as u64 {
        return Err(format!("it has only {length} bytes"));
    }
    file.read_exact_at(&mut start, 0)
        .map_err(|error| error.to_string())?;
    let word = |at: usize| {
        start
            .iter()
            .skip(at)
            .take(8)
            .rev()
            .fold(0, |all, byte| all << 8 | u64::from(*byte))
    };
    if start[..8] != MAGIC {
        return Err("it is another kind of file".to_owned());
    }
    if word(8) != VERSION {
        return Err(format!(
            "it has version {}, this program knows {VERSION}",
            word(8)
        ));
    }
    if word(16) != wanted || length != wanted {
        return Err(format!("it has {length} bytes instead of {wanted}"));
    }
    Ok(())
}

fn initial_bytes(model: &str, uuid: uuid::Uuid, tables: &Tables) -> Vec<u8> {
    let mut name = [0; NAME_BYTES];
    for (to, from) in name.iter_mut().zip(model.bytes()) {
        *to = from;
    }
    let layout = Box::new(StateLayout {
        header: Header {
            magic: MAGIC,
            version: VERSION,
            size: size_of::<StateLayout>() as u64,
            model: name,
            uuid: *uuid.as_bytes(),
            generation: AtomicU64::new(0),
        },
        slots: [*tables, *tables],
    });
    // SAFETY: every field is a plain number and the layout has no padding (checked below), so all bytes are set.
    unsafe {
        std::slice::from_raw_parts((&raw const *layout).cast::<u8>(), size_of::<StateLayout>())
    }
    .to_vec()
}

const _: () = {
    use super::layout::{
        BOARD_BYTES, COMPUTE_INSTANCES, ComputeInstanceRow, GPU_INSTANCES, GpuInstanceRow,
        PROCESSES, ProcessRow,
    };
    assert!(size_of::<Header>() == 8 * 4 + NAME_BYTES + 16);
    assert!(
        size_of::<GpuInstanceRow>() == 24
            && size_of::<ComputeInstanceRow>() == 24
            && size_of::<ProcessRow>() == 32
    );
    assert!(
        size_of::<Tables>()
            == 8 * 6 + BOARD_BYTES + 24 * GPU_INSTANCES + 24 * COMPUTE_INSTANCES + 32 * PROCESSES
    );
};

/// Folders are the user's to make: the one that a state file is to lie in has to be there.
fn require_folder(path: &Path) -> Result<(), StateError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            Err(StateError::NoFolder {
                path: path.to_owned(),
                folder: folder.to_owned(),
            })
        }
        _ => Ok(()),
    }
}

/// A new file beside the state file. A name that is taken is left alone: an earlier process with this pid may have
/// been killed over its draft.
fn draft_of(path: &Path) -> io::Result<(PathBuf, File)> {
    const TRIES: u64 = 100;
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let new = || {
        let nth = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.{nth}.new", std::process::id()));
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o660).open(&name);
        file.map(|file| (PathBuf::from(name), file))
    };
    (1..TRIES).fold(new(), |tried, _| match tried {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => new(),
        done => done,
    })
}

fn write_all(mut file: File, bytes: &[u8]) -> io::Result<()> {
    // Writing every byte now gives the file its blocks: a full disk is an error here, not a SIGBUS later.
    file.write_all(bytes)
}
