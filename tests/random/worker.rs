//! A worker process (workers/) as the test sees it: a question in, its reply out.

use migfit_random::{Question, Reply};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running worker; it ends with its owner.
pub struct Worker {
    child: Child,
    questions: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts it.
    pub fn start(command: &mut Command) -> Worker {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("cargo built the worker");
        let replies = BufReader::new(child.stdout.take().expect("it is piped"));
        Worker {
            questions: child.stdin.take(),
            replies,
            child,
        }
    }

    /// Gives it a question to work on.
    pub fn ask(&mut self, question: &Question) {
        let text = serde_json::to_string(question).expect("a question is JSON");
        let pipe = self.questions.as_mut().expect("open until the end");
        writeln!(pipe, "{text}").expect("the worker reads");
    }

    /// Waits for what it makes of the question.
    pub fn reply<T: DeserializeOwned>(&mut self) -> Reply<T> {
        let mut line = String::new();
        self.replies
            .read_line(&mut line)
            .expect("the worker writes text");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.questions.take());
        // It ends with its questions.
        let _ = self.child.wait();
    }
}
