//! The command `migfit-cc`: stands for a compiler during `migfit build`, under nvcc as its host compiler and under
//! the usual names in PATH. A compiler's command line comes in; the same object or program comes out, with host IR in
//! the object and the job profile in the program. Must not load LLVM: `clang` and `migfit-analyze` do.

mod analysis;
mod beside_nvcc;
mod carried_ir;
mod command_line;
mod compile;
mod elf;
mod error;
mod free_core;
mod ir;
mod job_profile;
mod kept_copy;
mod language;
mod left_alone;
mod libraries;
mod link;
mod linked_objects;
mod linker;
mod log;
mod nvcc;
mod options;
mod process;
mod response;
mod settings;
mod shared_runtime;
mod users_compiler;
mod watched;

use command_line::{CommandLine, Task};
use error::CcError;
use migfit_schema::build::{BuildNote, NVCC_WORD};
use settings::{Role, Settings};
use std::path::Path;
use std::process::ExitCode;

/// What a shell says when it cannot start a program.
const CANNOT_START: u8 = 127;

fn main() -> ExitCode {
    watched::stand_by();
    let done = stand_in();
    watched::end_if_told();
    match done {
        Ok(code) => u8::try_from(code).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("migfit-cc: error: {error}\n  hint: {}", error.hint());
            CANNOT_START.into()
        }
    }
}

/// Under the name of a compiler, or of nvcc.
fn stand_in() -> Result<i32, CcError> {
    let mut words = std::env::args_os().skip(1);
    match words.next() {
        Some(first) if first == NVCC_WORD => {
            let nvcc = words.next().unwrap_or_default();
            nvcc::stand_in(Path::new(&nvcc), words.collect())
        }
        _ => compiler(),
    }
}

/// Does what the compiler would have done, and ours beside it; returns the compiler's exit code.
fn compiler() -> Result<i32, CcError> {
    let mut settings = Settings::from_environment()?;
    let mut line = CommandLine::parse(&settings.words, settings.role.default_language());
    let task = line.task();
    let no_ir = settings.clang.is_none() && !matches!(task, Task::Link(_));
    if settings.off || no_ir || settings.role == Role::MpiShim {
        return Err(process::replace_us(&settings));
    }
    if let Some(flag) = &settings.left_alone {
        log::note(&settings, BuildNote::LeftToUsersCompiler(flag.clone()));
        return match task {
            Task::Link(output) => link::link(&settings, &line, &output),
            Task::Compile(_) | Task::Other => Err(process::replace_us(&settings)),
        };
    }
    let kept = task == Task::Other || !settings.wants_clang;
    if let (Some(named), false) = (&settings.named_to_nvcc, kept) {
        let named = named.to_string_lossy().into_owned();
        log::note(&settings, BuildNote::HostCompilerSetAside(named));
    }
    match task {
        // Preprocessing, questions and whatever we do not know.
        Task::Other => Err(process::replace_us(&settings)),
        Task::Compile(sources) => {
            if settings.wants_clang {
                without_lto(&mut settings, &mut line);
            }
            compile::compile(&settings, &line, &sources)
        }
        Task::Link(output) => {
            if settings.role == Role::UnderNvcc && !settings.wants_clang {
                settings.compiler = users_compiler::for_links(&settings.compiler);
            }
            link::link(&settings, &line, &output)
        }
    }
}

/// Objects of link-time optimisation are for one compiler's linker plugin alone, which drops all else in them: an
/// object is compiled plainly instead. The link takes it as it takes any other.
fn without_lto(settings: &mut Settings, line: &mut CommandLine) {
    if line.has_option(options::is_lto) {
        line.tokens.retain(|token| !options::is_lto(token.option()));
        settings.words.push("-fno-lto".into());
        log::note(settings, BuildNote::LtoLeftOut);
    }
}
