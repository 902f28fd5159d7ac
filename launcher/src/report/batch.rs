//! The batch as a whole, from its jobs. A figure without a source is null, and a note says why.

use crate::policy::{HostRoom, Shortage};
use migfit_schema::report::{Batch, JobReport, Source};
use migfit_schema::units::Bytes;

/// What a reader must know of a run on the virtual GPU whose kernels were counted and not run.
fn not_executed_note(launches: u64) -> String {
    format!(
        "kernels not executed: the virtual GPU counted {launches} launch{} but ran none, so a launch has no work \
         count and no time or energy is claimed",
        if launches == 1 { "" } else { "es" }
    )
}

/// What the batch's figures rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// Number of jobs, ended or not.
    pub jobs: usize,
    /// Whether the GPU is virtual: it has no clock of its own, so no time is read off a run.
    pub is_virtual: bool,
    /// Launches that were counted and not run.
    pub not_executed: u64,
    /// Jobs with launches that the driver refused.
    pub refused_in: usize,
    /// Jobs with launches foretold and none seen.
    pub unseen_in: usize,
    /// Jobs in which an allocation failed and that ended with exit code 0.
    pub coped: usize,
    /// Jobs that may be started again before they run out of memory.
    pub early: usize,
    /// Whether each job keeps one core busy.
    pub one_core_each: bool,
    /// What the host had for jobs when the run began.
    pub host: HostRoom,
    /// What of it a job waited for with a slice free.
    pub short_of: Vec<Shortage>,
    /// What could not be written while jobs ran.
    pub unwritten: Option<String>,
    /// What "one at a time" means.
    pub baseline: Option<String>,
    /// Whether this run is the baseline itself.
    pub is_baseline: bool,
}

impl Basis {
    /// The batch's figures, from the jobs that have ended.
    #[must_use]
    pub fn batch(&self, ended: &[JobReport]) -> Batch {
        let completed = ended.iter().filter(|job| job.exit_code == Some(0)).count();
        let timed = !self.is_virtual && self.not_executed == 0;
        let makespan_s = timed.then(|| makespan(ended)).flatten();
        let sequential_makespan_s = makespan_s.filter(|_| self.is_baseline);
        Batch {
            jobs: self.jobs,
            completed,
            failed: ended.len() - completed,
            baseline: self.baseline.clone(),
            makespan_s,
            sequential_makespan_s,
            throughput_ratio: sequential_makespan_s.map(|_| 1.0),
            energy_j: None,
            sequential_energy_j: None,
            energy_ratio: None,
            time_source: makespan_s.map(|_| Source::Measured),
            energy_source: None,
            repeats: 1,
        }
    }

    /// Why figures are null, in sentences.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let note = match (self.not_executed, self.is_virtual) {
            (0, false) if self.is_baseline => {
                "this run is the baseline; energy was not measured".to_owned()
            }
            (0, true) => "virtual GPU: kernels ran on the CPU, so no time or energy is measured; what is modelled is called so".to_owned(),
            (0, false) => {
                "the baseline was not run: no throughput or energy ratio (run again with --policy sequential)".to_owned()
            }
            (launches, _) => not_executed_note(launches),
        };
        let counts = [
            (
                self.refused_in,
                "launches that the driver refused: see the reasons",
            ),
            (
                self.unseen_in,
                "launches foretold and none seen: see the reasons",
            ),
            (
                self.coped,
                "exit code 0 after an allocation failed: see the reasons",
            ),
            (
                self.early,
                "restart = \"early\", which acts like \"oom\" for now",
            ),
        ];
        let counts = counts.into_iter().filter(|(jobs, _)| *jobs > 0);
        let counts = counts.map(|(jobs, what)| {
            let has = if jobs == 1 { "has" } else { "have" };
            format!("{} {has} {what}", counted(jobs, "job"))
        });
        let short = self.short_of.iter().map(|&shortage| self.short(shortage));
        let notes = std::iter::once(note).chain(counts).chain(short);
        notes.chain(self.unwritten.clone()).collect()
    }

    /// What jobs waited for although a slice was free.
    fn short(&self, shortage: Shortage) -> String {
        let cores = self.host.cpus as usize;
        match shortage {
            Shortage::Cores if self.one_core_each => format!(
                "at most {} at once: this host has {}",
                counted(cores, "job"),
                counted(cores, "core")
            ),
            Shortage::Cores => format!("jobs waited for cores: this host has {cores}"),
            Shortage::Memory => format!(
                "jobs waited for host memory: {} were free when the run began",
                self.host.memory.unwrap_or(Bytes(0))
            ),
        }
    }
}

