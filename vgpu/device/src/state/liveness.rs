//! Whether a process that left its name in the state file is still there.

use std::fs;

/// When the process started, in clock ticks since boot; `None` when it is gone or a zombie.
#[must_use]
pub fn started_at(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse(&stat)
}

/// Whether the process with this pid and start time still lives.
#[must_use]
pub fn is_alive(pid: u32, started: u64) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => parse(&stat) == Some(started),
        // Other users' processes may be hidden in /proc; a signal of 0 still tells them apart from none.
        Err(_) => exists(pid),
    }
}

fn exists(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else {
        return false;
    };
    // SAFETY: signal 0 sends nothing; it only checks that the process is there.
    let sent = unsafe { libc::kill(pid, 0) };
    sent == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// The start time (field 22) of a line of /proc/PID/stat. The name (field 2) may hold spaces and brackets.
fn parse(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let state = fields.next()?;
    // Field 3 is gone; field 20 (threads) is the 17th of the rest, field 22 two further.
    let threads: u64 = fields.nth(16)?.parse().ok()?;
    let started = fields.nth(1)?.parse().ok()?;
    // A dead leader whose other threads still run is a zombie too, but counts more than one thread.
    let dead = matches!(state, "Z" | "X" | "x") && threads <= 1;
    (!dead).then_some(started)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_may_hold_brackets_and_spaces() {
        let line = "12 (a) b (c) S 1 12 12 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 3 0 777 100 2";
        assert_eq!(parse(line), Some(777));
    }

    #[test]
    fn a_zombie_is_dead_unless_other_threads_run() {
        let zombie = "12 (a) Z 1 12 12 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        assert_eq!(parse(zombie), None);
        let leader_gone = "12 (a) Z 1 12 12 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 2 0 777 0 0";
        assert_eq!(parse(leader_gone), Some(777));
    }

    #[test]
    fn a_reused_pid_is_another_process() {
        let me = std::process::id();
        let started = started_at(me).unwrap();
        assert!(is_alive(me, started));
        assert!(!is_alive(me, started + 1));
        assert!(!is_alive(u32::MAX, 1));
    }
}
