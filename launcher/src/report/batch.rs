//! The batch as a whole, from its jobs. A figure without a source is null, and a note says why.

use migfit_schema::report::{Batch, JobReport, Source};

/// What a reader must know of a run on the virtual GPU whose kernels were counted and not run.
fn not_executed_note(launches: u64) -> String {
    format!(
        "kernels not executed: the virtual GPU counted {launches} launch{} but ran none, so a launch has no work \
         count and no time or energy is claimed",
        if launches == 1 { "" } else { "es" }
    )
}

/// What the batch's figures rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The host's cores, where a job waited for one of them with a slice free.
    pub short_of_cores: Option<usize>,
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
            (0, true) => "virtual GPU: no launch was counted and no time or energy is claimed".to_owned(),
            (0, false) => {
                "the baseline was not run: no throughput or energy ratio (run again with --policy sequential)".to_owned()
            }
            (launches, _) => not_executed_note(launches),
        };
        let cores = self.short_of_cores.map(|cores| {
            format!(
                "at most {} at once: this host has {}",
                counted(cores, "job"),
                counted(cores, "core")
            )
        });
        let missing = [
            (self.refused_in, "launches that the driver refused"),
            (self.unseen_in, "launches foretold and none seen"),
        ];
        let missing = missing.into_iter().filter(|(jobs, _)| *jobs > 0);
        let missing = missing.map(|(jobs, what)| {
            let has = if jobs == 1 { "has" } else { "have" };
            format!("{} {has} {what}: see the reasons", counted(jobs, "job"))
        });
        std::iter::once(note).chain(missing).chain(cores).collect()
    }
}

/// `1 job`, `2 jobs`.
pub(super) fn counted(count: usize, what: &str) -> String {
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
            ..Basis::default()
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
    fn missing_launches_and_missing_cores_are_noted() {
        let basis = Basis {
            refused_in: 1,
            unseen_in: 2,
            short_of_cores: Some(2),
            ..basis(true, 1)
        };
        let notes = basis.notes();
        assert!(notes[0].contains("counted 1 launch but ran none"));
        assert_eq!(
            notes[1..],
            [
                "1 job has launches that the driver refused: see the reasons",
                "2 jobs have launches foretold and none seen: see the reasons",
                "at most 2 jobs at once: this host has 2 cores",
            ]
        );
    }
}
