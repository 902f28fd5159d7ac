//! One program and one command line -> its need on each slice. A program that asks its device nothing is evaluated
//! once, any other once per kind of slice.

use crate::sizing::{SliceNeed, device};
use migfit_mig::{MigProfile, Model};
use migfit_schema::profile::JobProfile;
use migfit_sizes::{CommandLine, DeviceProperties, Limits, Need, Verdict};

/// Evaluates one command line on the slices that it is asked about.
pub struct Evaluator<'p> {
    profile: &'p JobProfile,
    command: &'p CommandLine,
    asks_device: bool,
    done: Vec<(DeviceProperties, Need)>,
}

impl<'p> Evaluator<'p> {
    /// For one job profile and one command line.
    #[must_use]
    pub fn new(profile: &'p JobProfile, command: &'p CommandLine) -> Evaluator<'p> {
        Evaluator {
            profile,
            command,
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
        let device = match self.asks_device {
            true => device::properties(model, profile)?,
            false => nowhere(),
        };
        let known = self.done.iter().position(|(known, _)| *known == device);
        let index = known.unwrap_or_else(|| {
            let need =
                migfit_sizes::evaluate(self.profile, self.command, &device, &Limits::default());
            self.done.push((device, need));
            self.done.len() - 1
        });
        self.done.get(index).map(|(_, need)| need)
    }

    /// The same as far as sizing is concerned.
    pub fn slice_need(&mut self, model: &Model, profile: &MigProfile) -> SliceNeed {
        match self.need(model, profile) {
            Some(need) => SliceNeed {
                bytes: need.peak_rounded,
                verdict: need.verdict,
            },
            None => SliceNeed {
                bytes: None,
                verdict: Verdict::Unknown,
            },
        }
    }
}

/// The device of a program that never asks for one.
fn nowhere() -> DeviceProperties {
    DeviceProperties {
        name: String::new(),
        compute_capability: (0, 0),
        sm_count: 0,
        total_bytes: 0,
        l2_bytes: 0,
        clock_khz: 0,
    }
}
