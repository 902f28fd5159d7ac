//! A job file (TOML) -> jobs, in the file's order. Every complaint has its line and column. Knows no GPU.

use crate::cli::nearest::nearest;
use crate::jobs::Job;
use crate::jobs::memory;
use crate::jobs::toml_place::line_and_column;
use migfit_schema::units::Bytes;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Keys of one job.
const JOB_KEYS: [&str; 6] = ["name", "command", "cwd", "env", "count", "memory"];
/// Most copies of one job.
const MOST_COPIES: i64 = 10_000;

/// What is wrong with a job file.
#[derive(Debug, thiserror::Error)]
pub enum JobFileError {
    /// It cannot be read.
    #[error("cannot read the job file '{}': {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is a folder.
    #[error("the job file '{}' is a folder", .0.display())]
    Folder(PathBuf),
    /// Something in it is wrong.
    #[error("{what}")]
    Wrong {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
}

/// Reads a job file; relative folders in it start from its own.
///
/// # Errors
/// What is wrong, and where.
pub fn read(file: &Path) -> Result<Vec<Job>, JobFileError> {
    let unreadable = |source| JobFileError::Unreadable {
        file: file.to_owned(),
        source,
    };
    if file.is_dir() {
        return Err(JobFileError::Folder(file.to_owned()));
    }
    let bytes = std::fs::read(file).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| no_text(&error).placed_in(file))?;
    let absolute = file.canonicalize().map_err(unreadable)?;
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    let mut jobs = parse(&text, folder).map_err(|complaint| complaint.placed(file, &text))?;
    for job in &mut jobs {
        let place = job.stated_at.take();
        job.stated_at = place.map(|place| format!("{}:{place}", file.display()));
    }
    Ok(jobs)
}

/// A complaint about bytes that are no text, with the text before them.
struct NoText(String);

fn no_text(error: &std::string::FromUtf8Error) -> NoText {
    let good = error.utf8_error().valid_up_to();
    let before = error.as_bytes().get(..good).unwrap_or_default();
    NoText(String::from_utf8_lossy(before).into_owned())
}

impl NoText {
    fn placed_in(self, file: &Path) -> JobFileError {
        let complaint = Complaint {
            span: self.0.len()..self.0.len(),
            what: "the job file is no UTF-8 text".to_owned(),
            hint: "name a job file in TOML: migfit run -f jobs.toml".to_owned(),
        };
        complaint.placed(file, &self.0)
    }
}

/// A complaint about a part of the text.
#[derive(Debug, PartialEq, Eq)]
struct Complaint {
    span: Range<usize>,
    what: String,
    hint: String,
}

