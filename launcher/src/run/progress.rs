//! A progress bar on standard error, only where that is a terminal; and lines that must not wait for the report.

use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// What the user sees while jobs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    Nothing,
    /// Lines alone: the one job has the terminal.
    Lines,
    /// A bar and lines.
    Bar,
}

/// Jobs done, and which run now.
pub struct Progress {
    bar: ProgressBar,
    lines: bool,
}

impl Progress {
    /// For so many jobs.
    pub fn new(jobs: usize, shown: Shown) -> Progress {
        let target = match shown == Shown::Bar && std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(jobs as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} jobs  {wide_msg}") {
            bar.set_style(style);
        }
        let lines = shown != Shown::Nothing;
        Progress { bar, lines }
    }

    /// Jobs may take a while to end: says so at once.
    pub fn stopping(&self, running: usize, signal: &str) {
        let jobs = match running {
            0 => return,
            1 => "1 job".to_owned(),
            count => format!("{count} jobs"),
        };
        self.say(&format!(
            "migfit: got {signal}: stopping {jobs}; again to kill them now"
        ));
    }

    /// These jobs run now.
    pub fn running(&self, names: &[&str]) {
        self.bar.set_message(names.join(", "));
    }

    /// One job more has ended.
    pub fn ended(&self) {
        self.bar.inc(1);
    }

    /// A line at once.
    pub fn say(&self, line: &str) {
        match (self.lines, self.bar.is_hidden()) {
            (false, _) => {}
            (true, true) => output::remark(&format!("{line}\n")),
            (true, false) => self.bar.println(line),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
