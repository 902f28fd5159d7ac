//! Names of jobs, which are also those of their folders of results: what a name may be, what a matrix adds to it, and
//! numbers where several jobs would be called the same.

use crate::jobs::complaint::{Complaint, complain};
use std::collections::HashMap;
use std::ops::Range;

/// Longest name in bytes; a number may follow.
const LONGEST: usize = 200;

/// The name that a program gives its job.
pub(super) fn of_program(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Refuses what cannot be a folder's name, or would look like one of ours.
pub(super) fn check(name: &str, span: Range<usize>) -> Result<(), Complaint> {
    let bad = name.is_empty() || name.starts_with('.') || name.len() > LONGEST;
    if !bad && name.chars().all(fits_a_folder) {
        return Ok(());
    }
    let shown: String = name.chars().take(LONGEST).collect();
    complain(
        span,
        format!("'{}' cannot be a job's name", shown.escape_debug()),
        "letters, digits, spaces and -_.+: no slash, no #, no dot in front, at most 200",
    )
}

fn fits_a_folder(c: char) -> bool {
    c != '/' && c != '#' && !c.is_control()
}

/// A value as a part of a name.
pub(super) fn part(value: &str) -> String {
    value
        .chars()
        .map(|c| if fits_a_folder(c) { c } else { '_' })
        .collect()
}

/// Appends a number to each of several equal names: `a#1 a#2`.
pub(super) fn number<'n>(names: impl Iterator<Item = &'n mut String>) {
    let mut names: Vec<&mut String> = names.collect();
    let mut several: HashMap<String, (usize, usize)> = HashMap::new();
    for name in &names {
        several.entry((**name).clone()).or_default().0 += 1;
    }
    for name in &mut names {
        let Some((of, number)) = several.get_mut(*name) else {
            continue;
        };
        if *of > 1 {
            *number += 1;
            **name = format!("{name}#{number}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_equal_names_are_numbered() {
        let mut names = ["a", "b", "a"].map(str::to_owned);
        number(names.iter_mut());
        assert_eq!(names, ["a#1", "b", "a#2"]);
    }

    #[test]
    fn what_no_folder_can_be_called_is_refused() {
        for name in ["", ".a", "a/b", "a#1", "a\n", &"a".repeat(201)] {
            assert!(check(name, 0..0).is_err(), "{name:?}");
        }
        assert!(check(&part("a/b#c"), 0..0).is_ok());
    }
}
