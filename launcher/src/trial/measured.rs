//! What a try left behind -> what was measured, how far it bounds the job, and the slice on each board.

use crate::exit_code::ExitCode;
use crate::modelled::{Modelled, modelled};
use crate::run::ending::Ending;
use crate::scratch::Written;
use crate::sizing::{self, Board, Sized, SliceNeed};
use crate::trial::process::Setting;
use crate::trial::series::One;
use crate::trial::sites;
use crate::trial::watch::{Cut, Watched};
use migfit_mig::{Model, ProfileName};
use migfit_schema::kernel::Kernel;
use migfit_schema::profile::JobProfile;
use migfit_schema::record::{AllocationSite, Copies, LaunchCount, RunRecord};
use migfit_schema::units::{Bytes, Mib};
use migfit_sizes::Verdict;
use std::time::Duration;

/// What was measured of a program.
pub struct Measured {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The virtual GPU's model, and its memory.
    pub model: String,
    /// As above.
    pub memory: Mib,
    /// How the program ended.
    pub ending: Ending,
    /// What cut it short.
    pub cut: Option<Cut>,
    /// Wall time on this machine.
    pub took: Duration,
    /// What went to the scratch layer; none: it wrote in place.
    pub written: Option<Written>,
    /// Processes that used CUDA; the figures are of the one with the highest peak, launches of all.
    pub processes: usize,
    /// Its record.
    pub record: RunRecord,
    /// Memory over time of that process.
    pub series: One,
    /// Where it allocates, with the place of each.
    pub sites: Vec<(String, AllocationSite)>,
    /// Launches of all processes, by kernel and shape, in the order of the first of each.
    pub launches: Vec<LaunchCount>,
    /// Launches whose work was counted.
    pub counted: u64,
    /// Copies of all processes.
    pub copies: Copies,
    /// The program's kernels, where it has a job profile.
    pub kernels: Vec<Kernel>,
    /// Device variables; none where there is no job profile.
    pub variables: Option<Bytes>,
    /// How far the figures bound the job.
    pub verdict: Verdict,
    /// Why not further.
    pub doubts: Vec<String>,
    /// The boards.
    pub boards: Vec<(Board<'static>, Sized)>,
}

impl Measured {
    /// Of a try.
    pub fn of(
        setting: &Setting<'_>,
        memory: Mib,
        watched: Watched,
        mut records: Vec<RunRecord>,
        profile: Option<JobProfile>,
        unsupported: &str,
        written: Option<Written>,
    ) -> Measured {
        let (verdict, doubts) = verdict(
            setting.request.skip_kernels,
            &watched,
            &records,
            unsupported,
        );
        let processes = records.len();
        let launches = launches(&records);
        let copies = copies(&records);
        let counted = records.iter().map(|record| record.counted_launches).sum();
        records.sort_by_key(|record| std::cmp::Reverse(record.peak_bytes));
        let record = records.swap_remove(0);
        let variables = profile
            .as_ref()
            .map(|profile| Bytes(profile.summary.device_variables));
        let need = SliceNeed {
            bytes: Some(Bytes(record.peak_rounded_bytes)),
            variables: variables.unwrap_or_default(),
            verdict,
        };
        let boards = &setting.request.boards;
        let words = setting.request.words().into_iter();
        let places = sites::places(&record.sites);
        Measured {
            command: words
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            model: setting.model.name.clone(),
            memory,
            ending: watched.ending,
            cut: watched.cut,
            took: watched.took,
            written,
            processes,
            series: watched.series.largest().cloned().unwrap_or_default(),
            sites: places.into_iter().zip(record.sites.clone()).collect(),
            launches,
            counted,
            copies,
            kernels: profile.map_or_else(Vec::new, |profile| profile.summary.kernels),
            variables,
            verdict,
            doubts,
            boards: boards
                .iter()
                .map(|board| (*board, sizing::size(*board, |_| need)))
                .collect(),
            record,
        }
    }

