//! A file -> the bytes of the job profile that belongs to it: its section `.migfit.profile`, or the copy under its
//! build-id where that is gone. Reads only the parts of the file it needs; trusts nothing in it.

use crate::program::error::ProgramError;
use migfit_loader::Dynamic;
use migfit_schema::container::PROFILE_SECTION;
use migfit_schema::copies;
use object::read::{Object, ObjectSection, ReadCache, ReadRef};
use object::{FileKind, ObjectKind};
use std::fs::File;
use std::path::Path;

/// What a linked ELF file tells.
pub(super) struct Image {
    /// The job profile's bytes.
    pub(super) section: Vec<u8>,
    /// What the dynamic loader reads of it.
    pub(super) dynamic: Dynamic,
}

/// Reads the program or library in this file.
///
/// # Errors
/// When the file is no linked ELF file, or nothing says what it needs.
pub(super) fn read(path: &Path) -> Result<Image, ProgramError> {
    let file = ReadCache::new(open(path)?);
    let damaged = |error: object::Error| ProgramError::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    match FileKind::parse(&file) {
        Ok(FileKind::Elf64 | FileKind::Elf32) => {}
        other => {
            return Err(ProgramError::NotElf {
                path: path.to_owned(),
                kind: kind(&file, other.ok()),
            });
        }
    }
    let elf = object::File::parse(&file).map_err(damaged)?;
    // Of a file of 32 bits the loader's part is not read: there is no CUDA for it any more.
    let dynamic = Dynamic::read(&file).unwrap_or_default();
    let section = match elf.section_by_name(PROFILE_SECTION) {
        Some(section) => section.data().map_err(damaged)?.to_owned(),
        None if elf.kind() == ObjectKind::Relocatable => {
            return Err(ProgramError::Unlinked(path.to_owned()));
        }
        None => copy(&elf, &dynamic).ok_or_else(|| ProgramError::NoProfile(path.to_owned()))?,
    };
    Ok(Image { section, dynamic })
}

/// The copy that was kept when this very program was linked.
fn copy<'data, R: ReadRef<'data>>(
    elf: &object::File<'data, R>,
    dynamic: &Dynamic,
) -> Option<Vec<u8>> {
    let variable = |name| std::env::var_os(name);
    let folder = copies::folder(
        variable("XDG_DATA_HOME").as_deref(),
        variable("HOME").as_deref(),
    )?;
    let sections = copies::CHECKED_SECTIONS.map(|name| {
        let section = elf.section_by_name(name)?;
        section.data().ok()
    });
    let program = copies::program_checksum(&sections.map(Option::unwrap_or_default));
    let file = copies::file(&folder, dynamic.build_id.as_deref(), program);
    let copy = std::fs::read(file).ok()?;
    copies::unpack(program, &copy).map(<[u8]>::to_vec)
}

fn open(path: &Path) -> Result<File, ProgramError> {
    let unreadable = |source| ProgramError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // Asked before opening: opening a pipe would wait for its writer.
    let meta = path.metadata().map_err(unreadable)?;
    if meta.is_dir() {
        return Err(ProgramError::Folder(path.to_owned()));
    }
    if !meta.is_file() {
        return Err(ProgramError::NotRegular(path.to_owned()));
    }
    File::open(path).map_err(unreadable)
}

/// What a file that is no ELF file is, for the message.
fn kind<'a>(file: impl ReadRef<'a>, kind: Option<FileKind>) -> &'static str {
    match kind {
        Some(FileKind::Archive) => "an archive of object files",
        Some(_) => "a program of another system",
        None if file.len() == Ok(0) => "an empty file",
        None if file.read_bytes_at(0, 2) == Ok(b"#!") => "a script",
        None => "a file of another kind",
    }
}
