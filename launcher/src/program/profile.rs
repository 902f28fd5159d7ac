//! The bytes of a job profile -> the job profile. Trusts nothing in them.

use crate::program::error::{DamagedProfile, ProgramError};
use migfit_schema::container::{self, CHECKED, PART, PROGRAM, SUMMARY};
use migfit_schema::profile::{PROFILE_VERSION, Summary};
use migfit_schema::program::{Part, SizeProgram};
use serde::de::DeserializeOwned;
use std::path::Path;

/// The entries of a job profile: the summary read, the others on demand.
pub(super) struct Stored<'s> {
    path: &'s Path,
    entries: Vec<container::Entry<'s>>,
    /// The readable half.
    pub(super) summary: Summary,
}

impl<'s> Stored<'s> {
    /// Opens the bytes of a section; `path` names its file in errors.
    ///
    /// # Errors
    /// When they are damaged, or of another version.
    pub(super) fn open(path: &'s Path, section: &'s [u8]) -> Result<Stored<'s>, ProgramError> {
        let damaged = |reason| ProgramError::DamagedProfile {
            path: path.to_owned(),
            reason,
        };
        let entries = container::sealed_entries(section).map_err(|error| {
            of_another_version(path, section)
                .unwrap_or_else(|| damaged(DamagedProfile::Container(error)))
        })?;
        let summaries = entries.iter().filter(|entry| entry.0 == SUMMARY);
        let json = match summaries.clone().count() {
            0 => return Err(damaged(DamagedProfile::NoSummary)),
            1 => summaries.map(|entry| entry.1).next().unwrap_or_default(),
            several => return Err(damaged(DamagedProfile::Several(several))),
        };
        let summary = decode_summary(path, json)?;
        Ok(Stored {
            path,
            entries,
            summary,
        })
    }

    /// The size program.
    pub(super) fn program(&self) -> Result<Option<SizeProgram>, ProgramError> {
        self.decoded(PROGRAM)
    }

    /// The size program with all checks.
    pub(super) fn checked(&self) -> Result<Option<SizeProgram>, ProgramError> {
        self.decoded(CHECKED)
    }

    /// What the file brings to a process with others.
    pub(super) fn part(&self) -> Result<Option<Part>, ProgramError> {
        self.decoded(PART)
    }

    fn decoded<T: DeserializeOwned>(&self, mark: [u8; 8]) -> Result<Option<T>, ProgramError> {
        let payload = self.entries.iter().find(|entry| entry.0 == mark);
        let decoded = payload.map(|(_, bytes)| decode(bytes)).transpose();
        decoded.map_err(|reason| ProgramError::DamagedProfile {
            path: self.path.to_owned(),
            reason,
        })
    }
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

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DamagedProfile> {
    let (decoded, rest) = postcard::take_from_bytes(bytes).map_err(DamagedProfile::SizeProgram)?;
    match rest.len() {
        0 => Ok(decoded),
        more => Err(DamagedProfile::Trailing(more)),
    }
}
