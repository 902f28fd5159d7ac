//! A process that runs -> how it ended, and the memory over time. Stops it at a signal, at the limit of time, and before
//! the machine's memory is used up.

use crate::output;
use crate::run::child::{Running, Watch};
use crate::run::ending::Ending;
use crate::run::events::{Event, Inbox, Listener};
use crate::run::host;
use crate::run::launch::Streams;
use crate::run::orphans::Orphans;
use crate::trial::series::Series;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use migfit_schema::record::{self, RunRecord};
use migfit_schema::units::Bytes;
use rustix::process::Signal;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often records are looked at.
const PERIOD: Duration = Duration::from_millis(50);
/// Free memory of the machine below which the program is stopped.
const SPARE: Bytes = Bytes(256 << 20);

/// Why a program did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A signal to migfit.
    Signal(&'static str),
    /// `--limit`.
    Limit(Duration),
    /// The machine had no memory left.
    MachineFull,
}

/// What became of a process.
pub struct Watched {
    /// How it ended.
    pub ending: Ending,
    /// What cut it short.
    pub cut: Option<Cut>,
    /// Wall time.
    pub took: Duration,
    /// Memory over time.
    pub series: Series,
}

/// Starts the process and waits for its end.
///
/// # Errors
/// When it cannot be started, or signals not be waited for.
pub fn watch(
    command: &mut Command,
    records: &Path,
    limit: Option<Duration>,
) -> io::Result<Watched> {
    let (sender, mut inbox) = Inbox::new();
    let _listener = Listener::start(sender.clone())?;
    let begun = Instant::now();
    let watch = Watch {
        job: 0,
        records: records.to_owned(),
        events: sender,
        orphans: Arc::new(Orphans::adopt()),
    };
    let running = Running::start(command, Streams::Ours.own_group(), watch)?;
    let mut state = State {
        bar: bar(),
        begun,
        limit,
        cut: None,
        series: Series::default(),
    };
    let ending = loop {
        match inbox.next(Some(Instant::now() + PERIOD)) {
            Some(Event::Ended { status, .. }) => break Ending::of(&status),
            Some(Event::Stop { signal }) => state.stop(running, Cut::Signal(signal)),
            None => {}
        }
        state.look(records);
        if let Some(cut) = state.due() {
            state.stop(running, cut);
        }
    };
    state.look(records);
    state.bar.finish_and_clear();
    Ok(Watched {
        ending,
        cut: state.cut,
        took: begun.elapsed(),
        series: state.series,
    })
}

struct State {
    bar: ProgressBar,
    begun: Instant,
    limit: Option<Duration>,
    cut: Option<Cut>,
    series: Series,
}

impl State {
    fn look(&mut self, records: &Path) {
        let found = read(records);
        found.iter().for_each(|record| self.series.add(record));
        if !self.bar.is_hidden() {
            self.bar.set_message(progress(&found));
            self.bar.tick();
        }
    }

    /// Why the program is to be stopped now.
    fn due(&self) -> Option<Cut> {
        if self.cut.is_some() {
            return None;
        }
        let late = self.limit.filter(|limit| self.begun.elapsed() >= *limit);
        let full = host::room().memory.is_some_and(|free| free < SPARE);
        late.map(Cut::Limit).or(full.then_some(Cut::MachineFull))
    }

    /// The first request ends it gently, a second one at once.
    fn stop(&mut self, running: Running, cut: Cut) {
        let signal = match self.cut {
            None if cut != Cut::MachineFull => Signal::TERM,
            _ => Signal::KILL,
        };
        running.signal(signal);
        if self.cut.is_none() {
            output::remark("migfit: stopping the program; what was seen so far is told\n");
            self.cut = Some(cut);
        }
    }
}

/// The records of a folder that can be read now.
pub fn read(records: &Path) -> Vec<RunRecord> {
    let entries = std::fs::read_dir(records).into_iter().flatten();
    let mut paths: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let bytes = paths
        .into_iter()
        .filter_map(|path| std::fs::read(path).ok());
    bytes
        .filter_map(|bytes| record::read(&bytes).ok())
        .collect()
}

fn progress(records: &[RunRecord]) -> String {
    let sum = |value: fn(&RunRecord) -> u64| records.iter().map(value).fold(0, u64::saturating_add);
    let peak = records
        .iter()
        .map(|record| record.peak_bytes)
        .max()
        .unwrap_or(0);
    format!(
        "{} now, {} at the peak, {} launches",
        Bytes(sum(|record| record.current_bytes)),
        Bytes(peak),
        sum(|record| record.launches)
    )
}

fn bar() -> ProgressBar {
    use std::io::IsTerminal;
    let target = match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("[{elapsed}] {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
