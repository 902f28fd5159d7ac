//! IR of a CUDA source beside nvcc's own compile of it, which another compiler than clang does: clang preprocesses,
//! nvcc's own cudafe++ cuts out the host code in its form for clang, clang compiles. The commands are those that nvcc
//! itself names for clang (`--dryrun`); stubs of kernels and the module's name are those of the real compile.

use super::command_line::CommandLine;
use super::language::Language;
use super::settings::Settings;
use super::watched::Group;
use super::{ir, process, response, users_compiler};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How nvcc names the host code that it hands to the host compiler.
const GENERATED: &str = ".cudafe1.cpp";
/// How each line of a dry run begins.
const LINE: &str = "#$ ";

/// Whether a source is host code that nvcc generated.
pub fn is_generated(source: &Path) -> bool {
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(GENERATED)
}

/// IR of the CUDA source that `generated` comes from, to `bitcode`; the reason where there is none.
pub fn side_pass(
    settings: &Settings,
    group: &Group,
    generated: &Path,
    bitcode: &Path,
) -> Result<(), String> {
    let clang = settings.clang.as_deref().ok_or("no clang was found")?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let said = dry_run(group, clang)?;
    let names = Names::of(generated);
    let commands =
        Commands::find(&said, &names).ok_or("nvcc --dryrun does not show this source")?;
    let preprocessed = scratch.path().join("host.ii");
    let words = preprocess(settings, &commands.preprocess, &preprocessed);
    process::run_quietly(settings, group, clang, &words)?;
    let cut = scratch.path().join("host.cudafe1.cpp");
    let words = cut_out(&commands.cut, &names, &preprocessed, &cut);
    run_tool(
        group,
        commands.cut.first().ok_or("nvcc names no cudafe++")?,
        &words,
    )?;
    let words = compile(settings, &commands.compile, generated, &cut, bitcode);
    process::run_quietly(settings, group, clang, &words)
        .map(|_| ())
        .map_err(|reason| reason.replace(&format!("{}/", scratch.path().display()), ""))
}

/// What nvcc says it would do with clang as host compiler.
fn dry_run(group: &Group, clang: &Path) -> Result<String, String> {
    let (nvcc, words) = users_compiler::nvcc().ok_or("the nvcc that runs is not known")?;
    let mut command = Command::new(nvcc);
    command
        .arg("--dryrun")
        .args(words)
        .args(users_compiler::appended());
    command
        .args(["-allow-unsupported-compiler", "-ccbin"])
        .arg(clang);
    command.env_remove("NVCC_APPEND_FLAGS").stdin(Stdio::null());
    let output = group
        .output(&mut command)
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stderr).into_owned()),
        false => Err(process::first_error(&output.stderr, output.status)),
    }
}

/// Runs a tool of nvcc's, found as nvcc finds it.
fn run_tool(group: &Group, tool: &OsStr, words: &[OsString]) -> Result<(), String> {
    let mut command = Command::new(tool);
    let output = group.output(command.args(words).stdin(Stdio::null()));
    let output = output.map_err(|error| format!("{}: {error}", tool.display()))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            // Its messages go to either.
            let said = [output.stderr, output.stdout].concat();
            Err(process::first_error(&said, output.status))
        }
    }
}

/// nvcc's temporary names, which differ from run to run in their first part alone.
struct Names {
    folder: PathBuf,
    run: String,
    own: String,
}

impl Names {
    fn of(generated: &Path) -> Names {
        let name = generated.file_name().unwrap_or_default().to_string_lossy();
        let (run, own) = split(&name);
        Names {
            folder: generated.with_file_name(""),
            run: run.to_owned(),
            own: own.to_owned(),
        }
    }

    /// The name in the real run of a file that a dry run names.
    fn real(&self, dry: &OsStr) -> PathBuf {
        let name = Path::new(dry).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        self.folder.join(format!("{}{}", self.run, split(&name).1))
    }
}

/// `tmpxft_00003b16_00000000` and what follows it.
fn split(name: &str) -> (&str, &str) {
    const FIRST: usize = "tmpxft_00003b16_00000000".len();
    match name.starts_with("tmpxft_") {
        true => name.split_at_checked(FIRST).unwrap_or(("", name)),
        false => ("", name),
    }
}

/// The three commands for one source, as words.
struct Commands {
    preprocess: Vec<OsString>,
    cut: Vec<OsString>,
    compile: Vec<OsString>,
}

