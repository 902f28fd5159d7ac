//! Runs `migfit-analyze` on the bitcode of a program, as a child with limits: LLVM may abort on bad input, and must
//! then take neither the build nor the machine with it. Bitcode in, the container of a job profile out.

use super::settings::Settings;
use std::io::{Error, ErrorKind};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// Processor time of one analysis, in seconds.
const PROCESSOR_SECONDS: u64 = 60;
/// Time of one analysis by the clock, in seconds; for a child that waits for something.
const CLOCK_SECONDS: u32 = 300;
/// Address space of one analysis, in bytes.
const ADDRESS_SPACE: u64 = 4 << 30;
/// Characters of the analyzer's own message that are kept.
const MESSAGE: usize = 300;

/// Why there is no analysis.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// No linked object had IR.
    #[error("no linked object carries host IR")]
    NoIr,
    /// The IR of an object is broken.
    #[error("the host IR in {object} cannot be read: {reason}; compile it again")]
    BrokenIr {
        /// The object.
        object: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The analyzer did not start.
    #[error("migfit-analyze cannot be started: {0}")]
    NotStarted(std::io::Error),
    /// Too long.
    #[error("the analysis took more than {0} s")]
    TooLong(u64),
    /// Killed, by itself or by the limit on memory.
    #[error("the analysis was ended by signal {0} (its memory is limited to 4 GiB)")]
    Killed(i32),
    /// It gave up, with its reason.
    #[error("the analysis failed: {0}")]
    Failed(String),
    /// Its output is not a job profile.
    #[error("the analysis wrote no job profile: {0}")]
    Output(String),
}

/// What is analysed.
pub struct Work<'a> {
    /// The linked file's name.
    pub name: &'a str,
    /// Bitcode of its modules in link order.
    pub modules: &'a [Vec<u8>],
    /// The system's functions that it calls.
    pub system: &'a [String],
    /// What it offers to the files that are loaded with it; `None`: it stands alone.
    pub exports: Option<&'a [String]>,
    /// What its shared libraries carry for it, in the order of loading.
    pub libraries: Vec<&'a [u8]>,
    /// The linked file, for its device code.
    pub linked: &'a Path,
}

/// The container of a job profile.
pub fn analyse(settings: &Settings, work: &Work<'_>) -> Result<Vec<u8>, AnalysisError> {
    if work.modules.is_empty() {
        return Err(AnalysisError::NoIr);
    }
    let scratch = tempfile::tempdir().map_err(AnalysisError::NotStarted)?;
    let out = scratch.path().join("profile");
    let words = work.words(scratch.path());
    let mut command = Command::new(&settings.analyzer);
    command
        .env("PATH", &settings.real_path)
        .args(["profile", "--name", work.name, "--out"])
        .arg(&out)
        .args(words.map_err(AnalysisError::NotStarted)?);
    let output = limited(&mut command)
        .stdin(Stdio::null())
        .output()
        .map_err(AnalysisError::NotStarted)?;
    if !output.status.success() {
        return Err(failure(output.status, &output.stderr, scratch.path()));
    }
    std::fs::read(&out).map_err(|error| AnalysisError::Output(error.to_string()))
}

impl Work<'_> {
    /// The words that tell it to the analyzer, with what they name written into `folder`.
    fn words(&self, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
        let list = |name: &str, names: &[String]| {
            let file = folder.join(name);
            std::fs::write(&file, names.join("\n")).map(|()| file)
        };
        let mut words = vec!["--system-functions".into(), list("system", self.system)?];
        if let Some(exports) = self.exports {
            words.extend(["--exports".into(), list("exports", exports)?]);
        }
        for (number, part) in self.libraries.iter().enumerate() {
            let file = folder.join(format!("{number:05}.part"));
            std::fs::write(&file, part)?;
            words.extend(["--library".into(), file]);
        }
        words.extend(["--device-code".into(), self.linked.to_owned()]);
        words.extend(write_modules(folder, self.modules)?);
        Ok(words)
    }
}

fn write_modules(folder: &Path, modules: &[Vec<u8>]) -> std::io::Result<Vec<PathBuf>> {
    let numbered = modules.iter().enumerate();
    numbered
        .map(|(number, module)| {
            let file = folder.join(format!("{number:05}.bc"));
            std::fs::write(&file, module).map(|()| file)
        })
        .collect()
}

fn limited(command: &mut Command) -> &mut Command {
    let limits = || {
        limit(libc::RLIMIT_AS, ADDRESS_SPACE)?;
        limit(libc::RLIMIT_CPU, PROCESSOR_SECONDS)?;
        limit(libc::RLIMIT_CORE, 0)?;
        // SAFETY: alarm has no preconditions; the pending alarm survives exec.
        unsafe { libc::alarm(CLOCK_SECONDS) };
        Ok(())
    };
    // SAFETY: between fork and exec the closure only calls setrlimit and alarm, which are async-signal-safe, and
    // allocates nothing.
    unsafe { command.pre_exec(limits) }
}

fn limit(what: libc::__rlimit_resource_t, most: u64) -> std::io::Result<()> {
    let limit = libc::rlimit {
        rlim_cur: most,
        rlim_max: most,
    };
    // SAFETY: the pointer is to a live rlimit.
    let refused = unsafe { libc::setrlimit(what, &raw const limit) } != 0;
    // A hard limit below ours is a stricter one of the user's: it holds.
    match Error::last_os_error() {
        error if refused && error.kind() != ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}

fn failure(status: ExitStatus, said: &[u8], scratch: &Path) -> AnalysisError {
    match status.signal() {
        Some(libc::SIGXCPU) => AnalysisError::TooLong(PROCESSOR_SECONDS),
        Some(libc::SIGALRM) => AnalysisError::TooLong(u64::from(CLOCK_SECONDS)),
        Some(signal) => AnalysisError::Killed(signal),
        None => AnalysisError::Failed(message(said, scratch, status)),
    }
}

/// The analyzer's last line, without the names of scratch files: the same source gives the same profile bytes.
fn message(said: &[u8], scratch: &Path, status: ExitStatus) -> String {
    let said = String::from_utf8_lossy(said);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    match last {
        Some(line) => {
            let line = line.replace(&format!("{}/", scratch.display()), "");
            line.trim_start_matches("error: ")
                .chars()
                .take(MESSAGE)
                .collect()
        }
        None => format!("migfit-analyze ended with {status} and said nothing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(script: &str) -> AnalysisError {
        let mut command = Command::new("sh");
        let output = limited(command.args(["-c", script])).output().unwrap();
        failure(output.status, &output.stderr, Path::new("/scratch/x"))
    }

    #[test]
    fn endings_are_told_apart() {
        assert!(matches!(ended("kill -ABRT $$"), AnalysisError::Killed(6)));
        assert!(matches!(ended("kill -XCPU $$"), AnalysisError::TooLong(60)));
        assert!(matches!(
            ended("kill -ALRM $$"),
            AnalysisError::TooLong(300)
        ));
        let said = ended("echo 'error: /scratch/x/00001.bc: bad magic' >&2; echo >&2; exit 3");
        assert_eq!(said.to_string(), "the analysis failed: 00001.bc: bad magic");
        assert!(ended("exit 9").to_string().contains("said nothing"));
    }

    #[test]
    fn the_child_runs_under_the_limits() {
        let mut command = Command::new("sh");
        let output = limited(command.args(["-c", "ulimit -v; ulimit -t; ulimit -c"]))
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            "4194304\n60\n0\n"
        );
    }
}
