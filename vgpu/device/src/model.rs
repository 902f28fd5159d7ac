//! The figures of one GPU model that a virtual GPU needs, taken from crate mig's models: those that leave out what a
//! GPU must know of itself (its SMs) are refused.

use crate::state::StateError;
use migfit_mig::model::ComputeProfile;
use migfit_mig::{Engines, MigProfile};
use migfit_schema::units::Mib;

pub use migfit_mig::Placement;

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
    /// Engines of the whole GPU, in the order of `GiProfile::engines`.
    pub engines: [u32; 5],
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
    /// Legal first memory slices, in the driver's listing order.
    pub starts: Vec<u32>,
    /// The same in the order in which the driver takes them when no placement is given.
    pub default_order: Vec<u32>,
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
    /// `StateError::UnknownModel` when there is none, or too little is known of it for a virtual GPU.
    pub fn named(name: &str) -> Result<Model, StateError> {
        let unknown = |error: migfit_mig::ModelError| StateError::UnknownModel(error.to_string());
        let found = migfit_mig::find(name).map_err(unknown)?;
        Model::from_data(found)
            .ok_or_else(|| StateError::UnknownModel(too_little_known(&found.name)))
    }

    fn from_data(model: &migfit_mig::Model) -> Option<Model> {
        let profiles: Option<Vec<_>> = model.profiles.iter().map(GiProfile::from_data).collect();
        Some(Model {
            name: model.name.clone(),
            board: model.board().to_owned(),
            memory: model.memory_mib,
            sms: model.sm_count?,
            sm_slices: model.compute_slices,
            memory_slices: model.memory_slices,
            compute_capability: model.compute_capability,
            pci_device: model.pci_device_id,
            engines: in_order(model.whole()?.engines?),
            profiles: profiles?,
        })
    }

    /// Whether the model can be partitioned.
    #[must_use]
    pub fn has_mig(&self) -> bool {
        !self.profiles.is_empty()
    }

    /// The same board without MIG.
    #[must_use]
    pub fn without_mig(self) -> Model {
        Model {
            sm_slices: 0,
            memory_slices: 0,
            profiles: Vec::new(),
            ..self
        }
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

    /// Whether it can do graphics (`+gfx`).
    #[must_use]
    pub fn has_graphics(&self) -> bool {
        self.name.contains("+gfx")
    }

    fn from_data(profile: &MigProfile) -> Option<GiProfile> {
        let engines = in_order(profile.engines?);
        Some(GiProfile {
            name: profile.name.to_string(),
            id: profile.id,
            index: profile.nvml_index,
            sm_slices: profile.compute_slices(),
            memory_slices: profile.memory_slices,
            memory: profile.memory_mib,
            sms: profile.sms?,
            engines,
            media_extensions: engines.last() != Some(&0),
            max_count: profile.max_count,
            starts: profile.starts.clone(),
            default_order: profile.default_order().map(|place| place.start).collect(),
            compute: profile
                .compute_profiles()
                .iter()
                .map(CiProfile::from_data)
                .collect(),
        })
    }
}

impl CiProfile {
    fn from_data(profile: &ComputeProfile) -> CiProfile {
        let ComputeProfile {
            slices,
            id,
            max_count,
            sms,
        } = *profile;
        // NVML's id of a compute-instance profile is its constant too.
        CiProfile {
            id,
            index: id,
            sm_slices: slices,
            sms,
            max_count,
        }
    }
}

fn in_order(engines: Engines) -> [u32; 5] {
    let Engines {
        copy,
        decoder,
        encoder,
        jpeg,
        ofa,
    } = engines;
    [copy, decoder, encoder, jpeg, ofa]
}

fn too_little_known(name: &str) -> String {
    let models = migfit_mig::builtin().unwrap_or_default();
    let usable = models
        .iter()
        .filter(|model| Model::from_data(model).is_some());
    let usable: Vec<_> = usable.map(|model| model.name.as_str()).collect();
    format!(
        "too little is known of {name} for a virtual GPU (its SMs); take one of {}",
        usable.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_the_figures_of_crate_mig() {
        let model = Model::named("a100-40gb").unwrap();
        assert_eq!(
            (model.sms, model.memory, model.compute_capability),
            (108, Mib(40960), (8, 0))
        );
        let half = model.profile(9).unwrap();
        assert_eq!(
            (half.name.as_str(), half.memory, half.sms),
            ("3g.20gb", Mib(19968), 42)
        );
        let counts: Vec<_> = half
            .compute
            .iter()
            .map(|ci| (ci.sm_slices, ci.max_count))
            .collect();
        assert_eq!(counts, [(1, 3), (2, 1), (3, 1)]);
    }

    #[test]
    fn unknown_and_incomplete_models_are_refused_with_what_to_do() {
        let unknown = Model::named("a100-4gb").unwrap_err().to_string();
        assert!(unknown.contains("did you mean `a100-40gb`"), "{unknown}");
        let incomplete = Model::named("b300-269gb").unwrap_err().to_string();
        assert!(incomplete.contains("a30-24gb, a100-40gb"), "{incomplete}");
    }
}
