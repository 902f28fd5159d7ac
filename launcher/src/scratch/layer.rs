//! Puts this process into a mount namespace of its own, with an overlay over every folder, and becomes the program. The
//! process has one thread and does nothing else: `migfit in-scratch`.

use super::mounts::{self, Cover};
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `migfit in-scratch` is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InScratch {
    /// Folders that take what is written.
    pub room: Vec<PathBuf>,
    /// Folders that the program writes to as if there were no layer.
    pub through: Vec<PathBuf>,
    /// Where it is written why there is no layer; then no program was started.
    pub failure: PathBuf,
    /// The program's file.
    pub program: PathBuf,
    /// Its name as it sees it, and its arguments.
    pub words: Vec<OsString>,
}

/// Becomes the program. Comes back only where that fails, with what was written to the failure file.
pub fn enter(asked: &InScratch) -> String {
    // Opened now: later its folder may lie below an overlay.
    let failure = File::create(&asked.failure);
    let why = match layered(asked) {
        Err(why) => why,
        Ok(()) => {
            let mut words = asked.words.iter();
            let mut command = Command::new(&asked.program);
            if let Some(name) = words.next() {
                command.arg0(name);
            }
            let error = command.args(words).exec();
            format!("'{}' cannot be started: {error}", asked.program.display())
        }
    };
    // The caller reads it; where even that fails it sees an exit code without a run record.
    let _ = failure.and_then(|mut file| file.write_all(why.as_bytes()));
    why
}

fn layered(asked: &InScratch) -> Result<(), String> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| format!("{what}: {error}")
    };
    let folder = std::env::current_dir().map_err(failed("the working folder"))?;
    // Looked up now: in a user namespace owners look alike.
    let needed = needed(&folder);
    let tops = own_tops(needed.iter().cloned().chain(named(&folder, &asked.words)));
    let locked = apart().map_err(failed("no mount namespace of its own"))?;
    let info = std::fs::read_to_string("/proc/self/mountinfo").map_err(failed("its mounts"))?;
    let mut covers = mounts::covers(&mounts::points(&info), locked, &folders_in);
    if locked {
        covers.extend(tops);
    }
    let layers = Layers::open(asked, covers).map_err(failed("its folders"))?;
    layers.lay(&needed)?;
    std::env::set_current_dir(&folder).map_err(failed("the working folder"))?;
    // It must not outlive migfit; the new namespace may have cleared this.
    let signal = Some(rustix::process::Signal::KILL);
    rustix::process::set_parent_process_death_signal(signal).map_err(|error| error.to_string())
}

