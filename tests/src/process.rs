//! Runs a program to its end and keeps what it said; a program that hangs is ended and fails the test.

use crate::stage::target;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long any program of the tests may take: far more than it needs.
const LIMIT: Duration = Duration::from_secs(240);

/// What a program came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The command line.
    pub command: String,
    /// Exit code; 128 + signal where one ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Variables that cargo and the user's shell put into our environment and that must not reach what we run.
const FOREIGN: [&str; 14] = [
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MIGFIT",
    "MIGFIT_VGPU",
    "MIGFIT_VGPU_STATE",
    "MIGFIT_VGPU_NAME",
    "MIGFIT_VGPU_MIG",
    "MIGFIT_VGPU_HALVES",
    "MIGFIT_VGPU_DELAY",
    "MIGFIT_VGPU_FAULTS",
    "MIGFIT_VGPU_LOG",
    "MIGFIT_RECORD_DIR",
    "NVCC_APPEND_FLAGS",
    "CUDA_VISIBLE_DEVICES",
];

/// Takes out of the command's environment what could change its result; what the test set itself stays.
pub fn clean(command: &mut Command) -> &mut Command {
    for name in FOREIGN {
        command.env_remove(name);
    }
    // Copies of job profiles go into a data folder of the tests' own.
    command.env("XDG_DATA_HOME", target().join("tests/data"))
}

/// Runs to the end; standard input is empty.
///
/// # Panics
/// When it cannot be started, or takes far too long.
pub fn output(command: &mut Command) -> Outcome {
    finish(start(command), command)
}

/// Starts; standard input is empty, output is kept for `finish`.
///
/// # Panics
/// When it cannot be started.
pub fn start(command: &mut Command) -> Child {
    start_reading(command, Stdio::null())
}

/// Starts with this standard input; output is kept for `finish`.
///
/// # Panics
/// When it cannot be started.
pub fn start_reading(command: &mut Command, stdin: Stdio) -> Child {
    let piped = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    piped
        .spawn()
        .unwrap_or_else(|error| panic!("{} cannot be started: {error}", shown(command)))
}

/// Waits for the end of a program that `start` started.
///
/// # Panics
/// When it takes far too long.
pub fn finish(child: Child, command: &Command) -> Outcome {
    let pid = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let output = child.wait_with_output();
        // The receiver may have given up.
        let _ = sender.send(());
        output
    });
    let begun = Instant::now();
    if receiver.recv_timeout(LIMIT).is_err() {
        signal(pid, libc::SIGKILL);
        panic!("{} took more than {:?}", shown(command), begun.elapsed());
    }
    let output = waiter
        .join()
        .expect("waiting does not panic")
        .expect("a child can be waited for");
    Outcome {
        command: shown(command),
        code: code(output.status),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Sends a signal to a process that the test started.
pub fn signal(pid: u32, signal: i32) {
    let pid = libc::pid_t::try_from(pid).expect("a process id is small");
    // SAFETY: kill only takes numbers; the process is a child of ours that was not waited for yet.
    let answer = unsafe { libc::kill(pid, signal) };
    assert_eq!(answer, 0, "signal {signal} cannot be sent to {pid}");
}

fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .or(status.signal().map(|signal| 128 + signal))
        .expect("a program ends by exit code or signal")
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

impl Outcome {
    /// Fails unless the exit code is 0.
    #[track_caller]
    pub fn expect_success(self) -> Outcome {
        self.expect_code(0)
    }

    /// Fails unless the exit code is this one.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Outcome {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// An error as migfit must tell it: this exit code, `error: `, a hint, each of these parts.
    #[track_caller]
    pub fn expect_refusal(self, code: i32, parts: &[&str]) -> Outcome {
        assert_eq!(self.code, code, "{self}");
        assert!(self.stderr.starts_with("error: "), "no error line: {self}");
        assert!(self.stderr.contains("\nhint: "), "no hint: {self}");
        for part in parts {
            assert!(self.stderr.contains(part), "no '{part}' in: {self}");
        }
        self
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcome {
            command,
            code,
            stdout,
            stderr,
        } = self;
        write!(
            f,
            "`{command}` ended with {code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"
        )
    }
}
