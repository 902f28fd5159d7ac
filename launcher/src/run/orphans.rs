//! What jobs leave behind outside their process groups (a daemon, a session of its own): it becomes our child when its
//! parent ends, is known by the folder for run records in its environment, and is ended with its job.

use migfit_schema::record::RECORD_DIR_VARIABLE;
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often an orphan is looked at again whose job is not clear, a millisecond apart.
const PATIENCE: u32 = 20;

/// Tells jobs, which others wait for, from what jobs left behind.
#[derive(Debug, Default)]
pub struct Orphans {
    jobs: Mutex<HashSet<Pid>>,
}

impl Orphans {
    /// From now on orphans of jobs become our children. Where the system cannot do it, they stay as they are.
    #[must_use]
    pub fn adopt() -> Orphans {
        let _ = set_child_subreaper(Some(getpid()));
        Orphans::default()
    }

    /// Starts a job's process.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn spawn(&self, command: &mut Command) -> std::io::Result<Child> {
        // Held meanwhile: nobody takes a job that has just ended for an orphan.
        let mut jobs = self.jobs();
        let child = command.spawn()?;
        jobs.insert(Pid::from_child(&child));
        Ok(child)
    }

    /// A job's process has ended and was waited for.
    pub fn forget(&self, job: Pid) {
        self.jobs().remove(&job);
    }

    /// Ends all that a job left behind, and what that started, as deep as it goes. The job itself has ended and was
    /// not waited for yet.
    pub fn end(&self, records: &Path) {
        let mark = mark(records);
        let mut patience = PATIENCE;
        loop {
            let (ours, unclear) = self.left_behind(&mark);
            for &orphan in &ours {
                let _ = kill_process(orphan, Signal::KILL);
                // Then its own children are ours. Another job's end may have waited for it first.
                let _ = waitpid(Some(orphan), WaitOptions::empty());
            }
            if ours.is_empty() && (!unclear || patience == 0) {
                return;
            }
            if ours.is_empty() {
                patience -= 1;
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Orphans that the job with this mark left, and whether there are some of which that is not clear.
    fn left_behind(&self, mark: &[u8]) -> (Vec<Pid>, bool) {
        let jobs = self.jobs();
        // Where no other job runs, they can only be this one's.
        let alone = jobs.len() <= 1;
        let (mut ours, mut unclear) = (Vec::new(), false);
        for orphan in children().into_iter().filter(|child| !jobs.contains(child)) {
            match whose(orphan, mark) {
                Whose::Ours => ours.push(orphan),
                Whose::Others | Whose::Unclear if alone => ours.push(orphan),
                Whose::Others => {}
                Whose::Unclear => unclear = true,
            }
        }
        (ours, unclear)
    }

    fn jobs(&self) -> MutexGuard<'_, HashSet<Pid>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As it stands in the environment of everything that the job started.
fn mark(records: &Path) -> Vec<u8> {
    let variable = [RECORD_DIR_VARIABLE.as_bytes(), b"="].concat();
    [variable.as_slice(), records.as_os_str().as_bytes()].concat()
}

/// Children of all our threads; none where the system does not list them.
fn children() -> Vec<Pid> {
    let threads = Path::new("/proc/self/task").read_dir();
    let threads = threads.into_iter().flatten().filter_map(Result::ok);
    let lists = threads.filter_map(|thread| {
        let list: PathBuf = thread.path().join("children");
        std::fs::read_to_string(list).ok()
    });
    let all: Vec<String> = lists.collect();
    let words = all.iter().flat_map(|list| list.split_whitespace());
    words
        .filter_map(|word| Pid::from_raw(word.parse().ok()?))
        .collect()
}

/// Whose orphan a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// Of the job in question; or it is dead and only to be waited for.
    Ours,
    /// Of another job.
    Others,
    /// It shows no environment: it has none, or a new program is just taking its place.
    Unclear,
}

fn whose(orphan: Pid, mark: &[u8]) -> Whose {
    let process = PathBuf::from(format!("/proc/{orphan}"));
    let environment = std::fs::read(process.join("environ")).unwrap_or_default();
    if environment.split(|byte| *byte == 0).any(|one| one == mark) || is_dead(&process) {
        return Whose::Ours;
    }
    match environment.is_empty() {
        true => Whose::Unclear,
        false => Whose::Others,
    }
}

fn is_dead(process: &Path) -> bool {
    let stat = std::fs::read(process.join("stat")).unwrap_or_default();
    // The state follows the name, which stands in brackets and may hold anything.
    let end = stat.iter().rposition(|byte| *byte == b')');
    let state = end.and_then(|end| stat.get(end + 2));
    state == Some(&b'Z')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_entries_of_an_environment_count() {
        let mark = mark(Path::new("/run/jobs/a/records"));
        assert_eq!(mark, b"MIGFIT_RECORD_DIR=/run/jobs/a/records");
        for (records, expected) in [
            ("/run/jobs/a/records", Whose::Ours),
            ("/run/jobs/a/records-2", Whose::Others),
        ] {
            let mut sleeper = Command::new("sleep");
            sleeper.arg("1000").env(RECORD_DIR_VARIABLE, records);
            let orphans = Orphans::default();
            let mut child = orphans.spawn(&mut sleeper).unwrap();
            let pid = Pid::from_child(&child);
            let known = children().contains(&pid) && orphans.jobs().contains(&pid);
            let mut seen = whose(pid, &mark);
            while seen == Whose::Unclear {
                std::thread::yield_now();
                seen = whose(pid, &mark);
            }
            let process = PathBuf::from(format!("/proc/{pid}"));
            child.kill().unwrap();
            while !is_dead(&process) {
                std::thread::yield_now();
            }
            let dead = whose(pid, &mark);
            child.wait().unwrap();
            assert_eq!(
                (seen, dead, known),
                (expected, Whose::Ours, true),
                "{records}"
            );
            assert!(!is_dead(&process));
            orphans.forget(pid);
            assert!(orphans.jobs().is_empty());
        }
    }
}