/// Leaves the common mount namespace. Whether mounts are locked to each other there: so for ordinary users.
fn apart() -> io::Result<bool> {
    // SAFETY: this process has one thread and shares nothing that other code relies on.
    let unshare = |flags| match unsafe { libc::unshare(flags) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    };
    // SAFETY: these calls only tell.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let locked = user != 0 || unshare(libc::CLONE_NEWNS).is_err();
    if locked {
        unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS)?;
        std::fs::write("/proc/self/setgroups", "deny")?;
        std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    // Nothing that is mounted from here on is seen outside.
    mount(
        None,
        Path::new("/"),
        None,
        libc::MS_REC | libc::MS_PRIVATE,
        "",
    )?;
    Ok(locked)
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let folders = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

/// Folders that a program is likely to write to: they must be overlaid.
fn needed(folder: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let all = [Some(folder.to_owned()), Some(std::env::temp_dir()), home];
    let real = |path: PathBuf| path.canonicalize().ok();
    all.into_iter().flatten().filter_map(real).collect()
}

/// Folders that arguments name, or that hold what they name.
fn named(folder: &Path, words: &[OsString]) -> Vec<PathBuf> {
    let words = words.iter().skip(1).map(|word| folder.join(word));
    let folders = words.filter_map(|path| match path.is_dir() {
        true => path.canonicalize().ok(),
        false => path.parent()?.canonicalize().ok(),
    });
    folders.collect()
}

/// The topmost folder of the user's own above each. In a user namespace nobody else is known there, so that an overlay
/// cannot take over a folder of theirs: one that begins below it need not.
fn own_tops(folders: impl Iterator<Item = PathBuf>) -> Vec<Cover> {
    // SAFETY: the call only tells.
    let user = unsafe { libc::geteuid() };
    let own = |path: &&Path| path.metadata().is_ok_and(|meta| owner(&meta).0 == user);
    let mut tops: Vec<PathBuf> = folders
        .filter_map(|folder| Some(folder.ancestors().filter(own).last()?.to_owned()))
        .collect();
    tops.sort();
    tops.dedup();
    tops.into_iter().map(Cover::Overlay).collect()
}

/// Everything that is mounted, opened before the first overlay hides it.
struct Layers {
    covers: Vec<(Cover, File)>,
    room: Vec<(PathBuf, File)>,
    through: Vec<(PathBuf, File)>,
}

impl Layers {
    fn open(asked: &InScratch, covers: Vec<Cover>) -> io::Result<Layers> {
        let opened = |paths: &[PathBuf]| -> io::Result<Vec<(PathBuf, File)>> {
            let paths = paths.iter().cloned();
            paths
                .map(|path| Ok((path.clone(), place(&path)?)))
                .collect()
        };
        // What this user may not even look up is out of the program's reach too.
        let covers = covers.into_iter().filter_map(|cover| {
            let (Cover::Overlay(path) | Cover::ReadOnly(path) | Cover::Bare(path)) = &cover;
            let file = place(path).ok()?;
            Some((cover, file))
        });
        Ok(Layers {
            covers: covers.collect(),
            room: opened(&asked.room)?,
            through: opened(&asked.through)?,
        })
    }

    fn lay(&self, needed: &[PathBuf]) -> Result<(), String> {
        for (number, (cover, file)) in self.covers.iter().enumerate() {
            match cover {
                Cover::Bare(path) if path == Path::new("/") => {}
                // Nothing can be made directly in it by those who may not write there.
                Cover::Bare(path) if !may_write(path) => {}
                Cover::Bare(path) => {
                    let bound = bind(file, path, libc::MS_REC).and_then(|()| protect(path));
                    bound.map_err(|error| {
                        format!("'{}' cannot be kept apart: {error}", path.display())
                    })?;
                }
                Cover::ReadOnly(path) => {
                    // A file that vanished with its folder's overlay is out of reach.
                    let _ = bind(file, path, 0).and_then(|()| protect(path));
                }
                Cover::Overlay(path) => self.overlaid(number, path, file, needed)?,
            }
        }
        for (path, file) in &self.through {
            let bound = bind(file, path, 0);
            bound.map_err(|error| format!("'{}' cannot be reached: {error}", path.display()))?;
        }
        Ok(())
    }

    /// An overlay; where the file system takes none, the folder can be read only, unless it is one that is needed.
    fn overlaid(
        &self,
        number: usize,
        path: &Path,
        file: &File,
        needed: &[PathBuf],
    ) -> Result<(), String> {
        let outside = self.room.iter().filter(|(room, _)| !room.starts_with(path));
        let mut last = None;
        for (_, room) in outside {
            match overlay(number, path, file, room) {
                Ok(()) => return Ok(()),
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or("no folder for what is written".to_owned(), |error| {
            error.to_string()
        });
        if needed.iter().any(|needed| needed.starts_with(path)) {
            return Err(format!("no overlay over '{}': {why}", path.display()));
        }
        bind(file, path, 0)
            .and_then(|()| protect(path))
            .map_err(|error| {
                format!(
                    "no overlay over '{}': {why}; nor can it be protected: {error}",
                    path.display()
                )
            })
    }
}

fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// A place as it is now, whatever is mounted over it later.
fn place(path: &Path) -> io::Result<File> {
    let flags = libc::O_PATH | libc::O_CLOEXEC;
    File::options().read(true).custom_flags(flags).open(path)
}

fn through(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn overlay(number: usize, path: &Path, lower: &File, room: &File) -> io::Result<()> {
    let room = through(room);
    let (upper, work) = (
        room.join(format!("u{number}")),
        room.join(format!("w{number}")),
    );
    let lower = through(lower);
    // The upper folder stands for the lower one: it is seen with its owner's rights.
    let meta = lower.metadata()?;
    std::fs::create_dir_all(&upper)?;
    std::fs::create_dir_all(&work)?;
    std::fs::set_permissions(&upper, meta.permissions())?;
    // Only root can give it away; an ordinary user's folder is their own anyway.
    let _ = std::os::unix::fs::chown(&upper, Some(owner(&meta).0), Some(owner(&meta).1));
    let [lower, upper, work] = [lower, upper, work].map(|path| path.display().to_string());
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr");
    mount(Some("overlay"), path, Some("overlay"), 0, &options)
}

fn owner(meta: &std::fs::Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    (meta.uid(), meta.gid())
}

fn bind(file: &File, path: &Path, more: libc::c_ulong) -> io::Result<()> {
    let source = through(file).display().to_string();
    mount(Some(&source), path, None, libc::MS_BIND | more, "")
}

/// Nothing can be written to what is mounted here. Flags that the mount has already must be named again.
fn protect(path: &Path) -> io::Result<()> {
    const KEPT: [(u64, libc::c_ulong); 5] = [
        (libc::ST_NOSUID, libc::MS_NOSUID),
        (libc::ST_NODEV, libc::MS_NODEV),
        (libc::ST_NOEXEC, libc::MS_NOEXEC),
        (libc::ST_NOATIME, libc::MS_NOATIME),
        (libc::ST_RELATIME, libc::MS_RELATIME),
    ];
    let has = rustix::fs::statvfs(path)?.f_flag.bits();
    let kept = KEPT.iter().filter(|(told, _)| has & told != 0);
    let kept = kept.fold(0, |sum, (_, flag)| sum | flag);
    let flags = libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | kept;
    mount(None, path, None, flags, "")
}

fn mount(
    source: Option<&str>,
    target: &Path,
    kind: Option<&str>,
    flags: libc::c_ulong,
    options: &str,
) -> io::Result<()> {
    let source = CString::new(source.unwrap_or("none"))?;
    let kind = CString::new(kind.unwrap_or("none"))?;
    let target = CString::new(target.as_os_str().as_bytes())?;
    let options = CString::new(options)?;
    // SAFETY: four texts that live through the call.
    let done = unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            options.as_ptr().cast(),
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
