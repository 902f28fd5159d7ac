//! Which GPU a run is for, as the user says it.

use crate::cli::error::CliError;
use std::fmt;

/// Which GPU a run is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuSelector {
    /// The virtual GPU of this model; the name is checked.
    Virtual(String),
    /// The GPU with this number in NVML's order.
    Index(u32),
    /// The GPU with this UUID (`GPU-...`).
    Uuid(String),
}

impl GpuSelector {
    /// Reads `virtual:MODEL`, `0` or `GPU-...`.
    ///
    /// # Errors
    /// When it is none of these, or no such model exists.
    pub fn read(given: &str) -> Result<GpuSelector, CliError> {
        if let Some(name) = given.strip_prefix("virtual:") {
            return Ok(GpuSelector::Virtual(name.to_owned()));
        }
        if let Ok(index) = given.parse() {
            return Ok(GpuSelector::Index(index));
        }
        if given.starts_with("GPU-") {
            return Ok(GpuSelector::Uuid(given.to_owned()));
        }
        Err(CliError::BadSelector {
            given: given.to_owned(),
        })
    }
}

impl fmt::Display for GpuSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuSelector::Virtual(model) => write!(f, "virtual:{model}"),
            GpuSelector::Index(index) => write!(f, "{index}"),
            GpuSelector::Uuid(uuid) => f.write_str(uuid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_prints_as_it_was_read() {
        for form in ["virtual:a100-40gb", "0", "7", "GPU-5c0f"] {
            assert_eq!(GpuSelector::read(form).unwrap().to_string(), form);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for form in ["", "-1", "a100", "MIG-5c0f", "virtual"] {
            assert!(matches!(
                GpuSelector::read(form),
                Err(CliError::BadSelector { .. })
            ));
        }
    }
}
