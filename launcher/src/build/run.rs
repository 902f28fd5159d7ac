//! The story of `migfit build`: find the tools, lay the shims, run the user's command, tell what came of it.

use super::environment::{Before, Manner, TOOLKIT_VARIABLES, last_in_path, variables};
use super::search::in_path;
use super::shims::{Compilers, Shims};
use super::summary::Built;
use super::{BuildError, BuildOptions, HostCompiler, clang, summary, told, toolkit};
use crate::output::remark;
use migfit_schema::build::CLANG_VARIABLE;
use migfit_schema::copies;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The compiler driver of the CUDA toolkit.
const NVCC: &str = "nvcc";
/// Bytes that a compiler's temporary file has at least.
const PROBE: usize = 1 << 20;

/// Runs the user's build command so that its CUDA programs carry a job profile; returns the command's exit code
/// (128 + signal where it was killed).
///
/// The summary goes to standard error; a build that failed speaks for itself, with a hint where we know better.
///
/// # Errors
/// When the command cannot be started, or a tool that the build needs is missing.
pub fn run(options: BuildOptions) -> Result<i32, BuildError> {
    let (program, arguments) = options.command.split_first().ok_or(BuildError::NoCommand)?;
    let mut command = Command::new(program);
    command.args(arguments);
    if std::env::var_os("MIGFIT").is_some_and(|value| value == "off") {
        return finished(&mut command, program);
    }
    let path = path_with_nvcc(std::env::var_os("PATH").unwrap_or_default());
    let before = Before {
        nvcc_flags: std::env::var_os("NVCC_APPEND_FLAGS"),
        toolkits: toolkits(&path),
        path,
    };
    let clang = clang_or_warning(options.host_compiler, &before.path)?;
    let manner = Manner {
        host_compiler: options.host_compiler,
        clang: clang.as_deref(),
        for_virtual_gpu: options.for_virtual_gpu,
    };
    let shims = Shims::make(&Compilers {
        migfit_cc: &beside_us("migfit-cc")?,
        path: &before.path,
        manner: &manner.described(),
        data: data_folder(),
    })?;
    beside_us("migfit-analyze")?;
    command.envs(variables(&before, &shims, manner));
    let code = finished(&mut command, program)?;
    let built = built(&shims);
    let folder = std::env::current_dir().unwrap_or_default();
    match (code == 0 && clang.is_some()) || !built.programs.is_empty() {
        true => remark(&summary::text(&built, &folder)),
        false => remark(&summary::text_of_failed(&built)),
    }
    if code != 0 {
        remark(&hints(&before.path, shims.temporary()));
    }
    Ok(code)
}

/// The clang that gives IR. Where the user's own compiler compiles, a build goes on without one.
fn clang_or_warning(
    host_compiler: HostCompiler,
    path: &OsStr,
) -> Result<Option<PathBuf>, BuildError> {
    match clang::find(std::env::var_os(CLANG_VARIABLE).as_deref(), path) {
        Ok(clang) => Ok(Some(clang)),
        Err(error) if host_compiler == HostCompiler::User => {
            remark(&format!(
                "migfit: warning: {error}; programs are built as they would be without migfit, and carry no job profile\n  \
                 hint: {}\n",
                error.hint()
            ));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The variables that name the toolkit of the nvcc in PATH.
fn toolkits(path: &OsStr) -> Vec<&'static str> {
    let Some(root) = in_path(NVCC.as_ref(), path).and_then(|nvcc| toolkit::root(&nvcc)) else {
        return Vec::new();
    };
    let names_it = |name: &&str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.and_then(|folder| folder.canonicalize().ok()) == Some(root.clone())
    };
    TOOLKIT_VARIABLES.into_iter().filter(names_it).collect()
}

/// Our folder among the user's data.
fn data_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name);
    let copies = copies::folder(
        variable("XDG_DATA_HOME").as_deref(),
        variable("HOME").as_deref(),
    );
    Some(copies?.parent()?.to_owned())
}

/// The clang that a build would use here.
///
/// # Errors
/// When there is none that will do.
pub fn clang_here() -> Result<PathBuf, BuildError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    clang::find(std::env::var_os(CLANG_VARIABLE).as_deref(), &path)
}

/// The nvcc that a build would use here.
#[must_use]
pub fn nvcc_here() -> Option<PathBuf> {
    let path = path_with_nvcc(std::env::var_os("PATH").unwrap_or_default());
    in_path(NVCC.as_ref(), &path)
}