/// `1 job`, `2 jobs`.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Last end after the common submit.
fn makespan(ended: &[JobReport]) -> Option<f64> {
    let ends = ended
        .iter()
        .filter_map(|job| Some(job.wait_s? + job.run_s?));
    ends.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    fn basis(is_virtual: bool, not_executed: u64) -> Basis {
        Basis {
            jobs: 3,
            is_virtual,
            not_executed,
            baseline: Some("7g".to_owned()),
            ..samples::basis()
        }
    }

    #[test]
    fn no_time_is_claimed_where_kernels_did_not_run() {
        let batch = basis(true, 40).batch(&samples::jobs());
        assert_eq!((batch.completed, batch.failed), (1, 1));
        assert_eq!((batch.makespan_s, batch.time_source), (None, None));
        assert_eq!(
            basis(true, 40).notes(),
            [
                "kernels not executed: the virtual GPU counted 40 launches but ran none, so a launch has no work count \
              and no time or energy is claimed"
            ]
        );
    }

    #[test]
    fn no_time_is_claimed_of_kernels_that_ran_on_the_cpu() {
        let batch = basis(true, 0).batch(&samples::jobs());
        assert_eq!((batch.makespan_s, batch.time_source), (None, None));
        let note = "virtual GPU: kernels ran on the CPU, so no time or energy is measured; what is modelled is called so";
        assert_eq!(basis(true, 0).notes(), [note]);
    }

    #[test]
    fn a_real_gpu_s_makespan_is_measured() {
        let batch = basis(false, 0).batch(&samples::jobs());
        assert_eq!(
            (batch.makespan_s, batch.time_source),
            (Some(3.5), Some(Source::Measured))
        );
        assert_eq!((batch.throughput_ratio, batch.energy_source), (None, None));
        assert!(basis(false, 0).notes()[0].contains("baseline was not run"));
        let itself = Basis {
            is_baseline: true,
            ..basis(false, 0)
        };
        let batch = itself.batch(&samples::jobs());
        assert_eq!(
            (batch.sequential_makespan_s, batch.throughput_ratio),
            (Some(3.5), Some(1.0))
        );
    }

    #[test]
    fn what_a_reader_must_know_is_noted() {
        let basis = Basis {
            refused_in: 1,
            unseen_in: 2,
            coped: 1,
            early: 2,
            short_of: vec![Shortage::Cores, Shortage::Memory],
            unwritten: Some("no room".to_owned()),
            ..basis(true, 1)
        };
        let notes = basis.notes();
        assert!(notes[0].contains("counted 1 launch but ran none"));
        assert_eq!(
            notes[1..],
            [
                "1 job has launches that the driver refused: see the reasons",
                "2 jobs have launches foretold and none seen: see the reasons",
                "1 job has exit code 0 after an allocation failed: see the reasons",
                "2 jobs have restart = \"early\", which acts like \"oom\" for now",
                "at most 2 jobs at once: this host has 2 cores",
                "jobs waited for host memory: 3.00 GiB were free when the run began",
                "no room",
            ]
        );
        let wide = Basis {
            one_core_each: false,
            short_of: vec![Shortage::Cores],
            ..samples::basis()
        };
        let last = wide.notes().pop();
        assert_eq!(last.unwrap(), "jobs waited for cores: this host has 2");
    }
}
