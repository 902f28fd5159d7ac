//! What a run waits for: the end of a job, or a signal to stop. Both come through one channel; nothing polls.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::io;
use std::process::ExitStatus;
use std::sync::mpsc::Sender;

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// A job's process ended.
    Ended {
        /// Which job.
        job: usize,
        /// How.
        status: io::Result<ExitStatus>,
    },
    /// The user or the system wants us to stop.
    Stop {
        /// Name of the signal.
        signal: &'static str,
    },
}

/// Listens for signals until dropped.
#[derive(Debug)]
pub struct Listener(Handle);

impl Listener {
    /// Sends SIGINT, SIGQUIT, SIGTERM and SIGHUP as events from now on.
    ///
    /// # Errors
    /// When the system does not allow it.
    pub fn start(events: Sender<Event>) -> io::Result<Listener> {
        let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP])?;
        let handle = signals.handle();
        std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                let signal = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
                if events.send(Event::Stop { signal }).is_err() {
                    return;
                }
            }
        })?;
        Ok(Listener(handle))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.close();
    }
}
