//! Lines for the build's log, which `migfit build` reads at the end. Many of us append at once, each a line in one write.

use super::settings::Settings;
use migfit_schema::build::{BuildNote, LogLine};
use std::io::Write as _;
use std::path::Path;

/// Appends a line; does nothing outside `migfit build`.
pub fn append(settings: &Settings, line: &LogLine) -> std::io::Result<()> {
    match &settings.log {
        Some(log) => append_to(log, line),
        None => Ok(()),
    }
}

fn append_to(log: &Path, line: &LogLine) -> std::io::Result<()> {
    let text = serde_json::to_string(line)? + "\n";
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(log)?;
    file.write_all(text.as_bytes())
}

/// Appends a note. It explains a build that did its work: where it cannot be written, nothing is lost but the note.
pub fn note(settings: &Settings, note: BuildNote) {
    let _ = append(settings, &LogLine::Note(note));
}

/// The same, to this log.
pub fn note_in(log: &Path, note: BuildNote) {
    let _ = append_to(log, &LogLine::Note(note));
}
