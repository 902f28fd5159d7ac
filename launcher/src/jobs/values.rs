//! What the plain keys of a job may hold: command, env, cwd, amounts and times. One value in, what it says or a complaint
//! out. Knows no other key.

use crate::cli::nearest::nearest;
use crate::jobs::complaint::{Complaint, Value, complain, integer, text, wrong_type};
use crate::jobs::job::Restart;
use crate::jobs::{duration, memory};
use migfit_schema::units::Bytes;
use migfit_sizes::assumed::Given;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::de::DeValue;

/// A text and where it stands.
pub(super) type Placed = (String, Range<usize>);

/// The words of a command; the first is not empty.
pub(super) fn words(command: &Value<'_>) -> Result<Vec<Placed>, Complaint> {
    const HOW: &str = "an array of words, or one string: [\"./a.out\", \"4096\"]";
    let words = match command.get_ref() {
        DeValue::Array(list) => {
            let words = list.iter().map(|word| {
                let text = text(word, "a word of command", HOW)?;
                Ok((text.to_owned(), word.span()))
            });
            words.collect::<Result<Vec<Placed>, Complaint>>()?
        }
        DeValue::String(line) => match shlex::split(line) {
            Some(words) => words.into_iter().map(|w| (w, command.span())).collect(),
            None => {
                let what = "command has a quote that is never closed";
                return complain(command.span(), what, HOW);
            }
        },
        _ => return wrong_type(command, "command", HOW),
    };
    if words.first().is_none_or(|(word, _)| word.is_empty()) {
        return complain(command.span(), "command names no program", HOW);
    }
    if words.iter().any(|(word, _)| word.contains('\0')) {
        return complain(command.span(), "command holds a zero byte", HOW);
    }
    Ok(words)
}

/// Variables with their values.
pub(super) fn env(value: &Value<'_>) -> Result<Vec<(String, Placed)>, Complaint> {
    const HOW: &str = "env = { OMP_NUM_THREADS = \"4\" }";
    let Some(table) = value.get_ref().as_table() else {
        return wrong_type(value, "env", HOW);
    };
    let mut all = Vec::new();
    for (key, value) in table.iter() {
        let name = key.get_ref().as_ref();
        let text = text(value, "a variable of env", HOW)?;
        if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
            let what = "no environment variable can be called or hold that";
            return complain(key.span(), what, HOW);
        }
        all.push((name.to_owned(), (text.to_owned(), value.span())));
    }
    Ok(all)
}

/// One text or a list of them.
pub(super) fn texts(value: &Value<'_>, key: &str, how: &str) -> Result<Vec<Placed>, Complaint> {
    let one = |value: &Value<'_>| Ok((text(value, key, how)?.to_owned(), value.span()));
    match value.get_ref().as_array() {
        Some(list) => list.iter().map(one).collect(),
        None => Ok(vec![one(value)?]),
    }
}

/// The folder that a job runs in; it must be there.
pub(super) fn folder(given: &str, span: Range<usize>, from: &Path) -> Result<PathBuf, Complaint> {
    let full = from.join(given);
    if full.is_dir() {
        return Ok(full);
    }
    let what = match full.exists() {
        true => format!("cwd = '{given}' is no folder"),
        false => format!("cwd: there is no folder '{given}'"),
    };
    let from = from.display();
    let hint = format!("make it, or correct it; relative folders start from {from}");
    complain(span, what, hint)
}

/// An amount of memory, for this key.
pub(super) fn amount(value: &Value<'_>, key: &str) -> Result<Bytes, Complaint> {
    let written = match value.get_ref() {
        DeValue::String(written) => written.to_string(),
        DeValue::Integer(written) => match integer(value) {
            Some(number) => number.to_string(),
            None => written.as_str().to_owned(),
        },
        _ => {
            let how = "\"6 GiB\", \"512 MiB\", or a number of bytes";
            return wrong_type(value, key, how);
        }
    };
    memory::read(&written).or_else(|hint| {
        let what = format!("{key} = {written} is no amount of memory");
        complain(value.span(), what, hint)
    })
}

/// What the user says of what cannot be known before the run.
pub(super) fn assume(value: &Value<'_>) -> Result<Vec<Given>, Complaint> {
    const HOW: &str = "assume = [\"n=4096\", \"main.cu:57=64MiB\"]";
    let all = texts(value, "assume", HOW)?;
    let read = |(text, span): Placed| {
        Given::parse(&text).or_else(|why| complain(span, format!("assume = '{text}'"), why))
    };
    all.into_iter().map(read).collect()
}

/// A length of time above 0.
pub(super) fn length_of_time(value: &Value<'_>, key: &str) -> Result<Duration, Complaint> {
    let written = match value.get_ref() {
        DeValue::String(written) => written.to_string(),
        DeValue::Integer(written) => written.as_str().to_owned(),
        DeValue::Float(written) => written.as_str().to_owned(),
        _ => return wrong_type(value, key, "\"90 s\", \"15 min\" or \"2 h\""),
    };
    duration::read(&written).or_else(|hint| {
        let what = format!("{key} = {written} is no length of time");
        complain(value.span(), what, hint)
    })
}

/// When a job may be started again.
pub(super) fn restart(value: &Value<'_>) -> Result<Restart, Complaint> {
    const ALL: [(&str, Restart); 3] = [
        ("never", Restart::Never),
        ("oom", Restart::Oom),
        ("early", Restart::Early),
    ];
    const HOW: &str =
        "\"never\", \"oom\" (out of memory, the default) or \"early\" (also before that)";
    let given = text(value, "restart", HOW)?;
    if let Some((_, restart)) = ALL.iter().find(|(name, _)| *name == given) {
        return Ok(*restart);
    }
    let hint = match nearest(given, &ALL.map(|(name, _)| name)) {
        Some(meant) => format!("did you mean '{meant}'? write {HOW}"),
        None => format!("write {HOW}"),
    };
    complain(value.span(), format!("restart = '{given}'"), hint)
}
