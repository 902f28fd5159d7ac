//! The search itself, as ld.so(8) tells it: breadth first; for each name the DT_RPATH of the file that needs it and of
//! those that led to it, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the system's folders. Not followed: `$LIB` and
//! `$PLATFORM`, folders for newer processors (glibc-hwcaps), LD_PRELOAD and audit libraries.

use crate::dynamic::Dynamic;
use crate::places::Places;
use crate::system::is_system;
use object::read::ReadCache;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Files that are looked at, at most; no real program comes near.
const MOST: usize = 4096;

/// A library that a program, or one of its libraries, needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// The name under which it is needed.
    pub name: String,
    /// Its file; `None` where the loader would find none.
    pub path: Option<PathBuf>,
    /// The library among those found that needed it first; `None`: the program itself.
    pub needed_by: Option<usize>,
}

/// Of libraries of which some were looked into, those that were not and that the program, or one that was, needs.
pub fn not_looked_into<'n>(
    all: &'n [Needed],
    looked_into: &'n [bool],
) -> impl Iterator<Item = &'n Needed> {
    let seen = |index: usize| looked_into.get(index).copied().unwrap_or(false);
    let missing = all
        .iter()
        .enumerate()
        .filter(move |(index, library)| !seen(*index) && library.needed_by.is_none_or(seen));
    missing.map(|(_, library)| library)
}

/// The libraries that are neither the system's nor CUDA's own, in the order in which they are loaded. `hint` may know
/// a file by name and goes first: at a link, libraries lie where the linker found them.
#[must_use]
pub fn needed(
    program: &Path,
    dynamic: &Dynamic,
    places: &Places,
    hint: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<Needed> {
    // Of the program links are resolved, of libraries they are not.
    let real = program.canonicalize();
    let real = real.unwrap_or_else(|_| program.to_owned());
    let mut files = vec![Loaded::of(&real, dynamic.clone())];
    let mut found: Vec<Needed> = Vec::new();
    let mut next = 0;
    while next < files.len() && next < MOST {
        let names = files.get(next).map(|file| file.dynamic.needed.clone());
        for name in names.unwrap_or_default() {
            let known = |file: &Loaded| file.dynamic.soname.as_deref() == Some(&name);
            if is_system(&name)
                || found.iter().any(|one| one.name == name)
                || files.iter().any(known)
            {
                continue;
            }
            let usable = |path: PathBuf| Some((dynamic_of(&path)?, path));
            let file = hint(&name)
                .and_then(usable)
                .or_else(|| candidates(&name, next, &files, places).find_map(usable))
                .or_else(|| places.system(&name).and_then(usable));
            let index = found.len();
            found.push(Needed {
                name,
                path: file.as_ref().map(|(_, path)| path.clone()),
                needed_by: files.get(next).and_then(|file| file.index),
            });
            if let Some((dynamic, path)) = file {
                files.push(Loaded {
                    parent: Some(next),
                    index: Some(index),
                    ..Loaded::of(&path, dynamic)
                });
            }
        }
        next += 1;
    }
    found
}

/// A file that is loaded.
struct Loaded {
    dynamic: Dynamic,
    /// Its folder: `$ORIGIN`.
    origin: PathBuf,
    /// The file that needed it first.
    parent: Option<usize>,
    /// Its place among the libraries found; none for the program.
    index: Option<usize>,
}

impl Loaded {
    fn of(path: &Path, dynamic: Dynamic) -> Loaded {
        Loaded {
            dynamic,
            origin: path.parent().unwrap_or(Path::new("/")).to_owned(),
            parent: None,
            index: None,
        }
    }

    fn folders(&self, list: Option<&String>, places: &Places) -> Vec<PathBuf> {
        let origin = self.origin.to_string_lossy();
        let list = list.map(String::as_str).unwrap_or_default();
        let parts = list.split(':').filter(|part| !part.is_empty());
        parts
            .map(|part| {
                part.replace("${ORIGIN}", &origin)
                    .replace("$ORIGIN", &origin)
            })
            .map(|part| places.folder().join(part))
            .collect()
    }
}

/// Files that may be the library, the first first.
fn candidates<'a>(
    name: &'a str,
    needed_by: usize,
    files: &[Loaded],
    places: &'a Places,
) -> Box<dyn Iterator<Item = PathBuf> + 'a> {
    if name.contains('/') {
        return Box::new(std::iter::once(places.folder().join(name)));
    }
    let own = files.get(needed_by);
    let mut folders = Vec::new();
    if own.is_some_and(|own| own.dynamic.runpath.is_none()) {
        folders.extend(rpaths(needed_by, files, places));
    }
    folders.extend_from_slice(places.library_path());
    if let Some(own) = own {
        folders.extend(own.folders(own.dynamic.runpath.as_ref(), places));
    }
    Box::new(folders.into_iter().map(move |folder| folder.join(name)))
}

/// DT_RPATH of a file and of those that led to it; one with DT_RUNPATH has none that counts.
fn rpaths(of: usize, files: &[Loaded], places: &Places) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut next = files.get(of);
    while let Some(file) = next {
        if file.dynamic.runpath.is_none() {
            folders.extend(file.folders(file.dynamic.rpath.as_ref(), places));
        }
        next = file.parent.and_then(|parent| files.get(parent));
    }
    folders
}

/// What a file of the right kind says; `None` sends the loader on to the next folder.
fn dynamic_of(path: &Path) -> Option<Dynamic> {
    // Asked before opening: opening a pipe would wait for its writer.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    Dynamic::read(&ReadCache::new(File::open(path).ok()?)).ok()
}
