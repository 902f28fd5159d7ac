//! The story of `migfit fit`: find the program, read its job profile, tell formulas or figures.

use crate::cli::request::FitRequest;
use crate::fit::error::FitError;
use crate::fit::formulas;
use crate::program;

/// The text that answers a request.
///
/// # Errors
/// When there is no such program, or no job profile in it.
pub fn fit(request: &FitRequest) -> Result<String, FitError> {
    let folder = std::env::current_dir().map_err(FitError::WorkingFolder)?;
    let search = std::env::var_os("PATH");
    let path = program::find(&request.program, &folder, search.as_deref())?;
    let profile = program::read_profile(&path)?;
    Ok(formulas::text(&profile.summary))
}
