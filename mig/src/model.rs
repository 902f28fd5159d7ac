//! What one GPU model offers under MIG, as data: read from a TOML text (built-in) or filled from a driver
//! (live). Knows neither where the text came from nor what is placed at the moment.

use crate::profile_name::{Attribute, ProfileName};
use migfit_schema::units::Mib;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a GPU instance lies, in memory slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Placement {
    /// First memory slice.
    pub start: u32,
    /// Number of memory slices.
    pub size: u32,
}

impl Placement {
    /// The memory slices it covers, one bit each; 0 where it does not fit in the 32 that a mask has.
    #[must_use]
    pub fn mask(self) -> u32 {
        let end = u64::from(self.start) + u64::from(self.size);
        if end > 32 || self.size == 0 {
            return 0;
        }
        (((1u64 << self.size) - 1) << self.start) as u32
    }

    /// Whether the two share a memory slice.
    #[must_use]
    pub fn overlaps(self, other: Placement) -> bool {
        self.mask() & other.mask() != 0
    }
}

impl fmt::Display for Placement {
    /// `4+2`: two memory slices from slice 4 on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.start, self.size)
    }
}

impl From<Placement> for migfit_schema::report::Placement {
    fn from(p: Placement) -> migfit_schema::report::Placement {
        migfit_schema::report::Placement {
            start: p.start,
            size: p.size,
        }
    }
}

/// Engines of a GPU instance beside its SMs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    /// Copy engines.
    pub copy: u32,
    /// Video decoders.
    pub decoder: u32,
    /// Video encoders.
    pub encoder: u32,
    /// JPEG decoders.
    pub jpeg: u32,
    /// Optical flow accelerators.
    pub ofa: u32,
}

/// How the memory size of a MIG profile is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// Exact MiB, as a driver reported it.
    Read,
    /// From the GiB that nvidia-smi prints with two decimals, taken to the nearest multiple of 64 MiB.
    Printed,
    /// Not read on this board: its total memory times the smallest share that a placement of this size has
    /// on the boards that were read, so rather too little than too much.
    Derived,
}

/// A compute instance that a GPU instance can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputeProfile {
    /// SM slices.
    pub slices: u32,
    /// NVML's id, which is also the constant to look it up with on the models that have this table.
    pub id: u32,
    /// How many fit in an empty GPU instance.
    pub max_count: u32,
    /// SMs.
    pub sms: u32,
}

/// One MIG profile of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MigProfile {
    /// Its name.
    pub name: ProfileName,
    /// NVML's constant to ask with (profile index).
    pub nvml_index: u32,
    /// The number that NVML returns and creates with, and that nvidia-smi prints (profile ID).
    pub id: u32,
    /// Size of its placements in memory slices.
    pub memory_slices: u32,
    /// Memory of one GPU instance.
    pub memory_mib: Mib,
    /// How that is known.
    pub memory_from: MemorySource,
    /// SMs of one GPU instance; none where no source has it.
    pub sms: Option<u32>,
    /// Engines; none where no source has them.
    pub engines: Option<Engines>,
    /// How many fit on an empty GPU.
    pub max_count: u32,
    /// First memory slice of each legal placement, in the driver's listing order.
    pub starts: Vec<u32>,
    /// The same in the order in which the driver takes them by default; empty: as in `starts`.
    #[serde(default)]
    pub driver_order: Vec<u32>,
    /// Compute instances it can hold; empty: only the full-size one is known.
    #[serde(default)]
    pub compute_instances: Vec<ComputeProfile>,
}

impl MigProfile {
    /// SM slices of the GPU instance.
    #[must_use]
    pub fn compute_slices(&self) -> u32 {
        self.name.slices
    }

