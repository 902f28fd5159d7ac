//! A job, its program and its slice -> the process to start: environment, folder, streams. Starts nothing.

use crate::jobs::Job;
use migfit_schema::record::RECORD_DIR_VARIABLE;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal};
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
/// When a file for its output cannot be made.
pub fn command(
    job: &Job,
    program: &Path,
    slice: &str,
    records: &Path,
    around: &Surroundings,
    streams: Streams<'_>,
) -> io::Result<Command> {
    let mut command = Command::new(program);
    let mut words = job.command.iter();
    if let Some(name) = words.next() {
        command.arg0(name);
    }
    command.args(words).current_dir(&job.cwd);
    command.envs(job.env.iter().map(|(name, value)| (name, value)));
    command.envs(around.variables.iter().map(|(name, value)| (name, value)));
    command.env("CUDA_VISIBLE_DEVICES", slice);
    command.env(RECORD_DIR_VARIABLE, records);
    if let Some(folder) = &around.virtual_gpu {
        let old = job.variable("LD_LIBRARY_PATH");
        command.env(
            "LD_LIBRARY_PATH",
            in_front(folder.as_os_str(), old.as_deref()),
        );
    }
    if let Some(runtime) = &around.runtime {
        let old = job.variable("LD_PRELOAD");
        command.env("LD_PRELOAD", in_front(runtime.as_os_str(), old.as_deref()));
    }
    if let Streams::Files { stdout, stderr } = streams {
        command.stdin(Stdio::null());
        command
            .stdout(File::create(stdout)?)
            .stderr(File::create(stderr)?);
    }
    if streams.own_group() {
        command.process_group(0);
    }
    Ok(command)
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
        let made = command(
            &job,
            Path::new("/bin/a.out"),
            "MIG-1",
            Path::new("/r"),
            &around,
            Streams::Ours,
        );
        let made = made.unwrap();
        let value = |name: &str| {
            let found = made.get_envs().find(|(key, _)| *key == name);
            found.unwrap().1.unwrap().to_str().unwrap().to_owned()
        };
        assert_eq!(value("LD_PRELOAD"), "/ours.so:/their.so");
        assert_eq!(value("CUDA_VISIBLE_DEVICES"), "MIG-1");
        assert!(value("LD_LIBRARY_PATH").starts_with("/vgpu"));
        assert_eq!(value("MIGFIT_RECORD_DIR"), "/r");
        assert_eq!(value("MIGFIT_VGPU"), "a100-40gb");
        assert_eq!(made.get_args().collect::<Vec<_>>(), ["4"]);
    }
}
