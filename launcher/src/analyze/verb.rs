//! The story of `migfit analyze`: the job profile of what is named, the device, one evaluation, its answer.

use super::error::AnalyzeError;
use super::{device, json, target};
use crate::cli::request::AnalyzeRequest;
use crate::fit::need_text;
use crate::fit::trust::Basis;
use crate::sizing::word;
use migfit_schema::profile::{JobProfile, Unknown};
use migfit_schema::units::Bytes;
use migfit_sizes::agreement::agreement;
use migfit_sizes::{CommandLine, Need, Verdict, evaluate_given};
use std::path::{Path, PathBuf};

/// The text that answers a request.
///
/// # Errors
/// When the file, the device or the folder is not there or not of a kind that can be read.
pub fn analyze(request: &AnalyzeRequest) -> Result<String, AnalyzeError> {
    let profile = target::profile(&request.files)?;
    let device = device::read(&request.device)?;
    let command = CommandLine {
        args: words(request),
        env: environment(),
        cwd: folder(request.cwd.as_deref())?,
    };
    word::check(&profile, &request.assume)?;
    let limits = &request.limits;
    let mut need = evaluate_given(&profile, &command, &device, limits, &request.assume);
    let forms = agreement(&profile.summary, &need, &command, &device);
    need.notes.extend(without_cuda(&profile, &need));
    Ok(match request.json {
        true => json::answer(&profile, &device, &need, &forms)?,
        false => need_text::text(
            &need,
            Bytes(profile.summary.device_variables),
            Some(Basis::of(&need, &forms)),
        ),
    })
}

/// What to say of a program in which nothing takes device memory or launches.
fn without_cuda(profile: &JobProfile, need: &Need) -> Option<Unknown> {
    let summary = &profile.summary;
    let none = summary.allocations.is_empty()
        && summary.launches.is_empty()
        && summary.kernels.is_empty()
        && summary.unknowns.is_empty();
    (none && need.verdict == Verdict::Exact).then(|| Unknown {
        site: None,
        what: "program".to_owned(),
        reason: "it uses no CUDA".to_owned(),
    })
}

/// A program is called as it was named; what is not linked yet as it would be.
fn words(request: &AnalyzeRequest) -> Vec<String> {
    let name = request
        .files
        .first()
        .map(|file| match target::is_source_or_ir(file) {
            true => format!("./{}", target::stem(file)),
            false => file.to_string_lossy().into_owned(),
        });
    name.into_iter()
        .chain(request.args.iter().cloned())
        .collect()
}

fn folder(given: Option<&Path>) -> Result<PathBuf, AnalyzeError> {
    let present = std::env::current_dir().map_err(AnalyzeError::WorkingFolder)?;
    let folder = given.map_or(present.clone(), |given| present.join(given));
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(AnalyzeError::NoFolder(folder)),
    }
}

/// The environment as the program would see it; a variable that is no text is left out, as no number is in it.
fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}