    /// Legal placements, in the driver's listing order.
    pub fn placements(&self) -> impl Iterator<Item = Placement> + '_ {
        self.starts.iter().map(|&start| self.at(start))
    }

    /// Legal placements in the order in which the driver takes them by default.
    pub fn default_order(&self) -> impl Iterator<Item = Placement> + '_ {
        let order = match self.driver_order.is_empty() {
            true => &self.starts,
            false => &self.driver_order,
        };
        order.iter().map(|&start| self.at(start))
    }

    /// The placement that begins at memory slice `start`, legal or not.
    #[must_use]
    pub fn at(&self, start: u32) -> Placement {
        Placement {
            start,
            size: self.memory_slices,
        }
    }

    /// Compute instances that it can hold: the table of the model, or the full-size one alone where no source
    /// has a table (none at all where its SMs are not known either). On Hopper the double-memory 1g was seen with
    /// constant 7.
    #[must_use]
    pub fn compute_profiles(&self) -> Vec<ComputeProfile> {
        if !self.compute_instances.is_empty() {
            return self.compute_instances.clone();
        }
        let slices = self.compute_slices();
        let id = match (self.nvml_index, slices) {
            (9, _) => 7,
            (_, 7) => 4,
            _ => slices.saturating_sub(1),
        };
        let full = |sms| ComputeProfile {
            slices,
            id,
            max_count: 1,
            sms,
        };
        self.sms.map(full).into_iter().collect()
    }

    /// Position of a placement in the driver's default order; the last where it is not in it.
    #[must_use]
    pub fn rank(&self, placement: Placement) -> usize {
        self.default_order()
            .position(|p| p == placement)
            .unwrap_or(usize::MAX)
    }
}

/// One GPU model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Our name for it: `a100-40gb`.
    pub name: String,
    /// Other names that users may type.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Names of its boards as the driver tells them; the first is the one that the figures are of.
    pub boards: Vec<String>,
    /// `Ampere`, `Hopper`, `Blackwell`.
    pub architecture: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// PCI device id of the first board.
    pub pci_device_id: u32,
    /// Memory of the whole board with MIG off.
    pub memory_mib: Mib,
    /// SMs of the whole board with MIG off; none where no source has it.
    pub sm_count: Option<u32>,
    /// SM slices.
    pub compute_slices: u32,
    /// Memory slices, the unit of placements.
    pub memory_slices: u32,
    /// Default power limit of the first board in watts; none where no source has it.
    pub power_limit_w: Option<u32>,
    /// Whether the placements were read on this board; else they are those of the pattern that it seems to follow.
    pub confirmed: bool,
    /// Where the figures come from.
    pub source: String,
    /// What it offers, by growing size.
    #[serde(rename = "mig_profile")]
    pub profiles: Vec<MigProfile>,
}

impl Model {
    /// The MIG profile of this name. A compute part is ignored: it does not change the GPU instance.
    #[must_use]
    pub fn profile(&self, name: ProfileName) -> Option<&MigProfile> {
        let whole = ProfileName {
            compute: None,
            ..name
        };
        self.profiles.iter().find(|p| p.name == whole)
    }

    /// The board's name as the driver tells it.
    #[must_use]
    pub fn board(&self) -> &str {
        self.boards.first().unwrap_or(&self.name)
    }

    /// The MIG profile that takes the whole GPU.
    #[must_use]
    pub fn whole(&self) -> Option<&MigProfile> {
        let plain = self.profiles.iter().filter(|p| p.name.attribute.is_none());
        plain.max_by_key(|p| (p.memory_slices, p.compute_slices()))
    }

    /// SMs that MIG leaves usable; none where no source has it.
    #[must_use]
    pub fn mig_sm_count(&self) -> Option<u32> {
        self.whole().and_then(|p| p.sms)
    }

    /// Names of the MIG profiles without attribute, by growing size.
    #[must_use]
    pub fn plain_profiles(&self) -> Vec<ProfileName> {
        let names = self.profiles.iter().map(|p| p.name);
        names.filter(|n| n.attribute.is_none()).collect()
    }

