//! Commands, one a line, split into words as a shell does -> jobs. No shell reads them: pipes and the like are refused.

use crate::jobs::complaint::{Complaint, complain};
use crate::jobs::entry::MOST_JOBS;
use crate::jobs::toml_place::line_and_column;
use crate::jobs::{Job, names};
use std::ops::Range;
use std::path::Path;

/// Words that only a shell understands.
const SHELL_WORDS: [&str; 12] = [
    "|", "||", "&", "&&", ";", "<", "<<", ">", ">>", "2>", "2>&1", "&>",
];

/// Whether the text is a job file and no list of commands: it begins, after comments, with a table of tables, and no
/// program is called so.
pub(super) fn is_job_file(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.starts_with("[["))
}

/// Reads the jobs; each runs in `folder`.
pub(super) fn parse(text: &str, folder: &Path) -> Result<Vec<Job>, Complaint> {
    const HOW: &str = "write one command a line: ./lud -s 1024";
    let mut jobs = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset + line.len() - line.trim_start().len();
        offset += line.len();
        let span = start..offset;
        let Some(words) = words(line.trim(), &span)? else {
            continue;
        };
        if jobs.len() == MOST_JOBS {
            return complain(
                span,
                format!("more than {MOST_JOBS} jobs"),
                "give fewer lines at once",
            );
        }
        let (row, column) = line_and_column(text, start);
        let mut job = job(words, folder, &span)?;
        job.stated_at = Some(format!("{row}:{column}"));
        jobs.push(job);
    }
    if jobs.is_empty() {
        return complain(0..0, "standard input holds no command", HOW);
    }
    names::number(jobs.iter_mut().map(|job: &mut Job| &mut job.name));
    Ok(jobs)
}

/// The words of a line; none where it says nothing.
fn words(line: &str, span: &Range<usize>) -> Result<Option<Vec<String>>, Complaint> {
    if line.contains('\0') {
        return complain(span.clone(), "the line holds a zero byte", "write text");
    }
    let Some(words) = shlex::split(line) else {
        let what = "a quote is never closed, or the line ends in a backslash";
        return complain(
            span.clone(),
            what,
            "each command stands on one line of its own",
        );
    };
    let foreign = words
        .iter()
        .find(|word| SHELL_WORDS.contains(&word.as_str()));
    match foreign {
        Some(word) => complain(
            span.clone(),
            format!("'{word}' stands in the line, and no shell reads it"),
            "output is kept for each job; put the command into a script, or such a word into a job file",
        ),
        None => Ok(Some(words).filter(|words| !words.is_empty())),
    }
}

/// A job of these words; assignments in front are variables, as in a shell.
fn job(words: Vec<String>, folder: &Path, span: &Range<usize>) -> Result<Job, Complaint> {
    let mut env = Vec::new();
    let mut words = words.into_iter().peekable();
    while let Some(variable) = words.next_if(|word| is_assignment(word)) {
        let (name, value) = variable.split_once('=').unwrap_or((&variable, ""));
        env.push((name.to_owned(), value.to_owned()));
    }
    let command: Vec<String> = words.collect();
    let program = command.first().map_or("", String::as_str);
    if program.is_empty() {
        return complain(
            span.clone(),
            "the line names no program",
            "write ./lud -s 1024",
        );
    }
    let name = names::part(names::of_program(program));
    names::check(&name, span.clone())?;
    let command = command.into_iter().map(Into::into).collect();
    Ok(Job {
        env,
        ..Job::new(name, command, folder.to_owned())
    })
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
