//! Runs the real nvcc. A command that fails with what we add to it is run again without, so that a build never fails
//! because of us; what the first attempt said is forgotten then.

use super::command::{APPEND, After, Before, CCBIN, PREPEND, Wish, split};
use super::words;
use crate::error::CcError;
use crate::settings::Role;
use crate::{process, watched};
use migfit_schema::build::{self, BuildNote};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands in for `nvcc` with these words; returns the exit code.
pub fn stand_in(nvcc: &Path, words: Vec<OsString>) -> Result<i32, CcError> {
    let variable = std::env::var_os;
    let build = variable(build::LOG_VARIABLE).filter(|log| !log.is_empty());
    let off = variable("MIGFIT").is_some_and(|value| value == "off");
    let before = Before {
        words,
        prepended: variable(PREPEND),
        appended: variable(APPEND).and_then(without_ours),
        ccbin: variable(CCBIN),
        profiles: profiles(nvcc),
    };
    let Some(log) = build.filter(|_| !off) else {
        return Err(become_it(nvcc, &before.unchanged()));
    };
    let all = before.all();
    let is = |name: &str, wanted: &str| std::env::var_os(name).is_some_and(|value| value == wanted);
    let clang = is(build::HOST_COMPILER_VARIABLE, build::HOST_COMPILER_CLANG);
    let named = words::host_compiler(&all).or(before.ccbin.clone());
    let named = named.as_deref().map(Path::new);
    if !clang && named.is_some_and(is_missing) {
        // The user hears it from nvcc.
        return Err(become_it(nvcc, &before.unchanged()));
    }
    let lasting = named.and_then(lasting);
    let after = before.with(Wish {
        ours: &ours(),
        lasting: lasting.as_deref(),
        clang,
        for_virtual_gpu: is(build::VIRTUAL_VARIABLE, "1"),
    });
    if !after.adds || words::runs_the_program(&all) {
        // Nothing of ours can make it fail: what it says goes straight to the user.
        return match after == before.unchanged() {
            true => Err(become_it(nvcc, &after)),
            false => watched::status(&mut command(nvcc, &after))
                .map(process::exit_code)
                .map_err(|source| process::not_started(nvcc, source)),
        };
    }
    let first = watched::output(&mut command(nvcc, &after))
        .map_err(|source| process::not_started(nvcc, source))?;
    if first.status.success() {
        process::say(&first.stdout, &first.stderr);
        return Ok(0);
    }
    let mut again = command(nvcc, &before.unchanged());
    // As the user's own compiler makes the object: IR comes from a pass beside it.
    again.env_remove(build::HOST_COMPILER_VARIABLE);
    let code = watched::status(&mut again).map(process::exit_code);
    let code = code.map_err(|source| process::not_started(nvcc, source))?;
    if code == 0 {
        let reason = process::first_error(&[first.stdout, first.stderr].concat(), first.status);
        crate::log::note_in(Path::new(&log), BuildNote::RunAgain(reason));
    }
    Ok(code)
}

fn command(nvcc: &Path, after: &After) -> Command {
    let mut command = Command::new(nvcc);
    for name in [PREPEND, APPEND, CCBIN] {
        command.env_remove(name);
    }
    command.envs(after.set.iter().map(|(name, value)| (name, value)));
    // Empty where the user names none: the words name us.
    let users = after.users.clone().unwrap_or_default();
    command.env(build::CCBIN_VARIABLE, users);
    command.args(&after.words);
    command
}

fn become_it(nvcc: &Path, after: &After) -> CcError {
    process::not_started(nvcc, command(nvcc, after).exec())
}

/// Whether a compiler that is named by a path is not there.
fn is_missing(compiler: &Path) -> bool {
    compiler.components().count() > 1 && !compiler.exists()
}

/// `migfit-cc` where nvcc can be told it.
fn ours() -> PathBuf {
    let told = std::env::var_os(build::OURS_VARIABLE).map(PathBuf::from);
    let own = || std::env::current_exe().unwrap_or_else(|_| Role::FILE_NAME.into());
    told.unwrap_or_else(own)
}

/// We under the name of a compiler that is named by its path: in the folder that `migfit build` put into PATH, where the
/// same name means that same compiler once the build is over.
fn lasting(named: &Path) -> Option<PathBuf> {
    let name = named.file_name().filter(|_| named.is_absolute())?;
    let ourselves = std::env::current_exe().ok()?.canonicalize().ok()?;
    let real = |path: &Path| path.canonicalize().ok();
    let first = |variable: &str, ours: bool| {
        let path = std::env::var_os(variable)?;
        let mut all = std::env::split_paths(&path).map(|folder| folder.join(name));
        all.find(|path| path.is_file() && ours == (real(path).as_ref() == Some(&ourselves)))
    };
    let after = first(build::REAL_PATH_VARIABLE, false)?;
    let same = real(&after)? == real(named)?;
    first("PATH", true).filter(|_| same)
}

/// NVCC_APPEND_FLAGS as the user has it: what `migfit build` put behind is for an nvcc called by its full path.
fn without_ours(value: OsString) -> Option<OsString> {
    let ours = std::env::var_os(build::NVCC_FLAGS_VARIABLE).unwrap_or_default();
    let kept = value.as_bytes().strip_suffix(ours.as_bytes());
    let kept = kept
        .filter(|_| !ours.is_empty())
        .unwrap_or(value.as_bytes());
    Some(OsStr::from_bytes(kept.trim_ascii_end()).to_owned()).filter(|kept| !kept.is_empty())
}

/// The host compiler that the file of settings beside nvcc names.
fn profiles(nvcc: &Path) -> Option<OsString> {
    let real = nvcc.canonicalize().ok()?;
    let text = std::fs::read_to_string(real.with_file_name("nvcc.profile")).ok()?;
    let mut values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "compiler-bindir").then(|| value.trim())
    });
    let value = split(values.next_back()?.as_ref());
    value.into_iter().next()
}
