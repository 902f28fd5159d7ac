//! A job, its program and its slice -> the process to start: environment, folder, streams. Starts nothing.

use crate::jobs::Job;
use migfit_schema::record::RECORD_DIR_VARIABLE;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What all jobs of a run get.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Library to preload; none: nothing is recorded.
    pub runtime: Option<PathBuf>,
    /// Folder of the virtual GPU's libraries; none on a real GPU.
    pub virtual_gpu: Option<PathBuf>,
    /// Variables of the virtual GPU.
    pub variables: Vec<(OsString, OsString)>,
}

/// Tells a job how often it was started by now, from 1: a program may go on from where an earlier attempt stopped.
pub const ATTEMPT_VARIABLE: &str = "MIGFIT_ATTEMPT";

/// Where one attempt of a job runs.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The program's file.
    pub program: &'p Path,
    /// UUID of the MIG device.
    pub slice: &'p str,
    /// Folder for its run records.
    pub records: &'p Path,
    /// Its number, from 1.
    pub attempt: usize,
}

/// Where a job's output goes.
#[derive(Clone, Copy, Debug)]
pub enum Streams<'p> {
    /// To files; the job reads nothing.
    Files {
        /// Standard output.
        stdout: &'p Path,
        /// Standard error.
        stderr: &'p Path,
    },
    /// To where ours goes, with our input.
    Ours,
}

impl Streams<'_> {
    /// Whether the job becomes the head of a process group of its own, so that all it starts can be ended with it.
    /// Not where it reads from a terminal: a terminal stops readers outside its own group.
    #[must_use]
    pub fn own_group(self) -> bool {
        match self {
            Streams::Files { .. } => true,
            Streams::Ours => !std::io::stdin().is_terminal(),
        }
    }
}

/// The process to start.
///
/// # Errors
/// When a file for its output cannot be made: which, and why.
pub fn command(
    job: &Job,
    place: &Place<'_>,
    around: &Surroundings,
    streams: Streams<'_>,
) -> Result<Command, String> {
    let mut command = Command::new(place.program);
    let mut words = job.command.iter();
    if let Some(name) = words.next() {
        command.arg0(name);
    }
    command.args(words).current_dir(&job.cwd);
    command.envs(job.env.iter().map(|(name, value)| (name, value)));
    command.envs(around.variables.iter().map(|(name, value)| (name, value)));
    command.env("CUDA_VISIBLE_DEVICES", place.slice);
    command.env(RECORD_DIR_VARIABLE, place.records);
    command.env(ATTEMPT_VARIABLE, place.attempt.to_string());
    if let Some(folder) = &around.virtual_gpu {
        let old = job.variable("LD_LIBRARY_PATH");
        let new = in_front(folder.as_os_str(), old.as_deref());
        command.env("LD_LIBRARY_PATH", new);
    }
    if let Some(runtime) = &around.runtime {
        let old = job.variable("LD_PRELOAD");
        command.env("LD_PRELOAD", in_front(runtime.as_os_str(), old.as_deref()));
    }
    if let Streams::Files { stdout, stderr } = streams {
        command.stdin(Stdio::null());
        command.stdout(made(stdout)?).stderr(made(stderr)?);
    }
    if streams.own_group() {
        command.process_group(0);
    }
    Ok(command)
}

fn made(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|error| format!("cannot write '{}': {error}", path.display()))
}

fn in_front(ours: &OsStr, old: Option<&OsStr>) -> OsString {
    let mut value = ours.to_owned();
    if let Some(old) = old.filter(|old| !old.is_empty()) {
        value.push(":");
        value.push(old);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_sees_its_slice_and_keeps_what_it_had() {
        let job = Job {
            env: vec![
                ("LD_PRELOAD".to_owned(), "/their.so".to_owned()),
                ("CUDA_VISIBLE_DEVICES".to_owned(), "0,1".to_owned()),
            ],
            ..Job::new(
                "a".to_owned(),
                vec!["./a.out".into(), "4".into()],
                "/".into(),
            )
        };
        let around = Surroundings {
            runtime: Some("/ours.so".into()),
            virtual_gpu: Some("/vgpu".into()),
            variables: vec![("MIGFIT_VGPU".into(), "a100-40gb".into())],
        };
        let place = Place {
            program: Path::new("/bin/a.out"),
            slice: "MIG-1",
            records: Path::new("/r"),
            attempt: 2,
        };
        let made = command(&job, &place, &around, Streams::Ours).unwrap();
        let value = |name: &str| {
            let found = made.get_envs().find(|(key, _)| *key == name);
            found.unwrap().1.unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(value("LD_PRELOAD"), "/ours.so:/their.so");
        assert_eq!(value("CUDA_VISIBLE_DEVICES"), "MIG-1");
        assert!(value("LD_LIBRARY_PATH").starts_with("/vgpu"));
        assert_eq!(value("MIGFIT_RECORD_DIR"), "/r");
        assert_eq!(value("MIGFIT_ATTEMPT"), "2");
        assert_eq!(value("MIGFIT_VGPU"), "a100-40gb");
        assert_eq!(made.get_args().collect::<Vec<_>>(), ["4"]);
    }
}
