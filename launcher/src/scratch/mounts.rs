//! The mounts of a process -> which folders are to be overlaid, in which order. Changes nothing.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Folders that hold no files of users: devices, and what the kernel shows of itself.
const NOT_FILES: [&str; 3] = ["/proc", "/sys", "/dev"];

/// What is done with a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cover {
    /// A folder that gets an overlay.
    Overlay(PathBuf),
    /// A single mounted file: it can be read only.
    ReadOnly(PathBuf),
    /// A folder whose entries are covered one by one: what is made directly in it is not kept apart.
    Bare(PathBuf),
}

/// Mount points of `/proc/self/mountinfo`, each once.
pub fn points(mountinfo: &str) -> Vec<PathBuf> {
    let mut points: Vec<PathBuf> = mountinfo
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .map(unescaped)
        .collect();
    points.sort();
    points.dedup();
    points
}

/// `\040` is a blank, as the kernel writes it.
fn unescaped(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 4).filter(|_| *byte == b'\\');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(code) => {
                out.push(code);
                at += 4;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

/// How all files are covered, given the mount points and what tells the folders in a folder. `locked`: mounts below a
/// folder cannot be taken from it, as in a user namespace, so that such a folder is covered entry by entry.
pub fn covers(
    points: &[PathBuf],
    locked: bool,
    folders: &dyn Fn(&Path) -> Vec<PathBuf>,
) -> Vec<Cover> {
    let mut covers = Vec::new();
    bare(Path::new("/"), points, locked, folders, &mut covers);
    covers
}

fn bare(
    folder: &Path,
    points: &[PathBuf],
    locked: bool,
    folders: &dyn Fn(&Path) -> Vec<PathBuf>,
    covers: &mut Vec<Cover>,
) {
    covers.push(Cover::Bare(folder.to_owned()));
    let mut entries = folders(folder);
    entries.sort();
    for entry in entries {
        if NOT_FILES.iter().any(|other| entry.starts_with(other)) {
            continue;
        }
        let below: Vec<&PathBuf> = points
            .iter()
            .filter(|point| point.starts_with(&entry) && **point != entry)
            .collect();
        if locked && !below.is_empty() {
            bare(&entry, points, locked, folders, covers);
            continue;
        }
        covers.push(Cover::Overlay(entry));
        covers.extend(
            below
                .into_iter()
                .map(|point| match is_folder(point, folders) {
                    true => Cover::Overlay(point.clone()),
                    false => Cover::ReadOnly(point.clone()),
                }),
        );
    }
    if locked {
        let files = points
            .iter()
            .filter(|point| point.parent() == Some(folder) && !is_folder(point, folders));
        covers.extend(files.cloned().map(Cover::ReadOnly));
    }
}

fn is_folder(point: &Path, folders: &dyn Fn(&Path) -> Vec<PathBuf>) -> bool {
    let parent = point.parent();
    parent.is_some_and(|parent| folders(parent).iter().any(|folder| folder == point))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = "21 1 254:0 / / rw - ext4 /dev/vda rw\n\
        22 21 0:5 / /proc rw - proc proc rw\n\
        23 21 0:6 / /home/two\\040words rw - nfs a:/b rw\n\
        24 21 0:6 / /home/two\\040words rw - nfs a:/b rw\n";

    fn folders(folder: &Path) -> Vec<PathBuf> {
        let names: &[&str] = match folder.to_str() {
            Some("/") => &["/usr", "/home", "/proc"],
            Some("/home") => &["/home/two words", "/home/one"],
            _ => &[],
        };
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn mount_points_are_read_once_each_and_blanks_are_blanks() {
        let expected = ["/", "/home/two words", "/proc"].map(PathBuf::from);
        assert_eq!(points(INFO), expected);
    }

    #[test]
    fn a_folder_with_mounts_below_is_covered_entry_by_entry_where_they_are_locked() {
        let overlay = |path: &str| Cover::Overlay(path.into());
        let bare = |path: &str| Cover::Bare(path.into());
        let found = covers(&points(INFO), true, &folders);
        let expected = [
            bare("/"),
            bare("/home"),
            overlay("/home/one"),
            overlay("/home/two words"),
            overlay("/usr"),
        ];
        assert_eq!(found, expected);
        let found = covers(&points(INFO), false, &folders);
        let expected = [
            bare("/"),
            overlay("/home"),
            overlay("/home/two words"),
            overlay("/usr"),
        ];
        assert_eq!(found, expected);
    }
}
