//! Where jobs come from -> their text, read and bounded, and the jobs in it with whole places. The only part that reads
//! files.

use crate::jobs::complaint::Complaint;
use crate::jobs::{Job, JobFileError, file, lines};
use migfit_sizes::assumed::Given;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most bytes that are read.
const MOST_BYTES: u64 = 16 << 20;

/// What standard input is called in places of errors.
const STANDARD_INPUT: &str = "standard input";

/// Where the jobs of a run come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobSource {
    /// One program and its arguments.
    Program {
        /// The program, as given.
        program: PathBuf,
        /// Its arguments.
        args: Vec<OsString>,
        /// What the user says of it.
        assume: Vec<Given>,
    },
    /// A job file.
    File(PathBuf),
    /// Commands, one a line, or a job file.
    StandardInput,
}

/// Whether every job must have a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    /// It is to be started.
    Needed,
    /// Nothing will be started: a job with measured times may do without.
    Optional,
}

/// Reads the jobs; there is at least one.
///
/// # Errors
/// What is wrong, and where.
pub fn read(source: &JobSource, commands: Commands) -> Result<Vec<Job>, JobFileError> {
    match source {
        JobSource::Program {
            program,
            args,
            assume,
        } => Ok(vec![Job {
            assume: assume.clone(),
            ..single(program, args)?
        }]),
        JobSource::File(file) => of_file(file, commands),
        JobSource::StandardInput => of_standard_input(std::io::stdin().lock(), commands),
    }
}

fn of_file(path: &Path, commands: Commands) -> Result<Vec<Job>, JobFileError> {
    let unreadable = |source| JobFileError::Unreadable {
        whose: format!("the job file '{}'", path.display()),
        source,
    };
    if path.is_dir() {
        return Err(JobFileError::Folder(path.to_owned()));
    }
    let text = std::fs::File::open(path).and_then(bounded);
    let text = as_text(text.map_err(unreadable)?, path)?;
    let absolute = path.canonicalize().map_err(unreadable)?;
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    let jobs = file::parse(&text, folder, commands);
    Ok(placed(
        jobs.map_err(|complaint| complaint.placed(path, &text))?,
        path,
    ))
}

/// Reads jobs as they come on standard input: commands, one a line, or a job file.
///
/// # Errors
/// What is wrong, and on which line.
pub fn of_standard_input(input: impl Read, commands: Commands) -> Result<Vec<Job>, JobFileError> {
    let name = Path::new(STANDARD_INPUT);
    let bytes = bounded(input).map_err(|source| JobFileError::Unreadable {
        whose: STANDARD_INPUT.to_owned(),
        source,
    })?;
    let text = as_text(bytes, name)?;
    let folder = std::env::current_dir().map_err(JobFileError::WorkingFolder)?;
    let jobs = match lines::is_job_file(&text) {
        true => file::parse(&text, &folder, commands),
        false => lines::parse(&text, &folder),
    };
    Ok(placed(
        jobs.map_err(|complaint| complaint.placed(name, &text))?,
        name,
    ))
}

/// All bytes, as long as a job file may be, and one more where there are more.
fn bounded(input: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn as_text(bytes: Vec<u8>, name: &Path) -> Result<String, JobFileError> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(at_the_end("", "the jobs take more than 16 MiB").placed(name, ""));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..good).unwrap_or_default();
        let before = String::from_utf8_lossy(before).into_owned();
        at_the_end(&before, "the jobs are no UTF-8 text").placed(name, &before)
    })
}

fn at_the_end(text: &str, what: &str) -> Complaint {
    Complaint {
        span: text.len()..text.len(),
        what: what.to_owned(),
        hint: "name a job file in TOML: migfit run -f jobs.toml".to_owned(),
    }
}

/// Places with the name of what they are in.
fn placed(mut jobs: Vec<Job>, name: &Path) -> Vec<Job> {
    let name = name.display();
    for job in &mut jobs {
        for place in [&mut job.stated_at, &mut job.times_at] {
            *place = place.take().map(|place| format!("{name}:{place}"));
        }
    }
    jobs
}

fn single(program: &Path, args: &[OsString]) -> Result<Job, JobFileError> {
    let name = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy();
    let words = std::iter::once(program.as_os_str().to_owned());
    let name = name.trim_start_matches('.').replace('/', "-");
    let cwd = std::env::current_dir().map_err(JobFileError::WorkingFolder)?;
    Ok(Job::new(
        name,
        words.chain(args.iter().cloned()).collect(),
        cwd,
    ))
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
