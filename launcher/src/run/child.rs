//! A running job: started, waited for by a thread of its own, stopped with all that it started.

use crate::run::events::Event;
use crate::run::orphans::Orphans;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, getppid, kill_process, kill_process_group,
    set_parent_process_death_signal, waitid,
};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// A job's process.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    pid: Pid,
    /// Whether it is the head of a process group of its own.
    leads: bool,
}

/// Who is told of a job's end, and how what it leaves behind is known.
#[derive(Debug)]
pub struct Watch {
    /// The job's number.
    pub job: usize,
    /// Its folder for run records.
    pub records: PathBuf,
    /// Where its end is told.
    pub events: Sender<Event>,
    /// What jobs leave behind.
    pub orphans: Arc<Orphans>,
}

impl Running {
    /// Starts the process; its end comes as an event. To be called from a thread that lives as long
    /// as the run: the system kills the process when that thread ends.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn start(command: &mut Command, leads: bool, watch: Watch) -> io::Result<Running> {
        die_with_us(command);
        let child = watch.orphans.spawn(command)?;
        let running = Running {
            pid: Pid::from_child(&child),
            leads,
        };
        let waiter = std::thread::Builder::new().spawn(move || running.wait(child, &watch));
        // Nobody would see its end.
        waiter.inspect_err(|_| running.signal(Signal::KILL))?;
        Ok(running)
    }

    /// Sends a signal to the job, and to all that it started where it leads a group.
    pub fn signal(self, signal: Signal) {
        // A job that is gone already needs no signal.
        let _ = match self.leads {
            true => kill_process_group(self.pid, signal),
            false => kill_process(self.pid, signal),
        };
    }

    fn wait(self, mut child: Child, watch: &Watch) {
        // While its head is not reaped, the group's number belongs to nobody else: what the job left behind (it would
        // hold the slice) can be ended safely now.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = waitid(WaitId::Pid(self.pid), ended) {}
        if self.leads {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
        watch.orphans.end(&watch.records);
        let status = child.wait();
        watch.orphans.forget(self.pid);
        let job = watch.job;
        // The run may be over already.
        let _ = watch.events.send(Event::Ended { job, status });
    }
}

/// A migfit that is killed outright can stop nobody: the system does it then.
fn die_with_us(command: &mut Command) {
    let us = getpid();
    let before_exec = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // We may have been killed before that call.
        match getppid() == Some(us) {
            true => Ok(()),
            false => Err(Errno::SRCH.into()),
        }
    };
    // SAFETY: between fork and exec only two system calls are made: nothing is allocated, no lock is taken.
    unsafe { command.pre_exec(before_exec) };
}
