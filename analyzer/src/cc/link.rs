//! The final link: the linker runs as it would have; then the host IR that it gathered in the program is analysed, and
//! the job profile takes its place. A failure of ours costs one warning and never the program.

use super::analysis::{AnalysisError, analyse};
use super::command_line::{CommandLine, Token};
use super::elf::Imports;
use super::error::CcError;
use super::job_profile::Stored;
use super::linked_objects::without_ir;
use super::settings::Settings;
use super::{elf, ir, process};
use migfit_schema::container::{BITCODE, IR_SECTION, PROFILE_SECTION, entries};
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// The static CUDA runtime, which no virtual GPU can serve, in the ways that a link names it.
const STATIC_RUNTIME: [&str; 2] = ["cudart_static", ":libcudart_static.a"];

/// Links; returns the linker's exit code.
pub fn link(settings: &Settings, line: &CommandLine, output: &Path) -> Result<i32, CcError> {
    let code = if settings.for_virtual_gpu {
        link_for_virtual_gpu(settings, line)?
    } else {
        process::run(settings, &settings.words)?
    };
    if code == 0
        && output.is_file()
        && let Err(reason) = finish(settings, line, output)
    {
        eprintln!(
            "migfit: warning: {}: no job profile was written: {reason}",
            output.display()
        );
    }
    Ok(code)
}

/// Links with the shared CUDA runtime. A library that was linked so needs it too, and a program that only uses the
/// library has no reason to say where the runtime lies: the linker is told.
fn link_for_virtual_gpu(settings: &Settings, line: &CommandLine) -> Result<i32, CcError> {
    let shared = with_shared_runtime(line);
    let replaced = shared.is_some();
    let mut words = shared.unwrap_or_else(|| settings.words.clone());
    words.extend(runtime_folders(&settings.real_path).map(|folder| {
        let mut word = OsString::from("-Wl,-rpath-link,");
        word.push(folder);
        word
    }));
    if replaced {
        run_long(settings, &words)
    } else {
        process::run(settings, &words)
    }
}

/// Where the CUDA toolkit of the nvcc in `path` has its libraries: `lib64` in NVIDIA's installers, `lib` in their
/// Python packages.
fn runtime_folders(path: &OsStr) -> impl Iterator<Item = PathBuf> + use<> {
    let nvcc = std::env::split_paths(path)
        .map(|folder| folder.join("nvcc"))
        .find_map(|nvcc| nvcc.canonicalize().ok());
    let toolkit = nvcc.and_then(|nvcc| Some(nvcc.parent()?.parent()?.to_owned()));
    let folders = toolkit.map(|toolkit| ["lib64", "lib"].map(|name| toolkit.join(name)));
    folders
        .into_iter()
        .flatten()
        .filter(|folder| folder.is_dir() && !folder.as_os_str().as_bytes().contains(&b','))
}

/// The linked program gets its job profile, or loses IR that it has no use for.
fn finish(settings: &Settings, line: &CommandLine, output: &Path) -> Result<(), String> {
    let program = std::fs::read(output).map_err(|error| error.to_string())?;
    let Ok(gathered) = elf::section(&program, IR_SECTION) else {
        return Ok(());
    };
    if !elf::calls_cuda(&program) {
        return match gathered {
            Some(_) => put(output, &program, IR_SECTION, &[]),
            None => Ok(()),
        };
    }
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let imports = elf::imports(&program).map_err(|error| error.to_string())?;
    let analysed = modules(settings, line, gathered)
        .and_then(|modules| analyse(settings, &name, &modules, &imports.system));
    let stored = Stored::new(&name, analysed, not_looked_into(line, &imports));
    if let Some(reason) = &stored.summary.failure {
        eprintln!("migfit: warning: {name}: its need is unknown: {reason}");
    }
    put(output, &program, PROFILE_SECTION, &stored.section)?;
    note(settings, &stored, output)
        .map_err(|error| format!("the build's log cannot be written: {error}"))
}

/// What takes part in the program and carries no host IR.
fn not_looked_into(line: &CommandLine, imports: &Imports) -> Vec<String> {
    let libraries = imports.libraries.iter();
    let libraries = libraries.map(|name| format!("{name} (shared library)"));
    without_ir(line).into_iter().chain(libraries).collect()
}

/// Bitcode of the sources in the link command, then of the linked objects in link order.
fn modules(
    settings: &Settings,
    line: &CommandLine,
    gathered: Option<&[u8]>,
) -> Result<Vec<Vec<u8>>, AnalysisError> {
    let mut modules = Vec::new();
    for source in line
        .sources()
        .iter()
        .filter(|source| source.language.has_ir())
    {
        let scratch = tempfile::tempdir().map_err(AnalysisError::NotStarted)?;
        let bitcode = scratch.path().join("host.bc");
        if ir::side_pass(settings, line, source, &bitcode).is_some() {
            modules.extend(std::fs::read(&bitcode));
        }
    }
    let entries = entries(gathered.unwrap_or_default())
        .map_err(|error| AnalysisError::BrokenIr(error.to_string()))?;
    let bitcode = entries.into_iter().filter(|(mark, _)| *mark == BITCODE);
    modules.extend(bitcode.map(|(_, module)| module.to_vec()));
    Ok(modules)
}