impl Complaint {
    fn placed(self, file: &Path, text: &str) -> JobFileError {
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

fn complain<T>(
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

type Value<'t> = Spanned<DeValue<'t>>;

fn parse(text: &str, folder: &Path) -> Result<Vec<Job>, Complaint> {
    let table = DeTable::parse(text).map_err(|error| Complaint {
        span: error.span().unwrap_or_default(),
        what: format!("the job file is no valid TOML: {}", error.message()),
        hint: "strings stand in quotes, a job begins with [[jobs]]".to_owned(),
    })?;
    known_keys(table.get_ref(), &["jobs"], "the job file")?;
    let Some(jobs) = table.get_ref().get("jobs") else {
        return complain(
            0..0,
            "the job file holds no jobs",
            "begin each job with [[jobs]]",
        );
    };
    let Some(list) = jobs.get_ref().as_array() else {
        return wrong_type(jobs, "jobs", "[[jobs]], once for each job");
    };
    let mut all: Vec<Job> = Vec::new();
    for entry in list.iter() {
        let Some(table) = entry.get_ref().as_table() else {
            return wrong_type(entry, "a job", "[[jobs]], then its keys");
        };
        for mut job in job(entry.span(), table, folder)? {
            job.stated_at = table.get("command").map(|command| {
                let (line, column) = line_and_column(text, command.span().start);
                format!("{line}:{column}")
            });
            if all.iter().any(|other| other.name == job.name) {
                let span = table.get("name").map_or(entry.span(), Spanned::span);
                return complain(
                    span,
                    format!("two jobs are called '{}'", job.name),
                    "give each its own name, or use count = N for copies",
                );
            }
            all.push(job);
        }
    }
    match all.is_empty() {
        true => complain(
            0..0,
            "the job file holds no jobs",
            "begin each job with [[jobs]]",
        ),
        false => Ok(all),
    }
}

fn known_keys(table: &DeTable<'_>, known: &[&str], whose: &str) -> Result<(), Complaint> {
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

/// All copies of one entry.
fn job(span: Range<usize>, table: &DeTable<'_>, folder: &Path) -> Result<Vec<Job>, Complaint> {
    known_keys(table, &JOB_KEYS, "a job")?;
    let Some(command) = table.get("command") else {
        let hint = "command = [\"./a.out\", \"4096\"]";
        return complain(span, "a job without command", hint);
    };
    let words = words(command)?;
    let cwd = match table.get("cwd") {
        Some(cwd) => existing(cwd, folder)?,
        None => folder.to_owned(),
    };
    let name = name(span, table.get("name"), &words)?;
    let command = words.into_iter().map(Into::into).collect();
    let job = Job {
        env: table.get("env").map_or(Ok(Vec::new()), env)?,
        memory: table.get("memory").map(memory_of).transpose()?,
        ..Job::new(name, command, cwd)
    };
    Ok(match table.get("count").map(count).transpose()? {
        None | Some(1) => vec![job],
        Some(copies) => (1..=copies).map(|n| numbered(&job, n)).collect(),
    })
}

/// The folder that a job runs in; it must be there.
fn existing(cwd: &Value<'_>, folder: &Path) -> Result<PathBuf, Complaint> {
    let given = text(cwd, "cwd", "a folder in quotes")?;
    let full = folder.join(given);
    if full.is_dir() {
        return Ok(full);
    }
    let what = match full.exists() {
        true => format!("cwd = '{given}' is no folder"),
        false => format!("cwd: there is no folder '{given}'"),
    };
    let from = folder.display();
    complain(
        cwd.span(),
        what,
        format!("make it, or correct it; relative folders start from {from}"),
    )
}

fn numbered(job: &Job, n: i64) -> Job {
    Job {
        name: format!("{}#{n}", job.name),
        ..job.clone()
    }
}

fn words(command: &Value<'_>) -> Result<Vec<String>, Complaint> {
    const HOW: &str = "an array of words, or one string: [\"./a.out\", \"4096\"]";
    let words = match command.get_ref() {
        DeValue::Array(list) => {
            let words = list.iter().map(|word| text(word, "a word of command", HOW));
            words
                .map(|word| word.map(str::to_owned))
                .collect::<Result<Vec<_>, _>>()?
        }
        DeValue::String(line) => match shlex::split(line) {
            Some(words) => words,
            None => {
                return complain(
                    command.span(),
                    "command has a quote that is never closed",
                    HOW,
                );
            }
        },
        _ => return wrong_type(command, "command", HOW),
    };
    if words.first().is_none_or(String::is_empty) {
        return complain(command.span(), "command names no program", HOW);
    }
    if words.iter().any(|word| word.contains('\0')) {
        return complain(command.span(), "command holds a zero byte", HOW);
    }
    Ok(words)
}

/// The name of a job becomes a folder's.
fn name(
    span: Range<usize>,
    given: Option<&Value<'_>>,
    words: &[String],
) -> Result<String, Complaint> {
    let (span, name) = match given {
        Some(value) => (value.span(), text(value, "name", "a word in quotes")?),
        None => {
            let program = words
                .first()
                .map_or("", |word| word.rsplit('/').next().unwrap_or(word));
            (span, program)
        }
    };
    let bad = name.is_empty() || name.starts_with('.') || name.len() > 200;
    if bad || name.chars().any(|c| c == '/' || c == '#' || c.is_control()) {
        let what = format!("'{}' cannot be a job's name", name.escape_debug());
        return complain(
            span,
            what,
            "letters, digits, spaces and -_.+: no slash, no #, no dot in front, at most 200",
        );
    }
    Ok(name.to_owned())
}

fn env(value: &Value<'_>) -> Result<Vec<(String, String)>, Complaint> {
    const HOW: &str = "env = { OMP_NUM_THREADS = \"4\" }";
    let Some(table) = value.get_ref().as_table() else {
        return wrong_type(value, "env", HOW);
    };
    let mut all = Vec::new();
    for (key, value) in table.iter() {
        let key_text = key.get_ref().as_ref();
        let value_text = text(value, "a variable of env", HOW)?;
        if key_text.is_empty() || key_text.contains(['=', '\0']) || value_text.contains('\0') {
            return complain(
                key.span(),
                "no environment variable can be called or hold that",
                HOW,
            );
        }
        all.push((key_text.to_owned(), value_text.to_owned()));
    }
    Ok(all)
}

fn count(value: &Value<'_>) -> Result<i64, Complaint> {
    const HOW: &str = "a number from 1 to 10000";
    match (integer(value), value.get_ref().as_integer()) {
        (Some(number), _) if (1..=MOST_COPIES).contains(&number) => Ok(number),
        (Some(number), _) => complain(value.span(), format!("count = {number}"), HOW),
        (None, Some(written)) => {
            complain(value.span(), format!("count = {}", written.as_str()), HOW)
        }
        (None, None) => wrong_type(value, "count", HOW),
    }
}

fn memory_of(value: &Value<'_>) -> Result<Bytes, Complaint> {
    let written = match value.get_ref() {
        DeValue::String(written) => written.to_string(),
        DeValue::Integer(written) => match integer(value) {
            Some(number) => number.to_string(),
            None => written.as_str().to_owned(),
        },
        _ => {
            return wrong_type(
                value,
                "memory",
                "\"6 GiB\", \"512 MiB\", or a number of bytes",
            );
        }
    };
    memory::read(&written).or_else(|hint| {
        let what = format!("memory = {written} is no amount of memory");
        complain(value.span(), what, hint)
    })
}

fn integer(value: &Value<'_>) -> Option<i64> {
    let integer = value.get_ref().as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn text<'v>(value: &'v Value<'_>, what: &str, how: &str) -> Result<&'v str, Complaint> {
    match value.get_ref().as_str() {
        Some(text) => Ok(text),
        None => wrong_type(value, what, how),
    }
}

fn wrong_type<T>(value: &Value<'_>, what: &str, how: &str) -> Result<T, Complaint> {
    let found = value.get_ref().type_str();
    complain(
        value.span(),
        format!("{what} is of type {found}"),
        format!("write {how}"),
    )
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
