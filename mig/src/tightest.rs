//! Which MIG profiles hold a number of bytes, the tightest first, and why the smaller ones do not.
//! Knows neither jobs nor what is placed.

use crate::model::{MemorySource, MigProfile, Model};
use crate::profile_name::ProfileName;
use migfit_schema::units::{Bytes, Mib};
use serde::Serialize;
use std::fmt;

/// What to choose among.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizing {
    /// Also MIG profiles with an attribute (`+me`, `+gfx`, `-me`), which a job has to ask for.
    pub attributes: bool,
}

/// A MIG profile against a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Which.
    pub profile: ProfileName,
    /// Memory slices.
    pub memory_slices: u32,
    /// SM slices.
    pub compute_slices: u32,
    /// What it has.
    pub have: Mib,
    /// How that is known.
    pub memory_from: MemorySource,
    /// What is needed, rounded up.
    pub need: Mib,
}

impl fmt::Display for Candidate {
    /// `1g.5gb: has 4864 MiB, need 6000 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Candidate {
            profile,
            have,
            need,
            ..
        } = self;
        write!(f, "{profile}: has {have}, need {need}")
    }
}

/// All MIG profiles of a model against one need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fit {
    /// Those that hold it: fewest memory slices first, then fewest SM slices.
    pub fitting: Vec<Candidate>,
    /// Those that do not, in the same order.
    pub too_small: Vec<Candidate>,
}

impl Fit {
    /// The tightest; none where even the whole GPU is too small.
    #[must_use]
    pub fn tightest(&self) -> Option<&Candidate> {
        self.fitting.first()
    }

    /// The largest there is: what to name when nothing fits.
    #[must_use]
    pub fn largest(&self) -> Option<&Candidate> {
        let all = self.fitting.iter().chain(&self.too_small);
        all.max_by_key(|c| c.have)
    }
}

/// Sorts the MIG profiles of a model into those that hold `need` bytes and those that do not.
#[must_use]
pub fn tightest(model: &Model, need: Bytes, sizing: Sizing) -> Fit {
    let offered = |p: &&MigProfile| sizing.attributes || p.name.attribute.is_none();
    let mut all: Vec<Candidate> = model
        .profiles
        .iter()
        .filter(offered)
        .map(|p| candidate(p, need))
        .collect();
    all.sort_by_key(|c| (c.memory_slices, c.compute_slices, c.profile));
    let (fitting, too_small) = all.into_iter().partition(|c| c.have.to_bytes() >= need);
    Fit { fitting, too_small }
}

fn candidate(profile: &MigProfile, need: Bytes) -> Candidate {
    Candidate {
        profile: profile.name,
        memory_slices: profile.memory_slices,
        compute_slices: profile.compute_slices(),
        have: profile.memory_mib,
        memory_from: profile.memory_from,
        need: need.to_mib_ceil(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{builtin, find};

    fn names(candidates: &[Candidate]) -> Vec<String> {
        candidates.iter().map(|c| c.profile.to_string()).collect()
    }

    #[test]
    fn fewest_memory_slices_then_fewest_sm_slices() {
        let a100 = find("a100-40gb").unwrap();
        let fit = tightest(a100, Mib(6000).to_bytes(), Sizing::default());
        assert_eq!(
            names(&fit.fitting),
            ["1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"]
        );
        assert_eq!(
            fit.too_small[0].to_string(),
            "1g.5gb: has 4864 MiB, need 6000 MiB"
        );
    }

    #[test]
    fn a_byte_decides() {
        let a100 = find("a100-40gb").unwrap();
        let tight = |need| {
            tightest(a100, need, Sizing::default()).fitting[0]
                .profile
                .to_string()
        };
        assert_eq!(tight(Mib(4864).to_bytes()), "1g.5gb");
        assert_eq!(
            tight(Mib(4864).to_bytes().saturating_add(Bytes(1))),
            "1g.10gb"
        );
    }

    #[test]
    fn what_no_slice_holds_names_the_largest() {
        let fit = tightest(find("a30").unwrap(), Bytes(u64::MAX), Sizing::default());
        assert_eq!(fit.tightest(), None);
        assert_eq!(fit.largest().unwrap().profile.to_string(), "4g.24gb");
    }

    #[test]
    fn attributes_are_left_out_unless_asked_for() {
        for model in builtin().unwrap() {
            let plain = tightest(model, Bytes(1), Sizing::default());
            assert!(plain.fitting.iter().all(|c| c.profile.attribute.is_none()));
            let all = tightest(model, Bytes(1), Sizing { attributes: true });
            assert_eq!(all.fitting.len(), model.profiles.len());
        }
    }
}
