//! Random creations and destructions: the virtual NVML does what the layouts of crate mig say is legal, no more, no less.

use super::lab::*;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::handle::GpuInstanceHandle;
use migfit_mig::layout::LayoutError;
use migfit_mig::{Layout, Model, Placed};
use proptest::prelude::*;

/// One random step: which MIG profile, where (none: default place), and whether to destroy instead.
type Step = (usize, Option<usize>, bool);

struct Twin<'a> {
    model: &'a Model,
    layout: Layout,
    handles: Vec<(Placed, GpuInstanceHandle)>,
}

impl Twin<'_> {
    fn destroy(&mut self, nth: usize) {
        if self.handles.is_empty() {
            return;
        }
        let (placed, handle) = self.handles.remove(nth % self.handles.len());
        assert_eq!(nvmlGpuInstanceDestroy(handle), 0);
        assert!(self.layout.remove(placed));
    }

    fn create_at(&mut self, profile: usize, place: usize) {
        let profile = &self.model.profiles[profile % self.model.profiles.len()];
        let placement = profile.at(profile.starts[place % profile.starts.len()]);
        let placed = Placed {
            placement,
            profile: profile.name,
        };
        let result = create(profile.id, Some((placement.start, placement.size)));
        match self.layout.add(self.model, placed) {
            Ok(()) => self.handles.push((placed, result.unwrap())),
            Err(
                LayoutError::Overlap { .. }
                | LayoutError::TooMany { .. }
                | LayoutError::NoEngine { .. },
            ) => {
                assert_eq!(result.unwrap_err(), 23, "{placed} beside {}", self.layout);
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The driver takes the first place of its order that is legal.
    fn create_anywhere(&mut self, profile: usize) {
        let profile = &self.model.profiles[profile % self.model.profiles.len()];
        let name = profile.name;
        let all = profile.default_order().map(|placement| Placed {
            placement,
            profile: name,
        });
        let expected = { all }.find(|p| self.layout.check(self.model, *p).is_ok());
        match (create(profile.id, None), expected) {
            (Ok(handle), Some(placed)) => {
                let told = info(handle).unwrap().placement;
                assert_eq!(
                    (told.start, told.size),
                    (placed.placement.start, placed.placement.size)
                );
                self.layout.add(self.model, placed).unwrap();
                self.handles.push((placed, handle));
            }
            (Err(code), None) => assert_eq!(code, 23),
            (made, expected) => panic!("{made:?} instead of {expected:?} beside {}", self.layout),
        }
    }

    fn compare_capacities(&self) {
        let placeable = self.layout.placeable(self.model);
        for profile in &self.model.profiles {
            let places = placeable.iter().find(|(name, _)| *name == profile.name);
            let places = places.map_or(0, |(_, places)| places.len() as u32);
            let made = self
                .handles
                .iter()
                .filter(|(p, _)| p.profile == profile.name);
            let left = profile.max_count - made.count() as u32;
            assert_eq!(
                capacity(profile.id),
                Ok(places.min(left)),
                "{} beside {}",
                profile.name,
                self.layout
            );
        }
    }
}

/// The model of crate mig without the MIG profiles that the virtual GPU does not have.
fn shared_model(name: &str) -> Model {
    let mut model = migfit_mig::find(name).unwrap().clone();
    let gpu = crate::library::gpu().unwrap();
    model
        .profiles
        .retain(|p| gpu.model().profile(p.id).is_some());
    assert!(model.profiles.len() >= 5);
    model
}

fn run(name: &str, steps: &[Step]) {
    let Some(_lab) = Lab::of(name) else {
        panic!("the virtual GPU has no {name}");
    };
    let model = shared_model(name);
    let mut twin = Twin {
        model: &model,
        layout: Layout::default(),
        handles: Vec::new(),
    };
    for &(profile, place, destroy) in steps {
        match (destroy, place) {
            (true, _) => twin.destroy(profile),
            (false, Some(place)) => twin.create_at(profile, place),
            (false, None) => twin.create_anywhere(profile),
        }
        twin.compare_capacities();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn virtual_nvml_and_layouts_agree(
        steps in proptest::collection::vec((0usize..8, proptest::option::of(0usize..8), proptest::bool::weighted(0.3)), 1..25),
    ) {
        run("a100-40gb", &steps);
    }
}
