//! The flags of `migfit simulate` that let chance in -> what is drawn.

use crate::cli::error::CliError;
use crate::cli::request::Trials;

/// What is drawn by chance; none where the jobs are played once, as they stand.
///
/// # Errors
/// When a figure cannot be.
pub fn trials(
    count: u32,
    seed: u64,
    draw: Option<&str>,
    percent: f64,
    load: Option<f64>,
) -> Result<Option<Trials>, CliError> {
    if !(0.0..=100.0).contains(&percent) {
        return Err(CliError::NoError(percent.to_string()));
    }
    if let Some(load) = load.filter(|load| !(*load > 0.0 && *load <= 2.0)) {
        return Err(CliError::NoLoad(load.to_string()));
    }
    let draw = draw.map(|text| drawn(text).ok_or_else(|| CliError::NoDraw(text.to_owned())));
    let draw = draw.transpose()?;
    let is_drawn = count > 1 || draw.is_some() || percent > 0.0 || load.is_some();
    Ok(is_drawn.then_some(Trials {
        count,
        seed,
        draw,
        error: percent / 100.0,
        load,
    }))
}

/// `8` or `4-8`.
fn drawn(text: &str) -> Option<(usize, usize)> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
    (1 <= least && least <= most && most <= MOST_DRAWN).then_some((least, most))
}

/// Jobs that one trial draws at most.
const MOST_DRAWN: usize = 100_000;
