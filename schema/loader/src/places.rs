//! Where the loader looks beside what files say themselves: LD_LIBRARY_PATH, the cache, the system's folders.

use crate::cache;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders that are looked in last.
const DEFAULT: [&str; 4] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib64",
];

/// Where the loader looks, for one environment.
#[derive(Debug)]
pub struct Places {
    folder: PathBuf,
    library_path: Vec<PathBuf>,
    cache: OnceCell<BTreeMap<String, PathBuf>>,
}

impl Places {
    /// For a program started in `folder` with this LD_LIBRARY_PATH.
    #[must_use]
    pub fn new(folder: &Path, library_path: Option<&OsStr>) -> Places {
        let text = library_path
            .unwrap_or_default()
            .to_string_lossy()
            .replace(';', ":");
        Places {
            folder: folder.to_owned(),
            library_path: match text.is_empty() {
                true => Vec::new(),
                false => text.split(':').map(|one| folder.join(one)).collect(),
            },
            cache: OnceCell::new(),
        }
    }

    /// The folder that relative names start from.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folders of LD_LIBRARY_PATH.
    pub(crate) fn library_path(&self) -> &[PathBuf] {
        &self.library_path
    }

    /// What the cache has under this name, else the first of the system's folders that has it.
    pub(crate) fn system(&self, name: &str) -> Option<PathBuf> {
        let read = || {
            let bytes = std::fs::read("/etc/ld.so.cache").unwrap_or_default();
            // The first of a name counts, so later ones go in first.
            cache::parse(&bytes).into_iter().rev().collect()
        };
        let cached = self.cache.get_or_init(read).get(name);
        let folders = DEFAULT.iter().map(|folder| Path::new(folder).join(name));
        let candidates = cached.cloned().into_iter().chain(folders);
        candidates.into_iter().find(|path| path.is_file())
    }
}
