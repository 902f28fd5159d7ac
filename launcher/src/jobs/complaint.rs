//! A complaint about a part of a job file's text, and the small questions to TOML values that lead to one. Knows no key.

use crate::cli::nearest::nearest;
use crate::jobs::JobFileError;
use crate::jobs::toml_place::line_and_column;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// A complaint about a part of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// Which part, in bytes.
    pub span: Range<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

impl Complaint {
    /// The same with the file, line and column.
    pub fn placed(self, file: &Path, text: &str) -> JobFileError {
        let (line, column) = line_and_column(text, self.span.start);
        JobFileError::Wrong {
            file: file.to_owned(),
            line,
            column,
            what: self.what,
            hint: self.hint,
        }
    }
}

/// A complaint as a result.
pub(super) fn complain<T>(
    span: Range<usize>,
    what: impl Into<String>,
    hint: impl Into<String>,
) -> Result<T, Complaint> {
    Err(Complaint {
        span,
        what: what.into(),
        hint: hint.into(),
    })
}

/// A value of a type that its key does not take.
pub(super) fn wrong_type<T>(value: &Value<'_>, what: &str, how: &str) -> Result<T, Complaint> {
    let found = value.get_ref().type_str();
    complain(
        value.span(),
        format!("{what} is of type {found}"),
        format!("write {how}"),
    )
}

/// Refuses keys that are not among the known.
pub(super) fn known_keys(
    table: &DeTable<'_>,
    known: &[&str],
    whose: &str,
) -> Result<(), Complaint> {
    let foreign = table
        .iter()
        .find(|(key, _)| !known.contains(&key.get_ref().as_ref()));
    let Some((key, _)) = foreign else {
        return Ok(());
    };
    let name = key.get_ref().as_ref();
    let hint = match nearest(name, known) {
        Some(meant) => format!("did you mean '{meant}'? keys: {}", known.join(" ")),
        None => format!("keys: {}", known.join(" ")),
    };
    complain(key.span(), format!("{whose} has no key '{name}'"), hint)
}

/// The value as text.
pub(super) fn text<'v>(value: &'v Value<'_>, what: &str, how: &str) -> Result<&'v str, Complaint> {
    match value.get_ref().as_str() {
        Some(text) => Ok(text),
        None => wrong_type(value, what, how),
    }
}

/// The value as a whole number, where it is one that 64 bits hold.
pub(super) fn integer(value: &Value<'_>) -> Option<i64> {
    let integer = value.get_ref().as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A whole number from `least` to `most`.
pub(super) fn number(
    value: &Value<'_>,
    key: &str,
    (least, most): (i64, i64),
) -> Result<i64, Complaint> {
    let how = format!("a number from {least} to {most}");
    match (integer(value), value.get_ref().as_integer()) {
        (Some(number), _) if (least..=most).contains(&number) => Ok(number),
        (Some(number), _) => complain(value.span(), format!("{key} = {number}"), how),
        (None, Some(written)) => {
            let written = written.as_str();
            complain(value.span(), format!("{key} = {written}"), how)
        }
        (None, None) => wrong_type(value, key, &how),
    }
}
