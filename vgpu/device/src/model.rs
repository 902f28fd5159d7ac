//! The figures of one GPU model that the virtual GPU needs: boards, MIG profiles, placements. Data only.

use crate::state::StateError;
use migfit_schema::units::Mib;

/// Where a GPU instance lies in memory slices, or a compute instance in SM slices of its GPU instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// First slice.
    pub start: u32,
    /// Number of slices.
    pub size: u32,
}

impl Placement {
    /// Whether the two share a slice.
    #[must_use]
    pub fn overlaps(self, other: Placement) -> bool {
        self.start < other.start.saturating_add(other.size)
            && other.start < self.start.saturating_add(self.size)
    }
}

/// A GPU model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Our name for it: `a100-40gb`.
    pub name: String,
    /// The driver's name for the board: `NVIDIA A100-SXM4-40GB`.
    pub board: String,
    /// Memory of the whole board.
    pub memory: Mib,
    /// SMs of the whole board, MIG off.
    pub sms: u32,
    /// SM slices; 0 where the model has no MIG.
    pub sm_slices: u32,
    /// Memory slices; 0 where the model has no MIG.
    pub memory_slices: u32,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// PCI device id.
    pub pci_device: u32,
    /// MIG profiles of GPU instances; empty where the model has no MIG.
    pub profiles: Vec<GiProfile>,
}

/// A MIG profile of GPU instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GiProfile {
    /// `1g.5gb`.
    pub name: String,
    /// The number that creates one (NVML's `id`).
    pub id: u32,
    /// NVML's constant that looks it up.
    pub index: u32,
    /// SM slices.
    pub sm_slices: u32,
    /// Memory slices, the size of each placement.
    pub memory_slices: u32,
    /// Memory of one GPU instance.
    pub memory: Mib,
    /// SMs of one GPU instance.
    pub sms: u32,
    /// Copy engines, decoders, encoders, JPEG engines, OFA engines.
    pub engines: [u32; 5],
    /// Whether it holds the media extensions (`+me`).
    pub media_extensions: bool,
    /// How many at most.
    pub max_count: u32,
    /// Legal first memory slices, ascending.
    pub starts: Vec<u32>,
    /// Compute instances that fit into it.
    pub compute: Vec<CiProfile>,
}

/// A MIG profile of compute instances, within one GPU instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CiProfile {
    /// The number that creates one.
    pub id: u32,
    /// NVML's constant that looks it up.
    pub index: u32,
    /// SM slices.
    pub sm_slices: u32,
    /// SMs.
    pub sms: u32,
    /// How many at most in one GPU instance.
    pub max_count: u32,
}

impl Model {
    /// The built-in model of that name.
    ///
    /// # Errors
    /// `StateError::UnknownModel` when there is none.
    pub fn named(name: &str) -> Result<Model, StateError> {
        if name != "a100-40gb" {
            return Err(StateError::UnknownModel(name.to_owned()));
        }
        Ok(a100_40gb())
    }

    /// Whether the model can be partitioned.
    #[must_use]
    pub fn has_mig(&self) -> bool {
        !self.profiles.is_empty()
    }

    /// The MIG profile with this id.
    #[must_use]
    pub fn profile(&self, id: u32) -> Option<&GiProfile> {
        self.profiles.iter().find(|profile| profile.id == id)
    }
}

impl GiProfile {
    /// Its compute-instance profile with this id.
    #[must_use]
    pub fn compute_profile(&self, id: u32) -> Option<&CiProfile> {
        self.compute.iter().find(|profile| profile.id == id)
    }
}

fn a100_40gb() -> Model {
    const ROWS: [(&str, u32, u32, u32, u32, u64, u32, u32, &[u32]); 5] = [
        ("1g.5gb", 19, 0, 1, 1, 4864, 14, 7, &[0, 1, 2, 3, 4, 5, 6]),
        ("2g.10gb", 14, 1, 2, 2, 9984, 28, 3, &[0, 2, 4]),
        ("3g.20gb", 9, 2, 3, 4, 20096, 42, 2, &[0, 4]),
        ("4g.20gb", 5, 3, 4, 4, 20096, 56, 1, &[0]),
        ("7g.40gb", 0, 4, 7, 8, 40192, 98, 1, &[0]),
    ];
    let profiles = ROWS.iter().map(
        |&(name, id, index, sm_slices, memory_slices, memory, sms, max_count, starts)| GiProfile {
            name: name.to_owned(),
            id,
            index,
            sm_slices,
            memory_slices,
            memory: Mib(memory),
            sms,
            engines: [sm_slices, 0, 0, 0, 0],
            media_extensions: false,
            max_count,
            starts: starts.to_vec(),
            compute: (1..=sm_slices)
                .filter(|slices| [1, 2, 3, 4, 7].contains(slices))
                .filter(|slices| (sm_slices, *slices) != (4, 3))
                .map(|slices| CiProfile {
                    id: if slices == 7 { 4 } else { slices - 1 },
                    index: if slices == 7 { 4 } else { slices - 1 },
                    sm_slices: slices,
                    sms: slices * 14,
                    max_count: sm_slices / slices,
                })
                .collect(),
        },
    );
    Model {
        name: "a100-40gb".to_owned(),
        board: "NVIDIA A100-SXM4-40GB".to_owned(),
        memory: Mib(40960),
        sms: 108,
        sm_slices: 7,
        memory_slices: 8,
        compute_capability: (8, 0),
        pci_device: 0x20B0,
        profiles: profiles.collect(),
    }
}
