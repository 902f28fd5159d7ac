//! Random creations and destructions on every built-in model: the virtual NVML does what the layout graph of crate mig has
//! an edge for, no more and no less, and counts the same free places. The seed is fixed: each run tries the same.

use super::lab::*;
use crate::exports::gpu_instance::nvmlGpuInstanceDestroy;
use crate::handle::GpuInstanceHandle;
use crate::library;
use migfit_mig::graph::Transition;
use migfit_mig::{Layout, LayoutGraph, MigProfile, Model, Placed};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// Sequences per model.
const SEQUENCES: u32 = 500;

/// One random step: which MIG profile, where (none: default place), and whether to destroy instead.
type Step = (usize, Option<usize>, bool);

struct Twin<'a> {
    graph: &'a LayoutGraph,
    layout: Layout,
    handles: Vec<(Placed, GpuInstanceHandle)>,
}

impl Twin<'_> {
    fn new(graph: &LayoutGraph) -> Twin<'_> {
        Twin {
            graph,
            layout: Layout::default(),
            handles: Vec::new(),
        }
    }

    fn step(&mut self, (profile, place, destroy): Step) {
        let profiles = &self.graph.model().profiles;
        let nth = profile % profiles.len();
        match (destroy, profiles.get(nth), place) {
            (true, _, _) => self.destroy(profile),
            (false, Some(profile), Some(place)) => self.create_at(profile, place),
            (false, Some(profile), None) => self.create_anywhere(profile),
            (false, None, _) => {}
        }
    }

    /// The layout after this transition; none where the graph has no such edge.
    fn after(&self, wanted: Transition) -> Option<Layout> {
        let mut edges = self.graph.transitions(&self.layout);
        let (_, state) = edges.find(|(transition, _)| *transition == wanted)?;
        Some(self.graph.layout(state))
    }

    fn destroy(&mut self, nth: usize) {
        if self.handles.is_empty() {
            return;
        }
        let (placed, handle) = self.handles.remove(nth % self.handles.len());
        assert_eq!(nvmlGpuInstanceDestroy(handle), 0, "{placed}");
        self.layout = self.after(Transition::Destroy(placed)).unwrap();
    }

    fn create_at(&mut self, profile: &MigProfile, place: usize) {
        let placement = profile.at(profile.starts[place % profile.starts.len()]);
        let placed = Placed {
            placement,
            profile: profile.name,
        };
        let result = create(profile.id, Some((placement.start, placement.size)));
        match (result, self.after(Transition::Create(placed))) {
            (Ok(handle), Some(layout)) => self.made(placed, handle, layout),
            (Err(code), None) => assert_eq!(code, 23, "{placed} beside {}", self.layout),
            (made, edge) => panic!(
                "{made:?} for {placed} beside {}; edge to {edge:?}",
                self.layout
            ),
        }
    }

    /// The driver takes the first place of its order that the graph has an edge for.
    fn create_anywhere(&mut self, profile: &MigProfile) {
        let mut all = profile.default_order().map(|placement| Placed {
            placement,
            profile: profile.name,
        });
        let expected = all.find_map(|placed| {
            let layout = self.after(Transition::Create(placed))?;
            Some((placed, layout))
        });
        match (create(profile.id, None), expected) {
            (Ok(handle), Some((placed, layout))) => {
                let told = info(handle).unwrap().placement;
                let wanted = (placed.placement.start, placed.placement.size);
                assert_eq!((told.start, told.size), wanted, "beside {}", self.layout);
                self.made(placed, handle, layout);
            }
            (Err(code), None) => assert_eq!(code, 23),
            (made, expected) => panic!("{made:?} instead of {expected:?} beside {}", self.layout),
        }
    }

    fn made(&mut self, placed: Placed, handle: GpuInstanceHandle, layout: Layout) {
        self.handles.push((placed, handle));
        self.layout = layout;
    }

    fn compare_capacities(&self) {
        let edges: Vec<Transition> = self
            .graph
            .transitions(&self.layout)
            .map(|(edge, _)| edge)
            .collect();
        for profile in &self.graph.model().profiles {
            let places = edges
                .iter()
                .filter(|edge| matches!(edge, Transition::Create(p) if p.profile == profile.name));
            let made = self
                .handles
                .iter()
                .filter(|(p, _)| p.profile == profile.name);
            let left = profile.max_count as usize - made.count();
            let expected = u32::try_from(places.count().min(left)).unwrap();
            assert_eq!(
                capacity(profile.id),
                Ok(expected),
                "{} beside {}",
                profile.name,
                self.layout
            );
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let place = proptest::option::of(0_usize..8);
    proptest::collection::vec((0_usize..60, place, proptest::bool::weighted(0.3)), 1..25)
}

fn agrees(model: &Model) {
    let _lab = Lab::of(&model.name).unwrap();
    let graph = LayoutGraph::new(model, &model.all_profiles()).unwrap();
    let config = ProptestConfig {
        cases: SEQUENCES,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let outcome = runner.run(&steps(), |steps| {
        library::gpu(0).unwrap().reset().unwrap();
        let mut twin = Twin::new(&graph);
        for step in steps {
            twin.step(step);
            twin.compare_capacities();
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{}: {error}", model.name);
    }
}

#[test]
fn virtual_nvml_and_the_layout_graph_agree_on_every_model() {
    let models = migfit_mig::builtin().unwrap();
    // Of the others no source has the SMs, so that they are no virtual GPUs.
    let usable: Vec<_> = models
        .iter()
        .filter(|model| Lab::of(&model.name).is_some())
        .collect();
    assert_eq!(usable.len(), 11);
    usable.into_iter().for_each(agrees);
}
