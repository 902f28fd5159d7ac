//! The slices of a run over a GPU that lives in memory and may refuse.

use super::*;
use crate::gpu::GpuFacts;
use migfit_mig::{Layout, LayoutGraph, Model, place};

struct MemoryGpu {
    facts: GpuFacts,
    there: Vec<GpuInstance>,
    made: u64,
    refuse: Vec<Placed>,
}

impl MemoryGpu {
    fn with(layout: &str) -> MemoryGpu {
        let placed = Layout::parse(a100(), layout).unwrap();
        let there = placed
            .placed()
            .iter()
            .enumerate()
            .map(|(gi, &placed)| GpuInstance {
                gi: u32::try_from(gi).unwrap(),
                placed,
            });
        MemoryGpu {
            facts: GpuFacts::default(),
            there: there.collect(),
            made: 100,
            refuse: Vec::new(),
        }
    }

    fn layout(&self) -> String {
        Layout::of(a100(), self.there.iter().map(|i| i.placed))
            .unwrap()
            .to_string()
    }
}

fn a100() -> &'static Model {
    migfit_mig::find("a100-40gb").unwrap()
}

impl MigGpu for MemoryGpu {
    fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    fn model(&self) -> &Model {
        a100()
    }

    fn observe(&self) -> Result<Vec<GpuInstance>, GpuError> {
        Ok(self.there.clone())
    }

    fn create(&mut self, spec: MigDeviceSpec) -> Result<LiveMigDevice, GpuError> {
        let overlapping = |i: &GpuInstance| i.placed.placement.overlaps(spec.0.placement);
        if self.there.iter().any(overlapping) {
            return Err(GpuError::NoRoom { call: "test" });
        }
        self.made += 1;
        let gi = u32::try_from(self.made).unwrap();
        self.there.push(GpuInstance { gi, placed: spec.0 });
        Ok(LiveMigDevice {
            spec,
            gi,
            ci: 0,
            uuid: format!("MIG-{gi}"),
            generation: self.made,
        })
    }

    fn destroy(&mut self, device: &LiveMigDevice) -> Result<(), GpuError> {
        if self.refuse.contains(&device.spec.0) {
            return Err(GpuError::InUse { call: "test" });
        }
        self.there.retain(|i| i.gi != device.gi);
        Ok(())
    }
}

fn placed(layout: &str) -> Vec<Placed> {
    Layout::parse(a100(), layout).unwrap().placed().to_vec()
}

fn take(slices: &mut Slices<'_>, profile: &str) -> Result<LiveMigDevice, GpuError> {
    let graph = LayoutGraph::new(a100(), &a100().plain_profiles()).unwrap();
    let decision = place(&graph, &slices.held(), profile.parse().unwrap()).unwrap();
    slices.take(&decision)
}

#[test]
fn what_others_made_is_there_before_and_after() {
    let mut gpu = MemoryGpu::with("1g.5gb@0");
    let mut slices = Slices::observe(&mut gpu).unwrap();
    take(&mut slices, "3g.20gb").unwrap();
    take(&mut slices, "1g.5gb").unwrap();
    assert_eq!(slices.held().iter().filter(|held| held.busy).count(), 3);
    slices.close().unwrap();
    assert_eq!(gpu.layout(), "1g.5gb@0");
}

#[test]
fn an_idle_slice_is_used_again_and_a_wrong_one_makes_way() {
    let mut gpu = MemoryGpu::with("");
    let mut slices = Slices::observe(&mut gpu).unwrap();
    let first = take(&mut slices, "1g.5gb").unwrap();
    slices.give_back(first.generation);
    let again = take(&mut slices, "1g.5gb").unwrap();
    assert_eq!(again.generation, first.generation);
    slices.give_back(again.generation);
    let whole = take(&mut slices, "7g.40gb").unwrap();
    assert_eq!(slices.held().len(), 1);
    assert_eq!(whole.spec.0.to_string(), "7g.40gb@0");
}

#[test]
fn a_slice_that_stays_in_use_is_not_tried_twice_and_told_at_the_end() {
    let mut gpu = MemoryGpu::with("");
    gpu.refuse = placed("1g.5gb@6");
    let mut slices = Slices::observe(&mut gpu).unwrap();
    let first = take(&mut slices, "1g.5gb").unwrap();
    slices.give_back(first.generation);
    assert!(matches!(
        take(&mut slices, "7g.40gb"),
        Err(GpuError::InUse { .. })
    ));
    assert!(slices.held()[0].busy, "stuck counts as busy");
    take(&mut slices, "3g.20gb").unwrap();
    assert!(slices.close().is_err());
    assert_eq!(gpu.layout(), "1g.5gb@6", "all else is gone");
}

#[test]
fn everything_that_stays_is_told_at_the_end() {
    use crate::failure::Explain;
    let mut gpu = MemoryGpu::with("");
    gpu.refuse = placed("1g.5gb@6 3g.20gb@0");
    let mut slices = Slices::observe(&mut gpu).unwrap();
    for profile in ["1g.5gb", "3g.20gb", "1g.5gb"] {
        take(&mut slices, profile).unwrap();
    }
    let error = slices.close().unwrap_err();
    assert!(matches!(&error, GpuError::Several { others, .. } if others.len() == 1));
    assert!(error.place().unwrap().starts_with("also: "));
    assert_eq!(gpu.layout(), "3g.20gb@0 1g.5gb@6");
}
