//! Runs the linker that a build asked for, with the words that a job profile needs. Where clang links for nvcc and
//! cannot (objects of another compiler's link-time optimisation), the compiler links that nvcc would have used.

use super::command_line::CommandLine;
use super::error::CcError;
use super::settings::{Role, Settings};
use super::shared_runtime::{folders_for_libraries, with_shared_runtime};
use super::{log, process};
use migfit_schema::build::BuildNote;
use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use tempfile::NamedTempFile;

/// Names the link by what is in it, so that a copy of the job profile is found again. All linkers know it; where the
/// user says something else, it is left out.
const BUILD_ID: &str = "-Wl,--build-id";

/// Links; returns the exit code.
pub fn run(settings: &Settings, line: &CommandLine) -> Result<i32, CcError> {
    let shared = match settings.for_virtual_gpu {
        true => with_shared_runtime(line),
        false => None,
    };
    // Words that came from a file may be too many for a command line.
    let mut words = Words::of(settings, shared)?;
    if settings.for_virtual_gpu {
        words.all.extend(folders_for_libraries(&settings.real_path));
    }
    let names_link = |word: &OsString| {
        let text = word.to_string_lossy();
        text.contains("--build-id") || text.contains("-build-id=")
    };
    let own = line.tokens.iter().flat_map(|token| &token.words);
    if settings.role == Role::UnderNvcc && !own.into_iter().any(names_link) {
        words.all.push(BUILD_ID.into());
    }
    match settings.role {
        Role::UnderNvcc if settings.left_alone.is_some() => process::run(settings, &words.all),
        Role::UnderNvcc => with_clang(settings, &words.all),
        Role::Shim { .. } | Role::MpiShim => process::run(settings, &words.all),
    }
}

fn with_clang(settings: &Settings, words: &[OsString]) -> Result<i32, CcError> {
    let clang = process::capture(settings, words)?;
    if clang.code == 0 {
        clang.repeat();
        return Ok(0);
    }
    // The user's own says what is wrong as it would have without us.
    let Some(other) = settings.users_compiler() else {
        clang.repeat();
        return Ok(clang.code);
    };
    let code = process::run_other(settings, &other, words)?;
    if code == 0 {
        log::note(settings, BuildNote::LinkedBy(other.display().to_string()));
    }
    Ok(code)
}

/// A command's words, in a response file where they came from one.
struct Words {
    all: Vec<OsString>,
    _file: Option<NamedTempFile>,
}

impl Words {
    fn of(settings: &Settings, changed: Option<Vec<OsString>>) -> Result<Words, CcError> {
        let Some(words) = changed else {
            let all = settings.words.clone();
            return Ok(Words { all, _file: None });
        };
        let from_file = |word: &OsString| word.as_bytes().starts_with(b"@");
        if !settings.words.iter().any(from_file) {
            let all = words;
            return Ok(Words { all, _file: None });
        }
        let not_started = |source| CcError::NotStarted {
            compiler: settings.compiler.clone(),
            source,
        };
        let file = response_file(&words).map_err(not_started)?;
        let mut response = OsString::from("@").into_vec();
        response.extend_from_slice(file.path().as_os_str().as_bytes());
        Ok(Words {
            all: vec![OsString::from_vec(response)],
            _file: Some(file),
        })
    }
}

fn response_file(words: &[OsString]) -> std::io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    for word in words {
        let bytes = word.as_bytes().iter();
        let escaped: Vec<u8> = bytes.flat_map(|byte| [b'\\', *byte]).collect();
        file.write_all(&[&escaped[..], b"\n"].concat())?;
    }
    Ok(file)
}
