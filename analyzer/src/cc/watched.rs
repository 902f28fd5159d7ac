//! Child processes that a signal to us reaches too: they are told and waited for, so that no scratch file stays behind
//! and no child outlives us. Knows nothing of compilers.

use std::io::Error;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Signals that end a build.
const ENDING: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// Children at once: the compiler, and one step of the pass beside it.
const PLACES: usize = 8;

static CHILDREN: [AtomicI32; PLACES] = [const { AtomicI32::new(0) }; PLACES];
static CAUGHT: AtomicI32 = AtomicI32::new(0);

/// From here on a signal ends our children first. What was ignored stays so.
pub fn stand_by() {
    for signal in ENDING {
        let handler = tell_children as extern "C" fn(libc::c_int);
        // SAFETY: the handler only calls kill and touches atomics, which is async-signal-safe; what was ignored before
        // us is put back.
        unsafe {
            let before = libc::signal(signal, handler as *const () as libc::sighandler_t);
            if before == libc::SIG_IGN {
                libc::signal(signal, libc::SIG_IGN);
            }
        }
    }
}

/// Ends as the signal would have ended us, where one came.
pub fn end_if_told() {
    let signal = CAUGHT.load(Ordering::SeqCst);
    if signal != 0 {
        // SAFETY: both calls only take numbers.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

extern "C" fn tell_children(signal: libc::c_int) {
    CAUGHT.store(signal, Ordering::SeqCst);
    for place in &CHILDREN {
        tell(place, signal);
    }
}

fn tell(place: &AtomicI32, signal: libc::c_int) {
    let child = place.load(Ordering::SeqCst);
    if child > 0 {
        // SAFETY: kill only takes numbers; a place is emptied before its child is reaped, so the number is its own.
        unsafe { libc::kill(child, signal) };
    }
}

/// Commands that are given up together.
#[derive(Debug)]
pub struct Group {
    given_up: AtomicBool,
    child: AtomicI32,
}

impl Group {
    /// None of them runs yet.
    pub const fn new() -> Group {
        Group {
            given_up: AtomicBool::new(false),
            child: AtomicI32::new(0),
        }
    }

    /// Ends what runs and starts nothing more.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::SeqCst);
        tell(&self.child, libc::SIGTERM);
    }

    /// Runs to the end with its output kept; one at a time.
    pub fn output(&self, command: &mut Command) -> std::io::Result<Output> {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = start(piped)?;
        self.child.store(number(&child), Ordering::SeqCst);
        if self.given_up.load(Ordering::SeqCst) {
            tell(&self.child, libc::SIGTERM);
        }
        let output = finish_reading(child, || self.child.store(0, Ordering::SeqCst));
        match self.given_up.load(Ordering::SeqCst) {
            true => Err(Error::other("given up")),
            false => output,
        }
    }
}

/// Runs to the end; input and output are ours.
pub fn status(command: &mut Command) -> std::io::Result<ExitStatus> {
    let mut child = start(command)?;
    end_of(&child);
    child.wait()
}

/// Runs to the end with its output kept.
pub fn output(command: &mut Command) -> std::io::Result<Output> {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    finish_reading(start(piped)?, || ())
}

/// Starts a command, unless a signal came: then nothing more begins.
fn start(command: &mut Command) -> std::io::Result<Child> {
    if CAUGHT.load(Ordering::SeqCst) != 0 {
        return Err(Error::from_raw_os_error(libc::EINTR));
    }
    let child = command.spawn()?;
    let own = number(&child);
    let taken = CHILDREN.iter().find(|place| {
        let empty = place.compare_exchange(0, own, Ordering::SeqCst, Ordering::SeqCst);
        empty.is_ok()
    });
    let caught = CAUGHT.load(Ordering::SeqCst);
    if let (Some(place), true) = (taken, caught != 0) {
        tell(place, caught);
    }
    Ok(child)
}

fn finish_reading(mut child: Child, ended: impl FnOnce()) -> std::io::Result<Output> {
    use std::io::Read as _;
    let said = child.stderr.take().map(|mut pipe| {
        std::thread::spawn(move || {
            let mut said = Vec::new();
            // What was read before an error is kept.
            let _ = pipe.read_to_end(&mut said);
            said
        })
    });
    let mut stdout = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        // As above.
        let _ = pipe.read_to_end(&mut stdout);
    }
    let stderr = said.and_then(|thread| thread.join().ok());
    end_of(&child);
    ended();
    let status = child.wait()?;
    Ok(Output {
        status,
        stdout,
        stderr: stderr.unwrap_or_default(),
    })
}

/// Waits for the end without reaping, and takes the child off the list while its number is still its own.
fn end_of(child: &Child) {
    let own = number(child);
    loop {
        // SAFETY: an all-zero siginfo_t is valid, and the pointer is to a live one.
        let answer = unsafe {
            let mut found: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOWAIT;
            libc::waitid(libc::P_PID, child.id(), &raw mut found, flags)
        };
        if answer == 0 || Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            break;
        }
    }
    for place in &CHILDREN {
        let _ = place.compare_exchange(own, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

fn number(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_was_given_up_starts_nothing_that_lasts() {
        let group = Group::new();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| group.output(Command::new("sleep").arg("600")));
            while group.child.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            group.give_up();
            assert!(waiting.join().unwrap().is_err());
        });
        assert!(group.output(Command::new("sleep").arg("600")).is_err());
    }

    #[test]
    fn both_outputs_are_read_at_once() {
        let script = "yes 1 | head -c 300000 >&2; yes 2 | head -c 300000";
        let output = output(Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!(
            (output.stdout.len(), output.stderr.len()),
            (300_000, 300_000)
        );
        assert!(output.status.success());
    }
}