    /// The plain MIG profiles, one per number of SM slices: without those that only double the memory.
    #[must_use]
    pub fn basic_profiles(&self) -> Vec<ProfileName> {
        let mut names = self.plain_profiles();
        names.sort_by_key(|n| (n.slices, n.gb));
        names.dedup_by_key(|n| n.slices);
        names
    }

    /// Every MIG profile, attributes included.
    #[must_use]
    pub fn all_profiles(&self) -> Vec<ProfileName> {
        self.profiles.iter().map(|p| p.name).collect()
    }
}

/// Whether a job may be given this MIG profile when it did not ask for it: not those with an attribute.
#[must_use]
pub fn is_plain(name: ProfileName) -> bool {
    name.attribute.is_none()
}

/// Reads a model from the text of its TOML file and checks that it is consistent.
///
/// # Errors
/// What the file lacks or contradicts, in one sentence.
pub fn parse(text: &str) -> Result<Model, String> {
    let model: Model = toml::from_str(text).map_err(|e| e.to_string())?;
    model.profiles.iter().try_for_each(|p| check(&model, p))?;
    if model.whole().is_none() {
        return Err("it has no MIG profile".to_owned());
    }
    Ok(model)
}

fn check(model: &Model, profile: &MigProfile) -> Result<(), String> {
    let name = profile.name;
    let fits =
        |p: Placement| p.start.saturating_add(p.size) <= model.memory_slices && p.mask() != 0;
    if profile.starts.is_empty() || !profile.placements().all(fits) {
        return Err(format!("{name}: a placement lies outside the GPU"));
    }
    let mut order = profile.driver_order.clone();
    order.sort_unstable();
    if !order.is_empty() && order != profile.starts {
        return Err(format!("{name}: driver_order is no order of starts"));
    }
    if profile.memory_mib > model.memory_mib {
        return Err(format!("{name}: more memory than the board has"));
    }
    let compute = &profile.compute_instances;
    let full = compute
        .iter()
        .any(|c| c.slices == name.slices && c.max_count == 1);
    if !compute.is_empty() && !full {
        return Err(format!("{name}: no full-size compute instance"));
    }
    if name.attribute == Some(Attribute::Media) && profile.max_count != 1 {
        return Err(format!("{name}: +me exists once"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{builtin, find};

    #[test]
    fn every_mig_profile_with_known_sms_holds_its_full_size_compute_instance() {
        for profile in builtin().unwrap().iter().flat_map(|m| &m.profiles) {
            let held = profile.compute_profiles();
            let full = held.iter().find(|c| c.slices == profile.compute_slices());
            assert_eq!(full.map(|c| c.sms), profile.sms, "{}", profile.name);
        }
    }

    #[test]
    fn placements_overlap_where_they_share_a_slice() {
        let at = |start, size| Placement { start, size };
        assert!(at(0, 4).overlaps(at(3, 1)));
        assert!(!at(0, 4).overlaps(at(4, 4)));
        assert_eq!(at(4, 4).mask(), 0b1111_0000);
        assert_eq!(at(u32::MAX, 2).mask(), 0, "no overflow");
    }

    #[test]
    fn what_a_file_contradicts_is_named() {
        let text = include_str!("../models/a30-24gb.toml");
        let outside = text.replacen("starts = [0, 1, 2, 3]", "starts = [0, 1, 2, 4]", 1);
        assert_eq!(
            parse(&outside).unwrap_err(),
            "1g.6gb: a placement lies outside the GPU"
        );
        let larger = text.replacen("memory_mib = 5952", "memory_mib = 99999", 1);
        assert_eq!(
            parse(&larger).unwrap_err(),
            "1g.6gb: more memory than the board has"
        );
        assert!(parse("name = 1").unwrap_err().contains("line 1"));
    }

    #[test]
    fn mig_leaves_98_of_the_108_sms_of_an_a100() {
        let a100 = find("a100-40gb").unwrap();
        assert_eq!((a100.sm_count, a100.mig_sm_count()), (Some(108), Some(98)));
        assert_eq!(a100.board(), "NVIDIA A100-SXM4-40GB");
    }
}
