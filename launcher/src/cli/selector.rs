//! Which GPU a run is for, as the user says it.

use crate::cli::error::CliError;
use crate::gpu::{Which, Wish};
use crate::sizing::Board;
use migfit_mig::Model;
use std::fmt;

/// Which GPU a run is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuSelector {
    /// The virtual GPU of this model.
    Virtual(&'static Model),
    /// A GPU of this machine.
    Real(Wish),
}

impl GpuSelector {
    /// Reads `virtual:MODEL`, or `auto`, `0` or `GPU-...`, with `mig:` in front where slices are demanded.
    ///
    /// # Errors
    /// When it is none of these, or no such model exists.
    pub fn read(given: &str) -> Result<GpuSelector, CliError> {
        if let Some(name) = given.strip_prefix("virtual:") {
            return Ok(GpuSelector::Virtual(model(name)?));
        }
        match wish(given) {
            Some(wish) => Ok(GpuSelector::Real(wish)),
            None => Err(CliError::BadSelector {
                given: given.to_owned(),
                is_model: migfit_mig::find(given).is_ok(),
            }),
        }
    }
}

/// Which GPU of this machine is meant; none where none is.
fn wish(given: &str) -> Option<Wish> {
    let (slices_demanded, name) = match given.strip_prefix("mig:") {
        Some(name) => (true, name),
        None => (false, given),
    };
    let number = name.bytes().all(|byte| byte.is_ascii_digit());
    let which = match name {
        "auto" => Which::Auto,
        uuid if uuid.starts_with("GPU-") => Which::Uuid(uuid.to_owned()),
        index => Which::Index(index.parse().ok().filter(|_| number)?),
    };
    Some(Wish {
        which,
        slices_demanded,
    })
}

/// The built-in model of this name, where a verb plans for models and asks no device.
///
/// # Errors
/// When there is none, or a GPU of this machine is meant.
pub fn model(name: &str) -> Result<&'static Model, CliError> {
    if wish(name).is_some() {
        return Err(CliError::NotAModel {
            given: name.to_owned(),
        });
    }
    migfit_mig::find(name).map_err(CliError::Model)
}

/// The model of `MODEL` or `virtual:MODEL`.
///
/// # Errors
/// When there is none, or a GPU of this machine is meant.
pub fn planned_model(given: &str) -> Result<&'static Model, CliError> {
    model(given.strip_prefix("virtual:").unwrap_or(given))
}

/// The board that `MODEL` or `virtual:MODEL` names.
///
/// # Errors
/// When there is no such model.
pub fn board(given: &str) -> Result<Board<'static>, CliError> {
    Ok(match given.strip_prefix("virtual:") {
        Some(name) => Board::virtual_gpu(model(name)?),
        None => Board::real(model(given)?),
    })
}

/// The boards that `--gpu` of `migfit simulate` names: `MODEL`, or `MODELxN` for N of them.
///
/// # Errors
/// When there is no such model, or no number of them.
pub fn boards_of_one_model(given: &str) -> Result<(Board<'static>, usize), CliError> {
    let counted = given.rsplit_once('x').and_then(|(model, count)| {
        let count: usize = count.parse().ok()?;
        (1..=MOST_GPUS).contains(&count).then_some((model, count))
    });
    match (board(given), counted) {
        (Ok(one), _) => Ok((one, 1)),
        (Err(_), Some((model, count))) => Ok((board(model)?, count)),
        (Err(error), None) => Err(error),
    }
}

/// GPUs that are simulated at most.
const MOST_GPUS: usize = 1000;

/// The boards that `--gpu` of `migfit fit` names: `MODEL`, `virtual:MODEL`, or `all` models.
///
/// # Errors
/// When there is no such model.
pub fn boards(given: &str) -> Result<Vec<Board<'static>>, CliError> {
    if given == "all" {
        let models = migfit_mig::builtin().map_err(CliError::Model)?;
        return Ok(models.iter().map(Board::real).collect());
    }
    Ok(vec![board(given)?])
}

impl fmt::Display for GpuSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuSelector::Virtual(model) => write!(f, "virtual:{}", model.name),
            GpuSelector::Real(wish) => wish.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_prints_as_it_was_read() {
        for form in [
            "virtual:a100-40gb",
            "0",
            "7",
            "GPU-5c0f",
            "auto",
            "mig:auto",
            "mig:3",
            "mig:GPU-5c0f",
        ] {
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
    fn a_model_and_a_gpu_of_this_machine_are_told_apart() {
        for given in ["0", "auto", "GPU-1", "mig:0"] {
            assert!(matches!(
                planned_model(given),
                Err(CliError::NotAModel { .. })
            ));
        }
        assert_eq!(
            planned_model("virtual:a100-40gb"),
            planned_model("a100-40gb")
        );
        let error = GpuSelector::read("a100-40gb").unwrap_err();
        let hint = crate::failure::Explain::hint(&error).unwrap();
        assert_eq!(hint, "did you mean virtual:a100-40gb?");
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
        for form in [
            "",
            "-1",
            "+1",
            "a100",
            "MIG-5c0f",
            "virtual",
            "mig:",
            "mig:virtual:a100-40gb",
            "4294967296",
        ] {
            assert!(matches!(
                GpuSelector::read(form),
                Err(CliError::BadSelector { .. })
            ));
        }
    }
}
