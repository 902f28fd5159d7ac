//! Which GPU a run is for, as the user says it.

use crate::cli::error::CliError;
use crate::sizing::Board;
use migfit_mig::Model;
use std::fmt;

/// Which GPU a run is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuSelector {
    /// The virtual GPU of this model.
    Virtual(&'static Model),
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
            return Ok(GpuSelector::Virtual(model(name)?));
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

/// The built-in model of this name.
///
/// # Errors
/// When there is none.
pub fn model(name: &str) -> Result<&'static Model, CliError> {
    migfit_mig::find(name).map_err(CliError::Model)
}

/// The boards that `--gpu` of `migfit fit` names: `MODEL`, `virtual:MODEL`, or `all` models.
///
/// # Errors
/// When there is no such model.
pub fn boards(given: &str) -> Result<Vec<Board<'static>>, CliError> {
    if given == "all" {
        let models = migfit_mig::builtin().map_err(CliError::Model)?;
        return Ok(models.iter().map(Board::real).collect());
    }
    let board = match given.strip_prefix("virtual:") {
        Some(name) => Board::virtual_gpu(model(name)?),
        None => Board::real(model(given)?),
    };
    Ok(vec![board])
}

impl fmt::Display for GpuSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuSelector::Virtual(model) => write!(f, "virtual:{}", model.name),
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
    fn a_model_that_does_not_exist_is_refused_with_the_one_meant() {
        let error = GpuSelector::read("virtual:a100-4gb").unwrap_err();
        assert_eq!(error.to_string(), "no GPU model is called 'a100-4gb'");
        let hint = crate::failure::Explain::hint(&error).unwrap();
        assert!(hint.starts_with("did you mean 'a100-40gb'?"), "{hint}");
        assert!(boards("zzz").is_err());
    }

    #[test]
    fn boards_are_real_unless_said_otherwise() {
        assert!(!boards("a30-24gb").unwrap()[0].is_virtual);
        assert!(boards("virtual:a30-24gb").unwrap()[0].is_virtual);
        assert_eq!(
            boards("all").unwrap().len(),
            migfit_mig::builtin().unwrap().len()
        );
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
