//! The built-in models: names in, models out, with a suggestion where a name is nearly one.
//! The data lies inside the library; no file is read at run time.

use crate::model::{self, Model};
use serde::Deserialize;
use std::sync::LazyLock;

/// Why there is no such model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody knows this name.
    #[error("unknown GPU model `{name}`: {}", suggestion_text(.suggestion.as_deref(), .known))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The name most like it.
        suggestion: Option<String>,
        /// All names.
        known: Vec<String>,
    },
    /// The GPU offers MIG but what is known of it is not enough for a model.
    #[error(
        "no built-in model of {name}: {why}; on a machine with that GPU its driver is asked instead"
    )]
    Incomplete {
        /// The GPU.
        name: String,
        /// What is not known.
        why: String,
    },
    /// A file of the library itself is wrong.
    #[error("built-in model {file} is broken: {why}; please report it")]
    Broken {
        /// File name.
        file: String,
        /// What is wrong.
        why: String,
    },
}

fn suggestion_text(suggestion: Option<&str>, known: &[String]) -> String {
    match suggestion {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// A GPU with MIG that has no model, and why.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncompleteGpu {
    /// Our name for it.
    pub name: String,
    /// Names of its boards as the driver tells them.
    pub boards: Vec<String>,
    /// What is not known.
    pub why: String,
    /// Where its name comes from.
    pub source: String,
}

macro_rules! model_files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../models/", $name))),)*]
    };
}

const FILES: &[(&str, &str)] = model_files![
    "a30-24gb.toml",
    "a100-40gb.toml",
    "a100-80gb.toml",
    "a800-80gb.toml",
    "h100-80gb-sxm.toml",
    "h100-80gb-pcie.toml",
    "h100-94gb-nvl.toml",
    "h20-96gb.toml",
    "gh200-96gb.toml",
    "h200-141gb-sxm.toml",
    "h200-141gb-nvl.toml",
    "b200-180gb.toml",
    "gb200-186gb.toml",
    "b300-269gb.toml",
    "gb300-278gb.toml",
    "rtx-pro-6000-96gb.toml",
];

const INCOMPLETE: &str = include_str!("../models/incomplete.toml");

static MODELS: LazyLock<Result<Vec<Model>, ModelError>> = LazyLock::new(|| {
    let parse = |&(file, text): &(&str, &str)| model::parse(text).map_err(|why| broken(file, why));
    FILES.iter().map(parse).collect()
});

fn broken(file: &str, why: String) -> ModelError {
    ModelError::Broken {
        file: file.to_owned(),
        why,
    }
}

/// All built-in models, oldest architecture first.
///
/// # Errors
/// `Broken`, which a test of this crate rules out.
pub fn builtin() -> Result<&'static [Model], ModelError> {
    MODELS.as_deref().map_err(Clone::clone)
}

/// GPUs that offer MIG but are no built-in model.
///
/// # Errors
/// `Broken`, which a test of this crate rules out.
pub fn incomplete() -> Result<Vec<IncompleteGpu>, ModelError> {
    #[derive(Deserialize)]
    struct File {
        gpu: Vec<IncompleteGpu>,
    }
    let file: Result<File, _> = toml::from_str(INCOMPLETE);
    file.map(|f| f.gpu)
        .map_err(|e| broken("incomplete.toml", e.to_string()))
}

/// The model of this name, of this alias, or of this board as the driver names it; case does not matter.
///
/// # Errors
/// `Unknown` with the nearest name, or `Incomplete` with what is missing.
pub fn find(name: &str) -> Result<&'static Model, ModelError> {
    let models = builtin()?;
    if let Some(model) = models.iter().find(|m| answers_to(m, name)) {
        return Ok(model);
    }
    let same = |other: &String| other.eq_ignore_ascii_case(name.trim());
    if let Some(gpu) = incomplete()?
        .into_iter()
        .find(|g| same(&g.name) || g.boards.iter().any(same))
    {
        return Err(ModelError::Incomplete {
            name: gpu.name,
            why: gpu.why,
        });
    }
    Err(ModelError::Unknown {
        name: name.to_owned(),
        suggestion: nearest(models, name),
        known: models.iter().map(|m| m.name.clone()).collect(),
    })
}

fn names(model: &Model) -> impl Iterator<Item = &String> {
    std::iter::once(&model.name)
        .chain(&model.aliases)
        .chain(&model.boards)
}

fn answers_to(model: &Model, name: &str) -> bool {
    names(model).any(|n| n.eq_ignore_ascii_case(name.trim()))
}

/// The most similar name, if any is similar at all. A shared beginning counts: `a100` is near `a100-40gb`.
fn nearest(models: &[Model], name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase();
    let score = |other: &str| strsim::jaro_winkler(&name, &other.to_ascii_lowercase());
    let scored = models.iter().flat_map(|m| {
        let best = names(m).map(|n| score(n)).fold(0.0, f64::max);
        std::iter::once((best, &m.name))
    });
    let (best, name) = scored.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    (best >= 0.75).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_model_and_every_name_is_told_apart() {
        let models = builtin().unwrap();
        assert_eq!(models.len(), 16);
        let mut all: Vec<String> = models
            .iter()
            .flat_map(names)
            .map(|n| n.to_ascii_lowercase())
            .chain(incomplete().unwrap().into_iter().map(|g| g.name))
            .collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "a name stands twice: {all:?}");
    }

    #[test]
    fn a_model_is_found_by_name_alias_and_board_in_any_case() {
        for name in [
            "a100-40gb",
            "A100-40GB",
            " a100-sxm4-40gb",
            "NVIDIA A100-SXM4-40GB",
        ] {
            assert_eq!(find(name).unwrap().name, "a100-40gb");
        }
        assert_eq!(find("H100-80GB").unwrap().name, "h100-80gb-sxm");
    }

    #[test]
    fn a_mistyped_name_gets_a_suggestion_and_a_strange_one_the_list() {
        let near = find("a100-4gb").unwrap_err().to_string();
        assert_eq!(
            near,
            "unknown GPU model `a100-4gb`: did you mean `a100-40gb`?"
        );
        let far = find("zzz").unwrap_err().to_string();
        assert!(far.contains("known are a30-24gb, a100-40gb"), "{far}");
    }

    #[test]
    fn a_gpu_without_enough_data_says_what_is_missing() {
        let error = find("a800-40gb").unwrap_err().to_string();
        assert!(error.contains("total memory"), "{error}");
        assert_eq!(incomplete().unwrap().len() + builtin().unwrap().len(), 27);
    }

    #[test]
    fn derived_sizes_are_marked() {
        use crate::model::MemorySource::{Derived, Read};
        let from = |gpu: &str, name: &str| {
            let name = name.parse().unwrap();
            find(gpu).unwrap().profile(name).unwrap().memory_from
        };
        assert_eq!(from("a100-40gb", "1g.5gb"), Read);
        assert_eq!(from("b300", "1g.34gb"), Derived);
    }
}
