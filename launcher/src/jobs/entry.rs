//! One `[[jobs]]` of a job file -> its jobs: every point of its matrix, so many copies of each. Knows no other entry.

use crate::jobs::complaint::{Complaint, Value, complain, known_keys, number, text};
use crate::jobs::matrix::{Matrix, Point};
use crate::jobs::template::Template;
use crate::jobs::{Commands, Job, names, times, values};
use migfit_schema::units::Bytes;
use std::ops::Range;
use std::path::Path;
use toml::de::DeTable;

/// Keys of one job.
const KEYS: [&str; 16] = [
    "name",
    "command",
    "cwd",
    "env",
    "count",
    "matrix",
    "after",
    "memory",
    "assume",
    "restart",
    "cpus",
    "host_memory",
    "time_limit",
    "times",
    "iterations",
    "arrives",
];

/// Most jobs of one file.
pub(super) const MOST_JOBS: usize = 10_000;

/// Most bytes that the commands of all jobs may have together.
const MOST_TEXT: usize = 64 << 20;

/// Names of jobs, with their places in the text.
pub(super) type Names = Vec<values::Placed>;

/// The jobs of one entry.
pub(super) struct Entry {
    /// What they are called together: the name as it is written.
    pub base: String,
    /// Each with the names that it comes after.
    pub jobs: Vec<(Job, Names)>,
}

/// What is still free of the limits that all entries share.
pub(super) struct Room {
    /// Jobs.
    pub jobs: usize,
    /// Bytes of text.
    pub text: usize,
}

impl Room {
    /// Of a whole file.
    pub fn new() -> Room {
        Room {
            jobs: MOST_JOBS,
            text: MOST_TEXT,
        }
    }

    fn take(&mut self, jobs: usize, text: usize, span: Range<usize>) -> Result<(), Complaint> {
        let text = text.saturating_mul(jobs);
        if jobs > self.jobs {
            let what = format!("more than {MOST_JOBS} jobs in one job file");
            return complain(
                span,
                what,
                "make count and matrix smaller, or several job files",
            );
        }
        if text > self.text {
            let what = format!(
                "the commands of all jobs take more than {}",
                Bytes(MOST_TEXT as u64)
            );
            return complain(span, what, "shorter commands, or fewer jobs");
        }
        self.jobs -= jobs;
        self.text -= text;
        Ok(())
    }
}

/// Texts that the matrix fills.
struct Templates {
    command: Vec<Template>,
    name: Template,
    name_is_given: bool,
    cwd: Option<Template>,
    env: Vec<(String, Template)>,
    after: Vec<Template>,
}

impl Templates {
    fn all(&self) -> impl Iterator<Item = &Template> {
        let env = self.env.iter().map(|(_, value)| value);
        let rest = self.command.iter().chain(&self.cwd).chain(&self.after);
        rest.chain(env).chain(std::iter::once(&self.name))
    }

    fn size(&self, matrix: &Matrix, point: &Point) -> usize {
        let sizes = self.all().map(|template| template.size(matrix, point));
        sizes.fold(0, usize::saturating_add)
    }
}

/// Reads one entry.
pub(super) fn read(
    span: Range<usize>,
    table: &DeTable<'_>,
    folder: &Path,
    commands: Commands,
    room: &mut Room,
) -> Result<Entry, Complaint> {
    known_keys(table, &KEYS, "a job")?;
    let matrix = match table.get("matrix") {
        Some(matrix) => Matrix::read(matrix)?,
        None => Matrix::default(),
    };
    let templates = templates(&span, table, &matrix, commands)?;
    every_axis_is_used(&matrix, &templates)?;
    let stated = stated(table, folder)?;
    let copies = table
        .get("count")
        .map(|v| number(v, "count", (1, MOST_JOBS as i64)));
    let copies = usize::try_from(copies.transpose()?.unwrap_or(1)).unwrap_or(1);
    let several = table.get("matrix").or(table.get("count")).map(Value::span);
    let several = several.unwrap_or(span);
    if matrix.size().saturating_mul(copies) > room.jobs {
        room.take(usize::MAX, 0, several.clone())?;
    }
    let mut jobs = Vec::new();
    for point in matrix.points() {
        room.take(copies, templates.size(&matrix, &point), several.clone())?;
        let job = at(&stated, &templates, &matrix, &point, folder)?;
        jobs.extend(std::iter::repeat_n(job, copies));
    }
    names::number(jobs.iter_mut().map(|(job, _)| &mut job.name));
    let base = templates.name.written;
    Ok(Entry { base, jobs })
}

fn templates(
    span: &Range<usize>,
    table: &DeTable<'_>,
    matrix: &Matrix,
    commands: Commands,
) -> Result<Templates, Complaint> {
    let fill = |(text, span): values::Placed| Template::new(&text, span, matrix);
    let words = command(span, table, commands)?;
    let program = words
        .first()
        .map(|(word, _)| names::of_program(word).to_owned());
    let program = program.unwrap_or_default();
    let command = words.into_iter().map(fill).collect::<Result<_, _>>()?;
    let (name, name_is_given) = match table.get("name") {
        Some(value) => (
            (text(value, "name", "a word in quotes")?, value.span()),
            true,
        ),
        None => ((program.as_str(), span.clone()), false),
    };
    let cwd = table.get("cwd").map(|value| {
        let given = text(value, "cwd", "a folder in quotes")?;
        Template::new(given, value.span(), matrix)
    });
    let env = table.get("env").map_or(Ok(Vec::new()), values::env)?;
    let env = env
        .into_iter()
        .map(|(name, value)| Ok((name, fill(value)?)));
    let how = "after = \"name\", or [\"one\", \"two\"]";
    let after = table.get("after").map(|v| values::texts(v, "after", how));
    let after = after.transpose()?.unwrap_or_default();
    Ok(Templates {
        name: Template::new(name.0, name.1, matrix)?,
        name_is_given,
        cwd: cwd.transpose()?,
        env: env.collect::<Result<_, Complaint>>()?,
        after: after.into_iter().map(fill).collect::<Result<_, _>>()?,
        command,
    })
}

