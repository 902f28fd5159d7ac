//! A program's name as a shell reads it -> the file: a name with a slash is a path, any other is looked up in PATH.

use crate::cli::nearest::nearest;
use crate::program::error::ProgramError;
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Finds the file of the program `name`, read from `folder`, with `search` as PATH.
///
/// # Errors
/// When there is none, with a program that may have been meant.
pub fn find(name: &Path, folder: &Path, search: Option<&OsStr>) -> Result<PathBuf, ProgramError> {
    let here = folder.join(name);
    if has_slash(name) {
        return match here.metadata() {
            Ok(_) => Ok(shown(name, here)),
            Err(source) if source.kind() == ErrorKind::PermissionDenied => {
                let path = name.to_owned();
                Err(ProgramError::Unreadable { path, source })
            }
            Err(_) => Err(not_found(name, sibling(name, &here))),
        };
    }
    let in_path = std::env::split_paths(search.unwrap_or_default())
        .map(|place| folder.join(place).join(name))
        .find(|file| is_program(file));
    match (in_path, in_folder(name, &here)) {
        (Some(found), _) => Ok(found),
        (None, Some(instead)) => Err(not_found(name, Some(instead))),
        // No program, but what the user means: its reader tells what it is instead.
        (None, None) if here.exists() => Ok(shown(name, here)),
        (None, None) => Err(not_found(name, sibling(name, &here))),
    }
}

/// Whether this file can be started at all.
///
/// # Errors
/// When it is a folder, or may not be executed.
pub fn startable(file: PathBuf) -> Result<PathBuf, ProgramError> {
    if file.is_dir() {
        return Err(ProgramError::Folder(file));
    }
    match access(&file, Access::EXEC_OK) {
        Ok(()) => Ok(file),
        Err(_) => Err(ProgramError::NotExecutable(file)),
    }
}

/// The path as the user gave it where that still leads there, else from `folder`.
fn shown(name: &Path, here: PathBuf) -> PathBuf {
    if name.exists() && name.canonicalize().ok() == here.canonicalize().ok() {
        name.to_owned()
    } else {
        here
    }
}

fn has_slash(name: &Path) -> bool {
    name.as_os_str().as_encoded_bytes().contains(&b'/')
}

fn not_found(name: &Path, instead: Option<String>) -> ProgramError {
    ProgramError::NotFound {
        name: name.display().to_string(),
        instead,
    }
}

/// The program that stands in the folder itself, or in a folder of its own name, as `make` often leaves it.
fn in_folder(name: &Path, here: &Path) -> Option<String> {
    let own = name.join(name);
    let found = [(here.to_owned(), name), (here.join(name), own.as_path())];
    let found = found.into_iter().find(|(file, _)| is_program(file));
    found.map(|(_, said)| format!("./{}", said.display()))
}

/// The program beside the missing file that is spelt most like it.
fn sibling(name: &Path, missing: &Path) -> Option<String> {
    let wanted = missing.file_name()?.to_str()?;
    let entries = std::fs::read_dir(missing.parent()?).ok()?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| is_program(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = name
        .parent()
        .filter(|parent| *parent != Path::new(""))
        .unwrap_or(Path::new("."));
    nearest(wanted, &known).map(|found| folder.join(found).display().to_string())
}

fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(program: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(program);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn meant(name: &str, folder: &Path) -> Option<String> {
        match find(Path::new(name), folder, Some(OsStr::new("/nowhere"))) {
            Err(ProgramError::NotFound { instead, .. }) => instead,
            other => panic!("expected NotFound, got {other:?}"),
        }
    }

    #[test]
    fn a_path_is_read_from_the_folder() {
        let folder = folder_with("lud");
        let found = find(Path::new("./lud"), folder.path(), None).unwrap();
        assert_eq!(
            found.canonicalize().unwrap(),
            folder.path().join("lud").canonicalize().unwrap()
        );
    }

    #[test]
    fn a_bare_name_is_looked_up_in_path_alone() {
        let folder = folder_with("lud");
        let search = folder.path().as_os_str().to_owned();
        let found = find(Path::new("lud"), Path::new("/"), Some(&search)).unwrap();
        assert_eq!(found, folder.path().join("lud"));
        assert_eq!(meant("lud", folder.path()).as_deref(), Some("./lud"));
    }

    #[test]
    fn a_program_in_a_folder_of_its_name_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder_with("lud");
        std::fs::rename(inner.path(), folder.path().join("lud")).unwrap();
        assert_eq!(meant("lud", folder.path()).as_deref(), Some("./lud/lud"));
    }

    #[test]
    fn a_slip_finds_the_program_beside_it() {
        let folder = folder_with("hotspot");
        assert_eq!(
            meant("./hotpsot", folder.path()).as_deref(),
            Some("./hotspot")
        );
        assert_eq!(
            meant("hotspott", folder.path()).as_deref(),
            Some("./hotspot")
        );
        assert_eq!(meant("./zzz", folder.path()), None);
        assert_eq!(meant("no/such/folder", folder.path()), None);
    }

    #[test]
    fn a_bare_name_of_something_else_is_told_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("lud.h"), "").unwrap();
        let found = |name: &str| {
            find(Path::new(name), folder.path(), Some(OsStr::new("/nowhere"))).unwrap()
        };
        assert_eq!(found("lud.h"), folder.path().join("lud.h"));
        assert!(matches!(
            startable(found("lud.h")),
            Err(ProgramError::NotExecutable(_))
        ));
        assert!(matches!(
            startable(found(".")),
            Err(ProgramError::Folder(_))
        ));
    }
}
