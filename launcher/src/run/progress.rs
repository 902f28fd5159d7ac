//! A progress bar on standard error, only where that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Jobs done, and which run now.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar for so many jobs; hidden where nobody watches.
    pub fn new(jobs: usize, hidden: bool) -> Progress {
        let target = match hidden || !std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(Some(jobs as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} jobs  {wide_msg}") {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// These jobs run now.
    pub fn running(&self, names: &[&str]) {
        self.0.set_message(names.join(", "));
    }

    /// One job more has ended.
    pub fn ended(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