impl Commands {
    fn find(said: &str, names: &Names) -> Option<Commands> {
        let mut variables = HashMap::new();
        let mut before: Vec<Vec<OsString>> = Vec::new();
        let mut found: Option<(Vec<OsString>, Vec<OsString>)> = None;
        for line in said.lines().filter_map(|line| line.strip_prefix(LINE)) {
            if let Some((name, value)) = assignment(line) {
                variables.insert(name.to_owned(), value.to_owned());
                continue;
            }
            let words = response::split(with_values(line, &variables).as_bytes());
            if let Some((preprocess, cut)) = &found {
                if words.iter().any(|word| word == "-c") && has_file(&words, &names.own) {
                    let (preprocess, cut) = (preprocess.clone(), cut.clone());
                    return Some(Commands {
                        preprocess,
                        cut,
                        compile: words,
                    });
                }
            } else if is_cudafe(&words)
                && value(&words, "--gen_c_file_name").is_some_and(|file| is_file(file, &names.own))
            {
                let input = words.last()?;
                let writes = |one: &&Vec<OsString>| value(one, "-o") == Some(input);
                let preprocess = before.iter().rev().find(writes)?;
                found = Some((preprocess.clone(), words));
                continue;
            }
            before.push(words);
        }
        None
    }
}

fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(plain)).then_some((name, value))
}

fn with_values(line: &str, variables: &HashMap<String, String>) -> String {
    let mut line = line.to_owned();
    if line.contains('$') {
        for (name, value) in variables {
            line = line.replace(&format!("${name}/"), &format!("{value}/"));
        }
    }
    line
}

fn is_cudafe(words: &[OsString]) -> bool {
    let program = words.first().map(Path::new).and_then(Path::file_name);
    program.is_some_and(|name| name.to_string_lossy().starts_with("cudafe++"))
}

fn has_file(words: &[OsString], own: &str) -> bool {
    words.iter().any(|word| is_file(word, own))
}

fn is_file(word: &OsStr, own: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    split(&name.to_string_lossy()).1 == own
}

fn value<'a>(words: &'a [OsString], option: &str) -> Option<&'a OsString> {
    let place = words.iter().rposition(|word| word == option)?;
    words.get(place + 1)
}

fn preprocess(settings: &Settings, command: &[OsString], output: &Path) -> Vec<OsString> {
    let line = CommandLine::parse(command.get(1..).unwrap_or_default(), Language::Cxx);
    let mut words = ir::kept_beside(settings, &line);
    words.extend(ir::own_headers(settings, output.parent().unwrap_or(output)));
    words.extend(["-w".into(), "-Wno-unused-command-line-argument".into()]);
    words.extend(["-E".into(), "-x".into(), "c++".into()]);
    words.extend(line.sources().into_iter().map(|source| source.path.into()));
    words.extend(["-o".into(), output.into()]);
    words
}

fn cut_out(command: &[OsString], names: &Names, input: &Path, output: &Path) -> Vec<OsString> {
    let mut words = Vec::new();
    let last = command.len().saturating_sub(1);
    let mut rest = command.iter().take(last).skip(1);
    while let Some(word) = rest.next() {
        match word.to_str().unwrap_or_default() {
            // It is there: the real compile made it, and both must say the same.
            "--gen_module_id_file" => {}
            option @ ("--gen_c_file_name" | "--stub_file_name" | "--module_id_file_name") => {
                let real = names.real(rest.next().map_or(OsStr::new(""), OsString::as_os_str));
                words.push(option.into());
                words.push(match option {
                    "--gen_c_file_name" => output.into(),
                    "--stub_file_name" => real.file_name().unwrap_or_default().into(),
                    _ => real.into(),
                });
            }
            _ => words.push(word.clone()),
        }
    }
    words.push("--no_warnings".into());
    words.push(input.into());
    words
}

fn compile(
    settings: &Settings,
    command: &[OsString],
    generated: &Path,
    cut: &Path,
    bitcode: &Path,
) -> Vec<OsString> {
    let line = CommandLine::parse(command.get(1..).unwrap_or_default(), Language::Cxx);
    let mut words = ir::kept_beside(settings, &line);
    words.extend(ir::for_ir(&line));
    // The stubs lie where nvcc put them.
    let folder = generated
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    words.extend(["-iquote".into(), folder.unwrap_or(Path::new(".")).into()]);
    words.extend(["-x".into(), "c++".into(), cut.into()]);
    words.extend(["-o".into(), bitcode.into()]);
    words
}
