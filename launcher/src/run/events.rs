//! What a run waits for: the end of a job, a signal to stop, or a point in time. Ends and signals come through one
//! channel; nothing polls.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::collections::VecDeque;
use std::io;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

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

/// Events that have come and were not dealt with yet, in their order.
#[derive(Debug)]
pub struct Inbox {
    receiver: Receiver<Event>,
    come: VecDeque<Event>,
}

impl Inbox {
    /// An empty one, and where to send events.
    #[must_use]
    pub fn new() -> (Sender<Event>, Inbox) {
        let (sender, receiver) = channel();
        let come = VecDeque::new();
        (sender, Inbox { receiver, come })
    }

    /// The next event; none where that time comes first.
    pub fn next(&mut self, until: Option<Instant>) -> Option<Event> {
        if let Some(event) = self.come.pop_front() {
            return Some(event);
        }
        match until {
            None => self.receiver.recv().ok(),
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                self.receiver.recv_timeout(left).ok()
            }
        }
    }

    /// A request to stop that has come by now, before what else came.
    pub fn stop(&mut self) -> Option<&'static str> {
        self.come.extend(self.receiver.try_iter());
        let stop = |event: &Event| matches!(event, Event::Stop { .. });
        let at = self.come.iter().position(stop)?;
        match self.come.remove(at) {
            Some(Event::Stop { signal }) => Some(signal),
            _ => None,
        }
    }
}

/// Listens for signals until dropped.
#[derive(Debug)]
pub struct Listener(Handle);

impl Listener {
    /// Sends SIGINT, SIGQUIT, SIGTERM and SIGHUP as events from now on, except those that whoever started us has us
    /// ignore: `nohup` SIGHUP, a shell SIGINT and SIGQUIT of what it runs in the background.
    ///
    /// # Errors
    /// When the system does not allow it.
    pub fn start(events: Sender<Event>) -> io::Result<Listener> {
        let mut signals = Signals::new(heeded())?;
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

/// Those of SIGINT, SIGQUIT, SIGTERM and SIGHUP that we are not made to ignore.
pub fn heeded() -> Vec<i32> {
    let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    let wanted = [SIGINT, SIGQUIT, SIGTERM, SIGHUP].into_iter();
    wanted.filter(|signal| !ignored.has(*signal)).collect()
}

/// Signals that a process ignores; its children inherit that.
#[derive(Clone, Copy, Debug)]
struct Ignored(u64);

impl Ignored {
    fn has(self, signal: i32) -> bool {
        let bit = u32::try_from(signal - 1).ok();
        bit.and_then(|bit| self.0.checked_shr(bit))
            .is_some_and(|mask| mask & 1 == 1)
    }
}

/// From a process's `/proc/PID/status`, whose `SigIgn` has signal 1 as its lowest bit; none where it does not tell.
fn ignored(status: &str) -> Ignored {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    Ignored(line.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0)))
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(job: usize) -> Event {
        let status = Err(io::ErrorKind::Other.into());
        Event::Ended { job, status }
    }

    #[test]
    fn ignored_signals_are_read_bit_by_bit() {
        let mask =
            |mask: &str| ignored(&format!("Name:\tmigfit\nSigIgn:\t{mask}\nSigCgt:\tffff\n"));
        let of = |mask: Ignored| [SIGHUP, SIGINT, SIGQUIT, SIGTERM].map(|signal| mask.has(signal));
        assert_eq!(of(mask("0000000000001001")), [true, false, false, false]);
        assert_eq!(of(mask("0000000000000006")), [false, true, true, false]);
        assert_eq!(of(mask("0000000000004000")), [false, false, false, true]);
        assert_eq!(of(ignored("")), [false; 4]);
        assert!(!mask("ffffffffffffffff").has(0));
    }

    #[test]
    fn a_request_to_stop_goes_before_ends_and_loses_none() {
        let (sender, mut inbox) = Inbox::new();
        assert_eq!(inbox.stop(), None);
        for event in [ended(0), Event::Stop { signal: "SIGINT" }, ended(1)] {
            sender.send(event).unwrap();
        }
        assert_eq!((inbox.stop(), inbox.stop()), (Some("SIGINT"), None));
        let mut next = || match inbox.next(Some(Instant::now())) {
            Some(Event::Ended { job, .. }) => Some(job),
            _ => None,
        };
        assert_eq!((next(), next(), next()), (Some(0), Some(1), None));
    }
}