/// PATH; where it has no nvcc, with the folder behind it in which our installation links the CUDA toolkit.
fn path_with_nvcc(path: OsString) -> OsString {
    let linked = own_folder().and_then(|bin| Some(bin.parent()?.join("toolkit/bin")));
    match linked.filter(|folder| folder.is_dir()) {
        Some(folder) if in_path(NVCC.as_ref(), &path).is_none() => last_in_path(&path, &folder),
        _ => path,
    }
}

/// What we know of a failed build that its own messages may not say.
fn hints(path: &OsStr, temporary: &Path) -> String {
    let mut hints = String::new();
    if in_path(NVCC.as_ref(), path).is_none() {
        hints += "migfit: no nvcc is in PATH\n  hint: export PATH=/usr/local/cuda/bin:$PATH, or where the CUDA toolkit is\n";
    }
    if is_full(temporary) {
        let folder = temporary.parent().unwrap_or(temporary);
        hints += &format!(
            "migfit: TMPDIR is full: {}\n  hint: make room there, or set TMPDIR to another folder\n",
            folder.display()
        );
    }
    hints
}

/// Whether a folder's disk has no room for a small file.
fn is_full(folder: &Path) -> bool {
    let probe = folder.join("probe");
    let written = std::fs::write(&probe, [1; PROBE]);
    let _ = std::fs::remove_file(&probe);
    written.is_err_and(|error| error.kind() == ErrorKind::StorageFull)
}

fn finished(command: &mut Command, program: &OsStr) -> Result<i32, BuildError> {
    match told::status(command) {
        Ok(status) => Ok(exit_code(status)),
        Err(error) => Err(not_started(program.to_owned(), error)),
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).unwrap_or(1)
}

fn not_started(program: OsString, source: std::io::Error) -> BuildError {
    let command = program.to_string_lossy().into_owned();
    match source.kind() {
        ErrorKind::NotFound => BuildError::CommandNotFound(command),
        _ => BuildError::CommandNotStarted { command, source },
    }
}

/// The folder of `migfit` itself.
fn own_folder() -> Option<PathBuf> {
    let own = std::env::current_exe().and_then(|path| path.canonicalize());
    own.ok().and_then(|own| Some(own.parent()?.to_owned()))
}

/// A program of ours that is installed beside `migfit`.
fn beside_us(name: &str) -> Result<PathBuf, BuildError> {
    let path = own_folder().unwrap_or_default().join(name);
    if path.is_file() {
        Ok(path)
    } else {
        Err(BuildError::Missing(path))
    }
}

/// What came of the build; programs that are still there.
fn built(shims: &Shims) -> Built {
    let log = std::fs::read_to_string(shims.log()).unwrap_or_default();
    let mut built = summary::read(&log);
    // Configuration steps link programs and remove them.
    built
        .programs
        .retain(|program| Path::new(&program.path).exists());
    built
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_is_refused_first() {
        let nothing = run(BuildOptions {
            command: Vec::new(),
            for_virtual_gpu: true,
            host_compiler: HostCompiler::Clang,
        });
        assert!(matches!(nothing, Err(BuildError::NoCommand)));
    }

    #[test]
    fn exit_codes_are_passed_on_exactly() {
        for code in [0, 1, 2, 77] {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exit {code}")]);
            assert_eq!(finished(&mut command, "sh".as_ref()).unwrap(), code);
        }
        let mut killed = Command::new("sh");
        killed.args(["-c", "kill -9 $$"]);
        assert_eq!(finished(&mut killed, "sh".as_ref()).unwrap(), 137);
    }

    #[test]
    fn a_command_that_is_not_there_is_told_from_one_that_cannot_run() {
        let absent = finished(&mut Command::new("no-such-make"), "no-such-make".as_ref());
        assert!(matches!(absent, Err(BuildError::CommandNotFound(name)) if name == "no-such-make"));
        let folder = finished(&mut Command::new("/etc"), "/etc".as_ref());
        assert!(matches!(folder, Err(BuildError::CommandNotStarted { .. })));
    }

    #[test]
    fn a_failed_build_without_nvcc_gets_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        assert!(hints(folder.path().as_os_str(), folder.path()).contains("no nvcc is in PATH"));
        std::fs::write(folder.path().join(NVCC), "").unwrap();
        assert_eq!(hints(folder.path().as_os_str(), folder.path()), "");
    }
}