    /// Whether every launch was executed and its work counted.
    pub fn is_counted(&self) -> bool {
        let launches = self.launches.iter().map(|launch| launch.count);
        self.counted == launches.fold(0, u64::saturating_add)
    }

    /// Modelled times on the slices of a model, by growing size; empty where no source has its speeds.
    pub fn modelled(&self, model: &Model) -> Vec<(ProfileName, Modelled)> {
        let names = model.basic_profiles().into_iter();
        let on = |name| {
            let profile = model.profile(name)?;
            Some((
                name,
                modelled(&self.launches, &self.copies, model, Some(profile))?,
            ))
        };
        names.filter_map(on).collect()
    }

    /// What the shell is told: the program's own code, unless migfit stopped it.
    pub fn code(&self) -> ExitCode {
        match (&self.cut, &self.ending) {
            (Some(Cut::Signal(_)), _) => ExitCode::Interrupted,
            (Some(Cut::Limit(_) | Cut::MachineFull), _) => ExitCode::Success,
            (None, ending) => ending
                .exit_code()
                .map_or(ExitCode::CannotStart, ExitCode::of_command),
        }
    }
}

/// How far the figures bound the job, and why not further.
fn verdict(
    skipped: bool,
    watched: &Watched,
    records: &[RunRecord],
    unsupported: &str,
) -> (Verdict, Vec<String>) {
    let mut doubts = Vec::new();
    let any = |wanted: fn(&RunRecord) -> bool| records.iter().any(wanted);
    match &watched.cut {
        Some(Cut::Signal(signal)) => {
            doubts.push(format!("{signal} stopped it: figures are until then"))
        }
        Some(Cut::Limit(limit)) => {
            doubts.push(format!(
                "it was stopped after {} s (--limit): figures are until then",
                limit.as_secs_f64()
            ));
        }
        Some(Cut::MachineFull) => {
            doubts.push(
                "it was stopped, as this machine has no memory left: figures are until then"
                    .to_owned(),
            );
        }
        None if !watched.ending.is_success() => {
            doubts.push(format!(
                "it ended with {}: figures are until then",
                watched.ending
            ));
        }
        None => {}
    }
    let calls: Vec<&str> = unsupported.lines().collect();
    if !calls.is_empty() {
        doubts.push(format!(
            "the virtual GPU does not do {}: the program may have gone another way",
            calls.join(", ")
        ));
    }
    if any(|record| record.disturbed) {
        doubts.push("the recording failed before its end".to_owned());
    }
    if any(|record| record.failures > 0) {
        doubts.push("allocations failed for lack of memory".to_owned());
    }
    if any(|record| record.unreal_reads > 0) {
        doubts.push(
            "kernels were skipped, and the host read what they would have made: what hangs on such results is not real"
                .to_owned(),
        );
    }
    if !doubts.is_empty() {
        return (Verdict::LowerBound, doubts);
    }
    if any(|record| record.memory_queries > 0) {
        doubts.push(
            "it asked how much memory is free: on a slice it may take another amount".to_owned(),
        );
        return (Verdict::Elastic, doubts);
    }
    if skipped {
        doubts.push("kernels were skipped; nothing that they make was read".to_owned());
    }
    (Verdict::Assumed, doubts)
}

fn launches(records: &[RunRecord]) -> Vec<LaunchCount> {
    let mut all: Vec<LaunchCount> = Vec::new();
    for launch in records.iter().flat_map(|record| &record.kernels) {
        let same = |known: &&mut LaunchCount| {
            known.kernel == launch.kernel
                && (known.grid, known.block, known.shared)
                    == (launch.grid, launch.block, launch.shared)
        };
        match all.iter_mut().find(same) {
            Some(known) => known.add(launch),
            None => all.push(launch.clone()),
        }
    }
    all
}

fn copies(records: &[RunRecord]) -> Copies {
    let mut all = Copies::default();
    records.iter().for_each(|record| all.add(&record.copies));
    all
}
