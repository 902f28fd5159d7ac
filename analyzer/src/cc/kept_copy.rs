//! The copy of a job profile under its program's build-id or contents, in the user's data folder: found where the program loses the
//! section. Writing it never fails a link.

use super::elf;
use migfit_loader::Dynamic;
use migfit_schema::copies;
use std::fs::DirEntry;
use std::io::{Error, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Keeps a copy of `section`, which belongs to the linked `program`.
///
/// # Errors
/// With a clause that says why there is none.
pub fn keep(program: &[u8], section: &[u8]) -> Result<(), String> {
    let variable = |name| std::env::var_os(name);
    let folder = copies::folder(
        variable("XDG_DATA_HOME").as_deref(),
        variable("HOME").as_deref(),
    );
    let folder = folder.ok_or("neither XDG_DATA_HOME nor HOME names a folder")?;
    let dynamic = Dynamic::read(program).map_err(|_| "it is no program of this machine")?;
    let sum = checksum(program);
    let file = copies::file(&folder, dynamic.build_id.as_deref(), sum);
    let refused = |error: Error| format!("{}: {error}", folder.display());
    let copy = copies::pack(sum, section);
    let store = Store::new(folder.clone(), copies::MOST_BYTES);
    store.keep(&file, &copy).map_err(refused)
}

/// Our folder among the user's data; `None` where the environment names none.
pub fn data_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name);
    let copies = copies::folder(
        variable("XDG_DATA_HOME").as_deref(),
        variable("HOME").as_deref(),
    );
    Some(copies?.parent()?.to_owned())
}

fn checksum(program: &[u8]) -> u64 {
    let sections = copies::CHECKED_SECTIONS.map(|name| match elf::section(program, name) {
        Ok(found) => found.unwrap_or_default(),
        Err(_) => &[],
    });
    copies::program_checksum(&sections)
}

/// A folder of files that hold so much at most.
pub struct Store {
    folder: PathBuf,
    most_bytes: u64,
}

impl Store {
    /// The folder, whether or not it is there yet.
    pub fn new(folder: PathBuf, most_bytes: u64) -> Store {
        Store { folder, most_bytes }
    }

    /// A file in it.
    pub fn file(&self, name: &Path) -> PathBuf {
        self.folder.join(name)
    }

    /// Keeps bytes under this name, in one step, so that nobody reads half of them.
    pub fn keep(&self, name: &Path, bytes: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut new = tempfile::Builder::new()
            .prefix(".new-")
            .tempfile_in(&self.folder)?;
        new.write_all(bytes)?;
        let file = self.file(name);
        new.persist(&file)?;
        self.make_room(&file);
        Ok(())
    }

    /// The oldest go until the others have room; where one cannot be removed, somebody else was first.
    fn make_room(&self, newest: &Path) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let mut files: Vec<(SystemTime, u64, DirEntry)> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let meta = entry.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), entry))
            })
            .collect();
        files.sort_by_key(|(time, ..)| *time);
        let mut held: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, entry) in files {
            if held <= self.most_bytes {
                return;
            }
            if entry.path() != newest && std::fs::remove_file(entry.path()).is_ok() {
                held -= bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::Duration;

    #[test]
    fn the_oldest_copies_make_room_for_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, bytes: u64, age: u64| {
            let path = folder.path().join(name);
            let file = File::create(&path).unwrap();
            file.set_len(bytes).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age))
                .unwrap();
            path
        };
        let half = copies::MOST_BYTES / 2;
        let (oldest, older) = (make("a", half, 900), make("b", half, 800));
        let newest = make("c", half, 1000);
        Store::new(folder.path().to_owned(), copies::MOST_BYTES).make_room(&newest);
        assert!(!oldest.exists() && older.exists() && newest.exists());
    }

    #[test]
    fn what_is_no_program_has_no_copy() {
        let error = keep(b"no program", b"section").unwrap_err();
        assert!(
            error.contains("no program") || error.contains("HOME"),
            "{error}"
        );
    }
}
