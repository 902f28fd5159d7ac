//! A program's file and the environment of its run -> the job profile of the process that it becomes: the program with
//! the shared libraries that the loader gives it there. Runs nothing.

use crate::program::error::ProgramError;
use crate::program::image::{self, Image};
use crate::program::profile::Stored;
use migfit_loader::{Needed, Places, needed, not_looked_into};
use migfit_schema::profile::{JobProfile, Library, Summary, Unknown};
use migfit_schema::program::{Part, join};
use std::path::Path;

/// Reads the job profile of a program that is started in `folder` with this environment.
///
/// # Errors
/// When the file is no linked ELF program, or has no job profile that this version reads.
pub fn read_profile(
    path: &Path,
    folder: &Path,
    environment: &[(String, String)],
) -> Result<JobProfile, ProgramError> {
    let image = image::read(path)?;
    let stored = Stored::open(path, &image.section)?;
    if stored.summary.libraries.is_empty() {
        return as_linked(stored);
    }
    let library_path = environment
        .iter()
        .find(|(name, _)| name == "LD_LIBRARY_PATH");
    let places = Places::new(folder, library_path.map(|(_, value)| value.as_ref()));
    let found = needed(path, &image.dynamic, &places, |_| None);
    let images: Vec<Option<Image>> = found
        .iter()
        .map(|library| image::read(library.path.as_deref()?).ok())
        .collect();
    // A library whose job profile is missing, damaged or of another version was not looked into.
    let libraries: Vec<Option<Stored<'_>>> = found
        .iter()
        .zip(&images)
        .map(|(library, image)| {
            let stored = Stored::open(library.path.as_deref()?, &image.as_ref()?.section).ok()?;
            stored.summary.identity.is_some().then_some(stored)
        })
        .collect();
    let present = listed(&found, &libraries);
    if present == stored.summary.libraries {
        return as_linked(stored);
    }
    joined(&stored, &found, &libraries, present)
}

/// Reads the job profile of a program as it would be started here and now.
///
/// # Errors
/// As `read_profile`.
pub fn read_profile_here(path: &Path) -> Result<JobProfile, ProgramError> {
    let folder = std::env::current_dir().unwrap_or_default();
    let library_path = std::env::var("LD_LIBRARY_PATH");
    let environment = library_path.map(|value| ("LD_LIBRARY_PATH".to_owned(), value));
    read_profile(path, &folder, &environment.into_iter().collect::<Vec<_>>())
}

/// The job profile in the bytes of its section, with the libraries of its link; `path` only names it in errors.
///
/// # Errors
/// When they are damaged, or of another version.
pub fn decode(path: &Path, section: &[u8]) -> Result<JobProfile, ProgramError> {
    as_linked(Stored::open(path, section)?)
}

/// The libraries are those of the link: their code is part of the size program.
fn as_linked(stored: Stored<'_>) -> Result<JobProfile, ProgramError> {
    Ok(JobProfile {
        program: stored.program()?,
        checked: stored.checked()?,
        summary: stored.summary,
    })
}

fn listed(found: &[Needed], libraries: &[Option<Stored<'_>>]) -> Vec<Library> {
    let all = found.iter().zip(libraries);
    all.map(|(library, stored)| Library {
        name: library.name.clone(),
        identity: stored.as_ref().and_then(|one| one.summary.identity.clone()),
    })
    .collect()
}

/// Other libraries than those of the link: the whole code of all files is joined anew. It takes longer to evaluate.
fn joined(
    stored: &Stored<'_>,
    found: &[Needed],
    libraries: &[Option<Stored<'_>>],
    present: Vec<Library>,
) -> Result<JobProfile, ProgramError> {
    let Some(own) = stored.part()? else {
        // Its analysis failed at the link; the summary says why.
        return Ok(JobProfile {
            program: stored.program()?,
            checked: stored.checked()?,
            summary: stored.summary.clone(),
        });
    };
    let mut parts = vec![own];
    for library in libraries.iter().flatten() {
        parts.extend(library.part()?);
    }
    let mut summary = stored.summary.clone();
    for library in libraries.iter().flatten() {
        add_kernels(&mut summary, &library.summary);
    }
    summary
        .unknowns
        .extend(changed(&summary.libraries, found, &present));
    summary.device_variables = variables(&parts);
    let was_unseen = |text: &String| {
        summary
            .libraries
            .iter()
            .any(|one| Library::unseen(&one.name) == *text)
    };
    summary.without_ir.retain(|text| !was_unseen(text));
    let looked_into: Vec<bool> = libraries.iter().map(Option::is_some).collect();
    let missing = not_looked_into(found, &looked_into);
    summary.without_ir.extend(missing.map(unseen));
    summary.libraries = present;
    Ok(JobProfile {
        program: Some(join(&parts)),
        checked: None,
        summary,
    })
}

fn add_kernels(summary: &mut Summary, library: &Summary) {
    for kernel in &library.kernels {
        let known = summary.kernels.iter_mut();
        match known.into_iter().find(|one| one.symbol == kernel.symbol) {
            // The device code lies in the library's own file.
            Some(known) if known.images.is_empty() => known.images.clone_from(&kernel.images),
            Some(_) => {}
            None => summary.kernels.push(kernel.clone()),
        }
    }
}

fn variables(parts: &[Part]) -> u64 {
    let bytes = parts.iter().map(|part| part.device_variables);
    bytes.fold(0, u64::saturating_add)
}

/// One note for each library that is not as it was when the program was linked: the formulas are of then.
fn changed(then: &[Library], found: &[Needed], now: &[Library]) -> Vec<Unknown> {
    let there = found
        .iter()
        .zip(now)
        .filter(|(library, _)| library.path.is_some());
    let different = there.filter(|(_, now)| !then.contains(now));
    different
        .map(|(library, _)| Unknown {
            site: None,
            what: format!("formulas of {}", library.name),
            reason: "the library is not the one that the program was linked with: figures are of this one, \
                     formulas of that; link the program again"
                .to_owned(),
        })
        .collect()
}

/// How a library that was not looked into is listed.
fn unseen(library: &Needed) -> String {
    match library.path {
        Some(_) => Library::unseen(&library.name),
        None => format!(
            "{} (shared library; not found from here: is LD_LIBRARY_PATH set as for the run?)",
            library.name
        ),
    }
}
