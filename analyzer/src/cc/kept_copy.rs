//! The copy of a job profile under its program's build-id, in the user's data folder: found where the program loses the
//! section. Writing it never fails a link.

use super::elf;
use migfit_loader::Dynamic;
use migfit_schema::copies;
use std::fs::DirEntry;
use std::io::{Error, Write as _};
use std::path::Path;
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
    let build_id = Dynamic::read(program).ok().and_then(|found| found.build_id);
    let file = build_id.and_then(|id| copies::file(&folder, &id));
    let file = file.ok_or("the linker gave the program no build-id (-Wl,--build-id)")?;
    let refused = |error: Error| format!("{}: {error}", folder.display());
    let copy = copies::pack(checksum(program), section);
    write(&folder, &file, &copy).map_err(refused)?;
    make_room(&folder, &file);
    Ok(())
}

fn checksum(program: &[u8]) -> u64 {
    let sections = copies::CHECKED_SECTIONS.map(|name| match elf::section(program, name) {
        Ok(found) => found.unwrap_or_default(),
        Err(_) => &[],
    });
    copies::program_checksum(&sections)
}

/// In one step, so that nobody reads half a copy.
fn write(folder: &Path, file: &Path, copy: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(folder)?;
    new.write_all(copy)?;
    new.persist(file)?;
    Ok(())
}

/// The oldest copies go until the others have room; where one cannot be removed, somebody else was first.
fn make_room(folder: &Path, newest: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
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
        if held <= copies::MOST_BYTES {
            return;
        }
        if entry.path() != newest && std::fs::remove_file(entry.path()).is_ok() {
            held -= bytes;
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
        make_room(folder.path(), &newest);
        assert!(!oldest.exists() && older.exists() && newest.exists());
    }

    #[test]
    fn a_file_without_build_id_has_no_copy() {
        let error = keep(b"no program", b"section").unwrap_err();
        assert!(
            error.contains("build-id") || error.contains("HOME"),
            "{error}"
        );
    }
}
