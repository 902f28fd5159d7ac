//! Copies of job profiles beside the programs: a file in the user's data folder, named by the program's GNU build-id, or
//! by a checksum of its code where the linker gave it none, for programs that lost their section (llvm-strip, objcopy). Pure: names and bytes, no file is touched.

use crate::container::checksum;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// All copies together hold at most this many bytes; the oldest go.
pub const MOST_BYTES: u64 = 64 << 20;
/// Sections that stripping leaves as they are, and that another link of other sources does not have.
pub const CHECKED_SECTIONS: [&str; 3] = [".text", ".rodata", ".data"];
/// Bytes of the checksum before the job profile.
const HEADER: usize = 8;

/// The folder of copies, from the values of XDG_DATA_HOME and HOME; `None` where neither names a folder.
#[must_use]
pub fn folder(data_home: Option<&OsStr>, home: Option<&OsStr>) -> Option<PathBuf> {
    let absolute = |path: &OsStr| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let data = data_home.and_then(absolute);
    let data = data.or_else(|| Some(home.and_then(absolute)?.join(".local/share")))?;
    Some(data.join("migfit/profiles"))
}

/// The file of one program: by its build-id, where that is long enough to tell programs apart, else by its checksum.
#[must_use]
pub fn file(folder: &Path, build_id: Option<&[u8]>, program: u64) -> PathBuf {
    const SHORTEST: usize = 8;
    let mut name = String::new();
    for byte in build_id.filter(|id| id.len() >= SHORTEST).unwrap_or(&[]) {
        // Writing to a String cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    if name.is_empty() {
        name = format!("sum-{program:016x}");
    }
    folder.join(name)
}

/// A copy's bytes: a checksum of the program's `CHECKED_SECTIONS`, then the section of its job profile. A build-id may
/// be given by hand, and stay where the program changes.
#[must_use]
pub fn pack(program: u64, section: &[u8]) -> Vec<u8> {
    [&program.to_le_bytes(), section].concat()
}

/// The section in a copy, where the copy is of this program.
#[must_use]
pub fn unpack(program: u64, copy: &[u8]) -> Option<&[u8]> {
    let (header, section) = copy.split_at_checked(HEADER)?;
    (header == program.to_le_bytes()).then_some(section)
}

/// The checksum of a program, from its `CHECKED_SECTIONS` in their order; empty where it has none.
#[must_use]
pub fn program_checksum(sections: &[&[u8]]) -> u64 {
    let sums = sections
        .iter()
        .flat_map(|section| checksum(section).to_le_bytes());
    checksum(&sums.collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_users_own() {
        let of = |data: Option<&str>, home: Option<&str>| {
            folder(data.map(OsStr::new), home.map(OsStr::new))
                .map(|path| path.display().to_string())
        };
        assert_eq!(of(Some("/d"), Some("/h")).unwrap(), "/d/migfit/profiles");
        assert_eq!(
            of(None, Some("/h")).unwrap(),
            "/h/.local/share/migfit/profiles"
        );
        // A relative XDG_DATA_HOME does not count.
        assert_eq!(
            of(Some("d"), Some("/h")).unwrap(),
            "/h/.local/share/migfit/profiles"
        );
        assert_eq!(of(Some(""), None), None);
    }

    #[test]
    fn files_are_named_by_the_build_id() {
        let folder = Path::new("/d");
        let id: Vec<u8> = (0xa0..0xa8).collect();
        assert_eq!(file(folder, Some(&id), 1), Path::new("/d/a0a1a2a3a4a5a6a7"));
        for none in [None, Some(&id[..4])] {
            assert_eq!(
                file(folder, none, 0xab),
                Path::new("/d/sum-00000000000000ab")
            );
        }
    }

    #[test]
    fn a_copy_of_another_program_is_refused() {
        let sum = program_checksum(&[b"code", b"", b"data"]);
        let copy = pack(sum, b"section");
        assert_eq!(unpack(sum, &copy), Some(&b"section"[..]));
        assert_eq!(
            unpack(program_checksum(&[b"code", b"data", b""]), &copy),
            None
        );
        assert_eq!(unpack(sum, &copy[..5]), None);
    }
}
