//! A program's file -> the job profile in its section `.migfit.profile`. Reads only the parts of the file it
//! needs; trusts nothing in it.

use crate::program::error::{DamagedProfile, ProgramError};
use migfit_schema::container::{self, PROFILE_SECTION, PROGRAM, SUMMARY};
use migfit_schema::profile::{JobProfile, PROFILE_VERSION, Summary};
use migfit_schema::program::SizeProgram;
use object::read::{Object, ObjectSection, ReadCache, ReadRef};
use object::{FileKind, ObjectKind};
use std::fs::File;
use std::path::Path;

/// Reads the job profile of the program in this file.
///
/// # Errors
/// When the file is no linked ELF program, or carries no job profile that this version reads.
pub fn read_profile(path: &Path) -> Result<JobProfile, ProgramError> {
    let section = read_section(path)?;
    decode(path, &section)
}

fn read_section(path: &Path) -> Result<Vec<u8>, ProgramError> {
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
    let Some(section) = elf.section_by_name(PROFILE_SECTION) else {
        return Err(match elf.kind() {
            ObjectKind::Relocatable => ProgramError::Unlinked(path.to_owned()),
            _ => ProgramError::NoProfile(path.to_owned()),
        });
    };
    Ok(section.data().map_err(damaged)?.to_owned())
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

/// The job profile in the bytes of its section; `path` only names it in errors.
///
/// # Errors
/// When they are damaged, or of another version.
pub fn decode(path: &Path, section: &[u8]) -> Result<JobProfile, ProgramError> {
    let damaged = |reason| ProgramError::DamagedProfile {
        path: path.to_owned(),
        reason,
    };
    let entries = container::sealed_entries(section).map_err(|error| {
        of_another_version(path, section)
            .unwrap_or_else(|| damaged(DamagedProfile::Container(error)))
    })?;
    let payloads = |mark| {
        entries
            .iter()
            .filter(move |entry| entry.0 == mark)
            .map(|entry| entry.1)
    };
    let summary = match payloads(SUMMARY).count() {
        0 => return Err(damaged(DamagedProfile::NoSummary)),
        1 => payloads(SUMMARY).next().unwrap_or_default(),
        several => return Err(damaged(DamagedProfile::Several(several))),
    };
    let summary = decode_summary(path, summary)?;
    let program = payloads(PROGRAM)
        .next()
        .map(decode_size_program)
        .transpose()
        .map_err(damaged)?;
    Ok(JobProfile { summary, program })
}

/// Earlier versions had no checksum: they are not damaged but old.
fn of_another_version(path: &Path, section: &[u8]) -> Option<ProgramError> {
    let entries = container::entries(section).ok()?;
    let (_, json) = entries.into_iter().find(|entry| entry.0 == SUMMARY)?;
    let head: Head = serde_json::from_slice(json).ok()?;
    (head.version != u64::from(PROFILE_VERSION)).then(|| other_version(path, head))
}

fn other_version(path: &Path, head: Head) -> ProgramError {
    ProgramError::OtherVersion {
        path: path.to_owned(),
        found: head.version,
        writer: head.migfit,
    }
}

/// The head of a summary, which every version has.
#[derive(serde::Deserialize)]
struct Head {
    version: u64,
    migfit: Option<String>,
}

fn decode_summary(path: &Path, json: &[u8]) -> Result<Summary, ProgramError> {
    let damaged = |error| ProgramError::DamagedProfile {
        path: path.to_owned(),
        reason: DamagedProfile::Summary(error),
    };
    let head: Head = serde_json::from_slice(json).map_err(damaged)?;
    if head.version != u64::from(PROFILE_VERSION) {
        return Err(other_version(path, head));
    }
    serde_json::from_slice(json).map_err(damaged)
}

fn decode_size_program(bytes: &[u8]) -> Result<SizeProgram, DamagedProfile> {
    let (program, rest) = postcard::take_from_bytes(bytes).map_err(DamagedProfile::SizeProgram)?;
    match rest.len() {
        0 => Ok(program),
        more => Err(DamagedProfile::Trailing(more)),
    }
}