/// The words of the command; none where nothing will be started and the times are known.
fn command(
    span: &Range<usize>,
    table: &DeTable<'_>,
    commands: Commands,
) -> Result<Names, Complaint> {
    let hint = "command = [\"./a.out\", \"4096\"]";
    match (table.get("command"), table.get("times"), commands) {
        (Some(command), _, _) => values::words(command),
        (None, Some(_), Commands::Optional) if table.get("name").is_some() => Ok(Vec::new()),
        (None, Some(_), Commands::Optional) => {
            let hint = "name = \"bert-2\", or a command that names it";
            complain(span.clone(), "a job without name and command", hint)
        }
        (None, Some(_), Commands::Needed) => complain(
            span.clone(),
            "a job without command",
            format!("{hint}; only migfit simulate and migfit run --plan do without one"),
        ),
        (None, None, _) => complain(span.clone(), "a job without command", hint),
    }
}

/// An axis that changes nothing is a slip.
fn every_axis_is_used(matrix: &Matrix, templates: &Templates) -> Result<(), Complaint> {
    for (number, axis) in matrix.axes.iter().enumerate() {
        if !templates.all().any(|template| template.names(number)) {
            let name = &axis.name;
            let hint = format!(
                "write {{{name}}} in command, name, cwd or env; count = N only repeats a job"
            );
            return complain(
                axis.span.clone(),
                format!("{{{name}}} stands nowhere in this job"),
                hint,
            );
        }
    }
    Ok(())
}

/// What is the same at every point.
fn stated(table: &DeTable<'_>, folder: &Path) -> Result<Job, Complaint> {
    let most = i64::from(u32::MAX);
    let iterations = table
        .get("iterations")
        .map(|v| number(v, "iterations", (1, most)));
    let iterations = iterations.transpose()?.and_then(|n| u64::try_from(n).ok());
    let cpus = table.get("cpus").map(|v| number(v, "cpus", (1, 65_536)));
    let cpus = cpus.transpose()?.and_then(|n| u32::try_from(n).ok());
    let memory = |key| table.get(key).map(|v| values::amount(v, key)).transpose();
    let assume = table.get("assume").map(values::assume);
    let times = table.get("times").map(|v| times::read(v, iterations));
    let restart = table.get("restart").map(values::restart);
    let time_limit = table.get("time_limit");
    let time_limit = time_limit.map(|v| values::length_of_time(v, "time_limit"));
    let arrives = table.get("arrives");
    let arrives = arrives.map(|v| values::length_of_time(v, "arrives"));
    Ok(Job {
        memory: memory("memory")?,
        assume: assume.transpose()?.unwrap_or_default(),
        host_memory: memory("host_memory")?,
        restart: restart.transpose()?.unwrap_or_default(),
        cpus: cpus.unwrap_or(1),
        time_limit: time_limit.transpose()?,
        arrives: arrives.transpose()?.unwrap_or_default(),
        times: times.transpose()?.unwrap_or_default(),
        iterations,
        ..Job::new(String::new(), Vec::new(), folder.to_owned())
    })
}

/// The job at one point of the matrix.
fn at(
    stated: &Job,
    templates: &Templates,
    matrix: &Matrix,
    point: &Point,
    folder: &Path,
) -> Result<(Job, Names), Complaint> {
    let fill = |template: &Template| template.filled(matrix, point);
    let command: Vec<String> = templates.command.iter().map(fill).collect();
    if let (Some(program), Some(word)) = (command.first(), templates.command.first())
        && program.is_empty()
    {
        let hint = "leave the empty value out of the matrix";
        return complain(word.span.clone(), "command names no program", hint);
    }
    let cwd = match &templates.cwd {
        Some(cwd) => values::folder(&fill(cwd), cwd.span.clone(), folder)?,
        None => folder.to_owned(),
    };
    let name = name(templates, &command, matrix, point);
    names::check(&name, templates.name.span.clone())?;
    let env = templates.env.iter();
    let after = templates.after.iter();
    let after = after.map(|name| (name.filled_for_a_name(matrix, point), name.span.clone()));
    let job = Job {
        name,
        command: command.into_iter().map(Into::into).collect(),
        cwd,
        env: env
            .map(|(name, value)| (name.clone(), fill(value)))
            .collect(),
        ..stated.clone()
    };
    Ok((job, after.collect()))
}

/// The name as written or the program's, with the values of the axes that it does not show.
fn name(templates: &Templates, command: &[String], matrix: &Matrix, point: &Point) -> String {
    let mut name = match templates.name_is_given {
        true => templates.name.filled_for_a_name(matrix, point),
        false => names::part(names::of_program(
            command.first().map_or("", String::as_str),
        )),
    };
    for axis in (0..matrix.axes.len()).filter(|&axis| !templates.name.names(axis)) {
        name.push('-');
        name.push_str(&names::part(matrix.value(axis, point)));
    }
    name
}
