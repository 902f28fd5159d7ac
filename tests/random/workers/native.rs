//! The command `random-native LIBRARY`: modules with command lines in, what the compiled code really asked of the
//! logging CUDA library out, each line run with two different contents of device memory. What hangs on memory that was
//! never written is undefined: it has no truth.

#[path = "native/code.rs"]
mod code;
#[path = "native/truth.rs"]
mod truth;

use code::Code;
use migfit_random::{Question, Truth, serve};
use std::ffi::{CStr, CString};
use truth::Scene;

/// Processor time of one module: its compilation; each run has a limit of its own.
const SECONDS: u64 = 20;
/// Contents of device memory, and what fills fresh host memory, for the first run and the second.
const FIRST: Scene = Scene {
    contents: 1,
    left: 0,
};
const SECOND: Scene = Scene {
    contents: 77,
    left: 0x5b,
};

fn main() -> std::io::Result<()> {
    let library = std::env::args().nth(1).unwrap_or_default();
    load(&library)?;
    code::set_up();
    serve(SECONDS, truths)
}

/// Makes the names of the logging library those of this process: compiled code finds them as it finds malloc.
fn load(library: &str) -> std::io::Result<()> {
    let path = CString::new(library)?;
    // SAFETY: the path is a live C string; what the library does when it is loaded is our own code.
    let found = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    match found.is_null() {
        true => Err(std::io::Error::other(why_not_loaded())),
        false => Ok(()),
    }
}

fn why_not_loaded() -> String {
    // SAFETY: called right after the failure; what it gives, if anything, is a C string.
    unsafe {
        let said = libc::dlerror();
        let said = (!said.is_null()).then(|| CStr::from_ptr(said).to_string_lossy());
        said.unwrap_or_default().into_owned()
    }
}

/// Each run's truths; none where one crashed, did not end, or is undefined.
fn truths(question: &Question) -> Result<Vec<Option<[Truth; 2]>>, String> {
    let code = Code::of(&question.ir)?;
    let runs = question.runs.iter();
    Ok(runs.map(|args| both(&code, question, args)).collect())
}

fn both(code: &Code, question: &Question, args: &[String]) -> Option<[Truth; 2]> {
    let run = |scene| truth::of(code, question, args, scene);
    let (first, second) = (run(FIRST)?, run(SECOND)?);
    let changed = Scene {
        left: SECOND.left,
        ..FIRST
    };
    (first == second || run(changed)? == first).then_some([first, second])
}
