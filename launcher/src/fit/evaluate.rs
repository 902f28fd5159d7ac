//! One program and one command line -> its need on each slice. A program that asks its device nothing is evaluated
//! once, and again for slices with less memory than that; any other once per kind of slice.

use crate::sizing::{SliceNeed, device};
use migfit_mig::{MigProfile, Model};
use migfit_schema::profile::JobProfile;
use migfit_schema::units::Bytes;
use migfit_sizes::agreement::{Agreement, agreement};
use migfit_sizes::assumed::Given;
use migfit_sizes::explain::SiteTree;
use migfit_sizes::{
    CommandLine, DeviceProperties, Limits, Need, Verdict, evaluate_explained, evaluate_given,
};

/// Evaluates one command line on the slices that it is asked about.
pub struct Evaluator<'p> {
    profile: &'p JobProfile,
    command: &'p CommandLine,
    given: &'p [Given],
    limits: Limits,
    asks_device: bool,
    done: Vec<(DeviceProperties, Need)>,
}

impl<'p> Evaluator<'p> {
    /// For one job profile and one command line, with what the user says, each evaluation within these limits.
    #[must_use]
    pub fn new(
        profile: &'p JobProfile,
        command: &'p CommandLine,
        given: &'p [Given],
        limits: Limits,
    ) -> Evaluator<'p> {
        Evaluator {
            profile,
            command,
            given,
            limits,
            asks_device: profile.program.as_ref().is_some_and(device::asks),
            done: Vec::new(),
        }
    }

    /// Whether the need may differ between slices.
    #[must_use]
    pub fn asks_device(&self) -> bool {
        self.asks_device
    }

    /// What the job needs on a slice; none where the program asks for properties that no source has.
    pub fn need(&mut self, model: &Model, profile: &MigProfile) -> Option<&Need> {
        let device = self.device(model, profile)?;
        let index = self.evaluated(device);
        let need = self.done.get(index).map(|(_, need)| need);
        let index = match need.is_some_and(|need| device::may_lack(need, profile)) {
            true if !self.asks_device => self.evaluated(device::with_memory_of(profile)),
            _ => index,
        };
        self.done.get(index).map(|(_, need)| need)
    }

    /// The place of an evaluation, which is made if there is none yet.
    fn evaluated(&mut self, device: DeviceProperties) -> usize {
        let known = self.done.iter().position(|(known, _)| *known == device);
        known.unwrap_or_else(|| {
            let (profile, limits) = (self.profile, &self.limits);
            let need = evaluate_given(profile, self.command, &device, limits, self.given);
            self.done.push((device, need));
            self.done.len() - 1
        })
    }

    fn device(&self, model: &Model, profile: &MigProfile) -> Option<DeviceProperties> {
        match self.asks_device {
            true => device::properties(model, profile),
            false => Some(device::nowhere()),
        }
    }

    /// How the closed forms stand to a need on a slice.
    pub fn forms(&self, need: &Need, model: &Model, profile: &MigProfile) -> Agreement {
        let device = self.device(model, profile);
        device.map_or_else(Agreement::default, |device| {
            agreement(&self.profile.summary, need, self.command, &device)
        })
    }

    /// Where the sizes come from, on a slice; none where the program asks for properties that no source has.
    pub fn trees(&self, model: &Model, profile: &MigProfile) -> Option<Vec<SiteTree>> {
        let device = self.device(model, profile)?;
        let (profile, limits) = (self.profile, &self.limits);
        let (_, trees) = evaluate_explained(profile, self.command, &device, limits, self.given);
        Some(trees)
    }

    /// The same as far as sizing is concerned.
    pub fn slice_need(&mut self, model: &Model, profile: &MigProfile) -> SliceNeed {
        let variables = Bytes(self.profile.summary.device_variables);
        match self.need(model, profile) {
            Some(need) => SliceNeed {
                bytes: device::wanted(need)
                    .map(|peak| Bytes(peak.0.saturating_add(need.beside().0))),
                variables,
                verdict: need.verdict_with_libraries(),
            },
            None => SliceNeed {
                bytes: None,
                variables,
                verdict: Verdict::Unknown,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::device::tests::calling;
    use migfit_schema::profile::Summary;

    fn calls(name: &str) -> JobProfile {
        JobProfile {
            checked: None,
            summary: Summary::blank("a"),
            program: Some(calling(name)),
        }
    }

    /// How many evaluations all MIG profiles of a model take, and how many of its slices have an answer.
    fn evaluations(name: &str, model: &str) -> (usize, usize) {
        let profile = calls(name);
        let command = CommandLine {
            args: vec!["./a".to_owned()],
            env: Vec::new(),
            cwd: "/".into(),
        };
        let mut evaluator = Evaluator::new(&profile, &command, &[], Limits::default());
        let model = migfit_mig::find(model).unwrap();
        let answers = model
            .profiles
            .iter()
            .filter(|slice| evaluator.need(model, slice).is_some());
        let answers = answers.count();
        (evaluator.done.len(), answers)
    }

    #[test]
    fn a_program_is_evaluated_once_unless_it_asks_its_device() {
        assert_eq!(evaluations("cudaMalloc", "a100-40gb"), (1, 7));
        let (evaluated, answered) = evaluations("cudaMemGetInfo", "a100-40gb");
        assert_eq!(answered, 7);
        assert_eq!(evaluated, 7, "the seven slices have seven names");
    }

    #[test]
    fn what_nobody_knows_of_a_slice_is_not_made_up() {
        assert_eq!(evaluations("cudaMalloc", "b300-269gb").1, 7);
        assert_eq!(evaluations("cudaMemGetInfo", "b300-269gb"), (0, 0));
    }
}
