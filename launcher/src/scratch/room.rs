//! Folders that take what a program writes into its scratch layer, and what lies in them at its end. They are taken away
//! with the value. Knows no mounts.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Places for what is written. Several, because none may lie below a folder that it takes the writes of.
#[derive(Debug)]
pub struct Room(Vec<PathBuf>);

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Regular files.
    pub files: u64,
    /// Their bytes, as far as they lie on the disk.
    pub bytes: u64,
}

impl Room {
    /// In the usual folders for temporary files, the user's cache, and memory as the last resort.
    #[must_use]
    pub fn make() -> Room {
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let usual = [
            Some(std::env::temp_dir()),
            Some("/var/tmp".into()),
            home,
            Some("/dev/shm".into()),
        ];
        let mut places: Vec<PathBuf> = usual.into_iter().flatten().collect();
        places.dedup();
        let made = places.into_iter().filter_map(|place| {
            let folder = tempfile::Builder::new()
                .prefix("migfit-scratch-")
                .tempdir_in(place)
                .ok()?;
            folder.keep().canonicalize().ok()
        });
        Room(made.collect())
    }

    /// The folders, in the order in which they are to be taken.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.0
    }

    /// What a program left in them.
    #[must_use]
    pub fn written(&self) -> Written {
        let mut written = Written::default();
        for layer in self.0.iter().flat_map(|folder| entries(folder)) {
            let is_upper = layer
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"u"));
            if is_upper {
                count(&layer, &mut written);
            }
        }
        written
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        for folder in &self.0 {
            open_up(folder);
            // What cannot be removed is left to whoever cleans temporary folders.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// The overlay leaves folders of mode 000, which nobody could empty.
fn open_up(folder: &Path) {
    let _ = std::fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in entries(folder) {
        if entry.is_dir() && !entry.is_symlink() {
            open_up(&entry);
        }
    }
}

fn count(folder: &Path, written: &mut Written) {
    for entry in entries(folder) {
        match entry.symlink_metadata() {
            Ok(meta) if meta.is_dir() => count(&entry, written),
            Ok(meta) if meta.is_file() => {
                written.files += 1;
                written.bytes += meta.len();
            }
            _ => {}
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_counted_and_taken_away() {
        let room = Room::make();
        let first = room.folders()[0].clone();
        std::fs::create_dir_all(first.join("u0/a")).unwrap();
        std::fs::create_dir_all(first.join("w0/work")).unwrap();
        std::fs::write(first.join("u0/a/b"), "123").unwrap();
        std::fs::write(first.join("w0/c"), "123456").unwrap();
        std::fs::set_permissions(first.join("w0/work"), Permissions::from_mode(0o000)).unwrap();
        assert_eq!(room.written(), Written { files: 1, bytes: 3 });
        drop(room);
        assert!(!first.exists());
    }
}
