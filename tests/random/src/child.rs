//! Runs a closure in a child process and brings its text back; how the child ended where it brings none.

use std::fs::File;
use std::io::{Error, Read, Write};
use std::os::fd::FromRawFd;

/// The closure's text, or how its process ended. Only for processes with one thread.
///
/// # Errors
/// When the system gives no pipe or process.
pub fn in_child(
    seconds: u64,
    work: impl FnOnce() -> String,
) -> std::io::Result<Result<String, String>> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both ends.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: both ends were opened just now and belong to nobody else.
    let (mut read, write) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
    // SAFETY: this process has one thread, so the child may go on as it would.
    match unsafe { libc::fork() } {
        -1 => Err(Error::last_os_error()),
        0 => work_and_end(seconds, work, write),
        child => {
            drop(write);
            let mut text = String::new();
            read.read_to_string(&mut text)?;
            let mut status = 0;
            // SAFETY: the status is a live place, the child is our own.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            Ok(match (libc::WIFSIGNALED(status), text.is_empty()) {
                (true, _) => Err(format!("ended by signal {}", libc::WTERMSIG(status))),
                (false, true) => Err("ended without an answer".to_owned()),
                (false, false) => Ok(text),
            })
        }
    }
}

fn work_and_end(seconds: u64, work: impl FnOnce() -> String, mut write: File) -> ! {
    let limit = libc::rlimit {
        rlim_cur: seconds,
        rlim_max: seconds,
    };
    // SAFETY: the pointer is to a live limit. A limit that is refused costs only patience.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
    let text = work();
    // A test that is gone needs no answer.
    let _ = write.write_all(text.as_bytes());
    // SAFETY: ends the child at once, without what the parent has registered for its own end.
    unsafe { libc::_exit(0) }
}
