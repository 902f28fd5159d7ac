//! The name of a policy -> the policy.

use crate::cli::error::CliError;
use crate::cli::nearest::nearest;
use crate::policy::names::{PolicyName, STATIC};

/// The policy of this name.
///
/// # Errors
/// When there is none.
pub fn policy(given: &str) -> Result<PolicyName, CliError> {
    let names = PolicyName::ALL.map(|policy| policy.name());
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = PolicyName::ALL
        .into_iter()
        .find(|policy| policy.name() == given);
    let layout = given
        .strip_prefix(STATIC)
        .filter(|layout| !layout.is_empty());
    let found = found.or_else(|| layout.map(|layout| PolicyName::Static(layout.to_owned())));
    found.ok_or_else(|| CliError::UnknownPolicy {
        given: given.to_owned(),
        nearest: nearest(given, &known).map(str::to_owned),
        known: names.to_vec(),
    })
}
