//! What the user says of a job, held against its program before anything starts.

use crate::jobs::Job;
use crate::program;
use crate::run::RunError;
use crate::sizing::word;
use std::path::Path;

/// Holds what the user says of a job against its program, before anything starts.
///
/// # Errors
/// When it speaks of something that the program has not.
pub fn check_word(job: &Job, program: &Path) -> Result<(), RunError> {
    if job.assume.is_empty() {
        return Ok(());
    }
    let misplaced = |error| RunError::Word {
        job: job.name.clone(),
        stated_at: job.stated_at.clone(),
        error,
    };
    // A program without a job profile is told as such with its need.
    match program::read_profile(program, &job.cwd, &job.environment()) {
        Ok(profile) => word::check(&profile, &job.assume).map_err(misplaced),
        Err(_) => Ok(()),
    }
}
