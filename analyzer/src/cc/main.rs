//! The command `migfit-cc`: stands for a compiler during `migfit build`, under nvcc as its host compiler and under
//! the usual names in PATH. A compiler's command line comes in; the same object or program comes out, with host IR in
//! the object and the job profile in the program. Must not load LLVM: `clang` and `migfit-analyze` do.

mod analysis;
mod command_line;
mod compile;
mod elf;
mod error;
mod ir;
mod job_profile;
mod language;
mod link;
mod linked_objects;
mod options;
mod process;
mod response;
mod settings;

use command_line::{CommandLine, Task};
use error::CcError;
use settings::{Role, Settings};
use std::process::ExitCode;

/// What a shell says when it cannot start a program.
const CANNOT_START: u8 = 127;

fn main() -> ExitCode {
    match stand_in() {
        Ok(code) => u8::try_from(code).unwrap_or(1).into(),
        Err(error) => {
            eprintln!("migfit-cc: error: {error}\n  hint: {}", error.hint());
            CANNOT_START.into()
        }
    }
}

/// Does what the compiler would have done, and ours beside it; returns the compiler's exit code.
fn stand_in() -> Result<i32, CcError> {
    let settings = Settings::from_environment()?;
    let line = CommandLine::parse(&settings.words, settings.role.default_language());
    if settings.off || settings.role == Role::MpiShim {
        return Err(process::replace_us(&settings));
    }
    match line.task() {
        Task::Other => Err(process::replace_us(&settings)),
        Task::Compile(sources) => compile::compile(&settings, &line, &sources),
        Task::Link(output) => link::link(&settings, &line, &output),
    }
}
