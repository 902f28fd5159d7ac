//! A worker's loop: questions from standard input, replies to standard output.

use crate::child::in_child;
use crate::question::{Question, Reply};
use serde::Serialize;
use std::io::{BufRead, Write};

/// Answers each question in a child process that may take so much processor time, until no more come.
///
/// # Errors
/// When the pipes to the test break, or a line is no question.
pub fn serve<T: Serialize>(
    seconds: u64,
    answer: impl Fn(&Question) -> Result<Vec<T>, String>,
) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let question: Question = serde_json::from_str(&line?)?;
        let reply = in_child(seconds, || {
            let reply = match answer(&question) {
                Ok(done) => Reply::Done(done),
                Err(why) => Reply::Failed(why),
            };
            serde_json::to_string(&reply).unwrap_or_default()
        })?;
        let reply = match reply {
            Ok(text) => text,
            Err(how) => serde_json::to_string(&Reply::<T>::Failed(how))?,
        };
        writeln!(out, "{reply}")?;
        out.flush()?;
    }
    Ok(())
}
