//! MIG profiles of a model as users list them: by size (`1g`) or in full (`1g.10gb`).

use crate::cli::error::CliError;
use migfit_mig::{Model, ProfileName};

/// The MIG profiles that a list names; an empty list names one per size, as `1g,2g,...` would.
///
/// # Errors
/// When the model lacks one.
pub fn read(model: &Model, given: &[String]) -> Result<Vec<ProfileName>, CliError> {
    if given.is_empty() {
        return Ok(model.basic_profiles());
    }
    given.iter().map(|name| one(model, name.trim())).collect()
}

fn one(model: &Model, given: &str) -> Result<ProfileName, CliError> {
    let by_size = |name: &ProfileName| format!("{}g", name.slices) == given;
    let size = model.basic_profiles().into_iter().find(by_size);
    let known = model.all_profiles();
    let full = || known.iter().copied().find(|name| name.to_string() == given);
    size.or_else(full)
        .ok_or_else(|| CliError::UnknownMigProfile {
            given: given.to_owned(),
            model: model.name.clone(),
            known: known.iter().map(ToString::to_string).collect(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(given: &[&str]) -> Result<Vec<String>, CliError> {
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        let read = read(migfit_mig::find("a100-40gb").unwrap(), &given)?;
        Ok(read.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn sizes_and_full_names_are_read() {
        assert_eq!(names(&["1g", "3g"]).unwrap(), ["1g.5gb", "3g.20gb"]);
        assert_eq!(
            names(&["1g.10gb", " 1g.5gb+me"]).unwrap(),
            ["1g.10gb", "1g.5gb+me"]
        );
        assert_eq!(names(&[]).unwrap().len(), 5);
    }

    #[test]
    fn what_the_model_lacks_is_refused_by_name() {
        let error = names(&["5g"]).unwrap_err().to_string();
        assert_eq!(error, "a100-40gb has no MIG profile '5g'");
        assert!(names(&["1g.24gb"]).is_err());
        assert!(names(&[""]).is_err());
    }
}
