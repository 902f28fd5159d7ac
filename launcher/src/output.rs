//! The border to the terminal: results go to standard output, failures to standard error. A reader that
//! went away (`migfit fit ... | head`) is no failure.

use crate::exit_code::ExitCode;
use crate::failure::Failure;
use std::io::{ErrorKind, Write};

/// Prints a result as it is.
///
/// # Errors
/// When standard output cannot be written, except where its reader has gone.
pub fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(ExitCode::Success),
    }
}

/// Prints a line beside the result to standard error; the result does not hang on it.
pub fn remark(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Tells the user of a failure; nothing is left to do when even that cannot be written.
pub fn report(failure: &Failure) {
    let _ = std::io::stderr()
        .lock()
        .write_all(failure.text().as_bytes());
}