fn put(output: &Path, program: &[u8], name: &str, data: &[u8]) -> Result<(), String> {
    let changed =
        elf::put_section(program, IR_SECTION, name, data).map_err(|error| error.to_string())?;
    elf::replace_file(output, &changed).map_err(|error| error.to_string())
}

fn note(settings: &Settings, stored: &Stored, output: &Path) -> std::io::Result<()> {
    let Some(log) = &settings.log else {
        return Ok(());
    };
    let line = stored.log_line(&output.canonicalize()?);
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(log)?;
    file.write_all(line.as_bytes())
}

/// The command's words with the shared runtime for the static one; `None` where the command does not name it.
fn with_shared_runtime(line: &CommandLine) -> Option<Vec<OsString>> {
    let mut found = false;
    let mut words = Vec::new();
    for token in &line.tokens {
        if let Some(shared) = shared_instead(token) {
            found = true;
            words.extend(shared);
        } else {
            words.extend(token.words.iter().cloned());
        }
    }
    found.then_some(words)
}

fn shared_instead(token: &Token) -> Option<Vec<OsString>> {
    let shared = OsString::from("-lcudart");
    if token
        .value("-l")
        .is_some_and(|name| STATIC_RUNTIME.iter().any(|runtime| name == *runtime))
    {
        return Some(vec![shared]);
    }
    let path = Path::new(token.words.first()?);
    let folder = path
        .parent()
        .filter(|_| path.file_name() == Some(OsStr::new("libcudart_static.a")))?;
    Some(vec!["-L".into(), folder.into(), shared])
}

/// Runs with words that may have come from a response file because they are too many for a command line.
fn run_long(settings: &Settings, words: &[OsString]) -> Result<i32, CcError> {
    if !settings
        .words
        .iter()
        .any(|word| word.as_bytes().starts_with(b"@"))
    {
        return process::run(settings, words);
    }
    let not_started = |source| CcError::NotStarted {
        compiler: settings.compiler.clone(),
        source,
    };
    let mut file = tempfile::NamedTempFile::new().map_err(not_started)?;
    for word in words {
        let escaped: Vec<u8> = word
            .as_bytes()
            .iter()
            .flat_map(|byte| [b'\\', *byte])
            .collect();
        file.write_all(&[&escaped[..], b"\n"].concat())
            .map_err(not_started)?;
    }
    let mut response = OsString::from("@").into_vec();
    response.extend_from_slice(file.path().as_os_str().as_bytes());
    process::run(settings, &[OsString::from_vec(response)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn shared(command: &str) -> Option<String> {
        let words: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        let words = with_shared_runtime(&CommandLine::parse(&words, Language::C))?;
        Some(words.join(" ".as_ref()).to_string_lossy().into_owned())
    }

    #[test]
    fn the_static_runtime_is_replaced_however_it_is_named() {
        assert_eq!(
            shared("a.o -Lx -lcudart_static -lrt -o p").unwrap(),
            "a.o -Lx -lcudart -lrt -o p"
        );
        assert_eq!(shared("a.o -l cudart_static").unwrap(), "a.o -lcudart");
        assert_eq!(
            shared("a.o /c/lib/libcudart_static.a").unwrap(),
            "a.o -L /c/lib -lcudart"
        );
        assert_eq!(shared("a.o -lcudart -o cudart_static"), None);
    }

    #[test]
    fn the_runtime_lies_in_the_toolkit_of_the_first_nvcc() {
        let folder = tempfile::tempdir().unwrap();
        let (toolkit, links) = (folder.path().join("cuda-13"), folder.path().join("links"));
        for made in ["bin", "lib64"] {
            std::fs::create_dir_all(toolkit.join(made)).unwrap();
        }
        std::fs::create_dir(&links).unwrap();
        std::fs::write(toolkit.join("bin/nvcc"), "").unwrap();
        std::os::unix::fs::symlink(toolkit.join("bin/nvcc"), links.join("nvcc")).unwrap();
        let path = std::env::join_paths([Path::new("/no/such"), &links]).unwrap();
        let folders: Vec<_> = runtime_folders(&path).collect();
        assert_eq!(folders, [toolkit.canonicalize().unwrap().join("lib64")]);
        assert_eq!(runtime_folders("/no/such".as_ref()).count(), 0);
    }
}
