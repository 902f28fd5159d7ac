//! Waits for the build command. A signal to us goes on to it and we stay until it ended, so that our temporary folder goes.

use crate::run::heeded;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::iterator::Signals;
use std::process::{Command, ExitStatus};

/// Runs the command to its end.
pub(super) fn status(command: &mut Command) -> std::io::Result<ExitStatus> {
    let signals = Signals::new(heeded());
    let mut child = command.spawn()?;
    let Ok(mut signals) = signals else {
        return child.wait();
    };
    let handle = signals.handle();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let teller = std::thread::spawn(move || {
        for signal in signals.forever() {
            if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
                // It may have ended by itself.
                let _ = kill_process(pid, signal);
            }
        }
    });
    let status = child.wait();
    handle.close();
    // The thread ends when the handle is closed; it has no result.
    let _ = teller.join();
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    #[test]
    fn the_end_of_a_command_is_passed_on() {
        let of = |script: &str| status(Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!(of("exit 7").code(), Some(7));
        assert_eq!(of("kill -TERM $$").signal(), Some(15));
        assert!(status(&mut Command::new("no-such-command")).is_err());
    }
}
