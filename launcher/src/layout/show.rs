//! `migfit layout show`: the MIG profiles of a model, as a table or JSON, with how well its figures are known.

use crate::cli::request::ShowRequest;
use crate::layout::error::LayoutError;
use crate::table;
use migfit_mig::{MemorySource, MigProfile, Model};
use serde::Serialize;
use std::fmt::Write;

/// Version of the JSON form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'m> {
    version: u32,
    model: &'m Model,
}

/// The text that answers a request.
///
/// # Errors
/// When the JSON cannot be made.
pub fn show(request: &ShowRequest) -> Result<String, LayoutError> {
    if request.json {
        let document = Document {
            version: VERSION,
            model: request.model,
        };
        return Ok(serde_json::to_string_pretty(&document)? + "\n");
    }
    Ok(text(request.model))
}

fn text(model: &Model) -> String {
    let sms = model
        .sm_count
        .map_or("SMs not known".to_owned(), |sms| format!("{sms} SMs"));
    let mut text = format!(
        "{}: {} ({}), {} MiB, {sms} without MIG; {} memory slices, {} SM slices\n\n",
        model.name,
        model.board(),
        model.architecture,
        model.memory_mib.0,
        model.memory_slices,
        model.compute_slices,
    );
    text += &table::text(
        &[
            "MIG PROFILE",
            "ID",
            "MIB",
            "SMS",
            "MEMORY SLICES",
            "SM SLICES",
            "AT MOST",
            "FIRST MEMORY SLICE",
        ],
        model.profiles.iter().map(row).collect(),
        &[1, 2, 3, 4, 5, 6],
    );
    text.push('\n');
    for note in notes(model) {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn row(profile: &MigProfile) -> Vec<String> {
    let starts: Vec<String> = profile.starts.iter().map(ToString::to_string).collect();
    vec![
        profile.name.to_string(),
        profile.id.to_string(),
        format!("{}{}", mark(profile.memory_from), profile.memory_mib.0),
        profile.sms.map_or("-".to_owned(), |sms| sms.to_string()),
        profile.memory_slices.to_string(),
        profile.compute_slices().to_string(),
        profile.max_count.to_string(),
        starts.join(" "),
    ]
}

fn mark(source: MemorySource) -> &'static str {
    match source {
        MemorySource::Read | MemorySource::Printed => "",
        MemorySource::Derived => "~",
    }
}

fn notes(model: &Model) -> Vec<String> {
    let mut notes = Vec::new();
    if model
        .profiles
        .iter()
        .any(|profile| profile.memory_from == MemorySource::Derived)
    {
        notes.push("~ derived from boards of the same pattern, not read on this one".to_owned());
    }
    if model.profiles.iter().any(|profile| profile.sms.is_none()) {
        notes.push("- not known".to_owned());
    }
    notes.push(match model.confirmed {
        true => "placements: read on this board".to_owned(),
        false => {
            "placements: those of the pattern that this board follows; not read on it".to_owned()
        }
    });
    notes.push(format!("source: {}", model.source));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(model: &str) -> String {
        text(migfit_mig::find(model).unwrap())
    }

    #[test]
    fn every_mig_profile_has_its_row() {
        let text = shown("a30-24gb");
        let expected = "  MIG PROFILE  ID    MIB  SMS  MEMORY SLICES  SM SLICES  AT MOST  FIRST MEMORY SLICE\n\
                        \x20 1g.6gb       14   5952   14              1          1        4  0 1 2 3\n";
        assert!(text.contains(expected), "{text}");
        assert!(
            text.contains("placements: read on this board\nsource: "),
            "{text}"
        );
    }

    #[test]
    fn what_was_not_read_is_marked() {
        let text = shown("h20-96gb");
        assert!(text.contains("not read on it"), "{text}");
        assert!(text.contains("\n- not known\n"), "{text}");
    }
}
