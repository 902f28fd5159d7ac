//! The text of a job file (TOML) -> jobs, in the file's order. Every complaint has its place. Reads no file and knows no
//! GPU.

use crate::jobs::complaint::{Complaint, complain, known_keys, wrong_type};
use crate::jobs::entry::{self, Entry, Room};
use crate::jobs::toml_place::line_and_column;
use crate::jobs::{Commands, Job, after};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::DeTable;

/// Reads the jobs; relative folders start from `folder`.
pub(super) fn parse(text: &str, folder: &Path, commands: Commands) -> Result<Vec<Job>, Complaint> {
    const NO_JOBS: &str = "the job file holds no jobs";
    const BEGIN: &str = "begin each job with [[jobs]]";
    let table = DeTable::parse(text).map_err(|error| Complaint {
        span: error.span().unwrap_or_default(),
        what: format!("the job file is no valid TOML: {}", error.message()),
        hint: "strings stand in quotes, a job begins with [[jobs]]".to_owned(),
    })?;
    known_keys(table.get_ref(), &["jobs"], "the job file")?;
    let Some(jobs) = table.get_ref().get("jobs") else {
        return complain(0..0, NO_JOBS, BEGIN);
    };
    let Some(list) = jobs.get_ref().as_array() else {
        return wrong_type(jobs, "jobs", "[[jobs]], once for each job");
    };
    let mut room = Room::new();
    let mut names = HashSet::new();
    let mut entries: Vec<Entry> = Vec::new();
    for value in list.iter() {
        let Some(table) = value.get_ref().as_table() else {
            return wrong_type(value, "a job", "[[jobs]], then its keys");
        };
        let mut entry = entry::read(value.span(), table, folder, commands, &mut room)?;
        let place = |key| table.get(key).map(Spanned::span);
        for (job, _) in &mut entry.jobs {
            job.stated_at = Some(written(text, place("command").unwrap_or(value.span())));
            job.times_at = place("times").map(|span| written(text, span));
            if !names.insert(job.name.clone()) {
                let what = format!("two jobs are called '{}'", job.name);
                let hint = "give each its own name, or use count = N for copies";
                return complain(place("name").unwrap_or(value.span()), what, hint);
            }
        }
        entries.push(entry);
    }
    match entries.is_empty() {
        true => complain(0..0, NO_JOBS, BEGIN),
        false => after::resolve(entries),
    }
}

fn written(text: &str, span: Range<usize>) -> String {
    let (line, column) = line_and_column(text, span.start);
    format!("{line}:{column}")
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
