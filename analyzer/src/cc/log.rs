//! Lines for the build's log, which `migfit build` reads at the end. Many of us append at once, each a line in one write.

use super::settings::Settings;
use migfit_schema::build::{BuildNote, LogLine};
use std::io::Write as _;

/// Appends a line; does nothing outside `migfit build`.
pub fn append(settings: &Settings, line: &LogLine) -> std::io::Result<()> {
    let Some(log) = &settings.log else {
        return Ok(());
    };
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
