//! The story of `migfit fit`: find the program, read its job profile, tell formulas or figures.

use crate::cli::request::FitRequest;
use crate::fit::answer::{Answer, answer};
use crate::fit::error::FitError;
use crate::fit::evaluate::Evaluator;
use crate::fit::formulas::{self, Formulas};
use crate::fit::{explain, json, need_text, slices_text};
use crate::program;
use crate::sizing::word;
use migfit_schema::profile::{JobProfile, Summary};
use migfit_schema::units::Bytes;
use migfit_sizes::CommandLine;
use migfit_sizes::explain::SiteTree;
use std::ffi::OsString;

/// The text that answers a request.
///
/// # Errors
/// When there is no such program, or no job profile in it.
pub fn fit(request: &FitRequest) -> Result<String, FitError> {
    let folder = std::env::current_dir().map_err(FitError::WorkingFolder)?;
    let search = std::env::var_os("PATH");
    let path = program::find(&request.program, &folder, search.as_deref())?;
    let environment = environment();
    let profile = program::read_profile(&path, &folder, &environment)?;
    word::check(&profile, &request.assume)?;
    let Some(args) = &request.args else {
        return in_formulas(&profile, request);
    };
    let command = CommandLine {
        args: words(request, args)?,
        env: environment,
        cwd: folder,
    };
    in_figures(&profile, &command, request)
}

fn in_formulas(profile: &JobProfile, request: &FitRequest) -> Result<String, FitError> {
    let summary = &profile.summary;
    let found = Formulas::of(summary);
    let program = profile.program.as_ref().filter(|_| request.explain);
    let trees = program.map(|program| migfit_sizes::explain::sites(program, None));
    Ok(match request.json {
        true => json::formulas(summary, &found, trees.as_deref())?,
        false => formulas::text(summary, &found) + &explained(trees.as_deref()),
    })
}

/// The trees of all sizes, where they are wanted.
fn explained(trees: Option<&[SiteTree]>) -> String {
    trees.map_or_else(String::new, |trees| format!("\n{}", explain::text(trees)))
}

fn in_figures(
    profile: &JobProfile,
    command: &CommandLine,
    request: &FitRequest,
) -> Result<String, FitError> {
    let mut evaluator = Evaluator::new(profile, command, &request.assume, request.limits.clone());
    let found = answer(&mut evaluator, &request.boards, request.explain);
    if request.json {
        let args = command.args.get(1..).unwrap_or_default();
        return Ok(json::answer(&profile.summary, args, &found)?);
    }
    Ok(format!(
        "{}\n{}{}{}\n{}",
        command.args.join(" "),
        need(&found, &profile.summary),
        formulas::gaps(&profile.summary),
        explained(found.trees.as_deref()),
        slices_text::text(&found.boards)
    ))
}

fn need(found: &Answer<'_>, summary: &Summary) -> String {
    let variables = Bytes(summary.device_variables);
    let told = found
        .need
        .as_ref()
        .map(|need| need_text::text(need, variables, found.basis));
    let told = told.unwrap_or_else(|| {
        "device memory: unknown; the program asks its device for what is not known of these GPUs\n".to_owned()
    });
    match found.slice {
        Some((board, name)) => {
            format!(
                "on {name} of {board} (it asks its device: each slice has its own need)\n{told}"
            )
        }
        None => told,
    }
}

/// The words that the program would see. Only text can be evaluated.
fn words(request: &FitRequest, args: &[OsString]) -> Result<Vec<String>, FitError> {
    let program = request.program.as_os_str().to_owned();
    let words = std::iter::once(program).chain(args.iter().cloned());
    words
        .map(|word| word.into_string().map_err(FitError::NotText))
        .collect()
}

/// The environment as the program would see it; a variable that is no text is left out, as no number is in it.
fn environment() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}
