//! The places that GPUs of one model offer to jobs: a MIG profile on a piece of memory slices of one GPU. Places whose
//! pieces do not overlap can exist side by side (tested for every built-in model), so a piece is all that planning needs.

use crate::graph::LayoutGraph;
use crate::layout::Placed;
use crate::model::Model;
use crate::profile_name::ProfileName;

/// A span or a point of planned time, in microseconds.
pub type Time = u64;

/// Memory slices that a GPU of this planner has at most.
pub const MOST_SLICES: usize = 12;

/// Where a job may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the GPU.
    pub gpu: usize,
    /// Position of its MIG profile in `Ground::profiles`.
    pub profile: usize,
    /// The MIG profile and the piece by their own names.
    pub placed: Placed,
    /// First memory slice.
    pub start: usize,
    /// One behind the last.
    pub end: usize,
}

/// GPUs of one model.
#[derive(Clone, Debug)]
pub struct Ground {
    profiles: Vec<ProfileName>,
    compute: Vec<u32>,
    places: Vec<Place>,
    per_gpu: usize,
    gpus: usize,
    slices: usize,
    compute_slices: u32,
    creation: Time,
}

impl Ground {
    /// The places of `gpus` GPUs with the MIG profiles of a layout graph; `creation` is what making one GPU instance takes.
    /// None for a GPU with more memory slices than `MOST_SLICES`, or for so many GPUs that places have no numbers.
    #[must_use]
    pub fn new(graph: &LayoutGraph, gpus: usize, creation: Time) -> Option<Ground> {
        let model = graph.model();
        let slices = usize::try_from(model.memory_slices).ok()?;
        if slices == 0 || slices > MOST_SLICES || gpus == 0 {
            return None;
        }
        let profiles = graph.profiles().to_vec();
        let one = places(model, &profiles, 0);
        let per_gpu = one.len();
        if per_gpu.checked_mul(gpus)? >= usize::from(u16::MAX) {
            return None;
        }
        let all = (0..gpus).flat_map(|gpu| one.iter().map(move |place| Place { gpu, ..*place }));
        Some(Ground {
            compute: profiles.iter().map(|profile| profile.slices).collect(),
            profiles,
            places: all.collect(),
            per_gpu,
            gpus,
            slices,
            compute_slices: model.compute_slices,
            creation,
        })
    }

    /// The MIG profiles.
    #[must_use]
    pub fn profiles(&self) -> &[ProfileName] {
        &self.profiles
    }

    /// SM slices of the MIG profile with this position.
    #[must_use]
    pub fn compute_of(&self, profile: usize) -> u32 {
        self.compute.get(profile).copied().unwrap_or_default()
    }

    /// All places, GPU by GPU.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Places of one GPU.
    #[must_use]
    pub fn of_gpu(&self, gpu: usize) -> &[Place] {
        let from = gpu * self.per_gpu;
        self.places
            .get(from..from + self.per_gpu)
            .unwrap_or_default()
    }

    /// Number of the place on its GPU.
    #[must_use]
    pub fn local(&self, place: usize) -> u8 {
        // Fewer places than `u16::MAX` in all, and a GPU of eight slices has far fewer than 255.
        u8::try_from(place % self.per_gpu).unwrap_or(u8::MAX)
    }

    /// The place of this MIG profile and piece on a GPU.
    #[must_use]
    pub fn place_of(&self, gpu: usize, placed: Placed) -> Option<usize> {
        let here = self.of_gpu(gpu).iter();
        let at = here.clone().position(|place| place.placed == placed)?;
        Some(gpu * self.per_gpu + at)
    }

    /// Number of GPUs.
    #[must_use]
    pub fn gpus(&self) -> usize {
        self.gpus
    }

    /// Memory slices of one GPU.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.slices
    }

    /// SM slices of one GPU.
    #[must_use]
    pub fn compute_slices(&self) -> u32 {
        self.compute_slices
    }

    /// What making one GPU instance takes.
    #[must_use]
    pub fn creation(&self) -> Time {
        self.creation
    }
}

fn places(model: &Model, profiles: &[ProfileName], gpu: usize) -> Vec<Place> {
    let mut places = Vec::new();
    for (position, &name) in profiles.iter().enumerate() {
        let Some(profile) = model.profile(name) else {
            continue;
        };
        places.extend(profile.default_order().map(|placement| Place {
            gpu,
            profile: position,
            placed: Placed {
                placement,
                profile: name,
            },
            start: placement.start as usize,
            end: (placement.start + placement.size) as usize,
        }));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::builtin;

    /// What the planner rests on: no legal plain MIG profile lacks anything but memory slices.
    #[test]
    fn pieces_that_do_not_overlap_can_exist_side_by_side_on_every_model() {
        for model in builtin().unwrap() {
            let graph = LayoutGraph::new(model, &model.plain_profiles()).unwrap();
            let ground = Ground::new(&graph, 1, 0).unwrap();
            for state in graph.petgraph().node_weights() {
                let layout = graph.layout(state);
                for place in ground.places() {
                    let apart = |p: &Placed| !p.placement.overlaps(place.placed.placement);
                    let free = layout.placed().iter().all(apart);
                    let legal = layout.check(model, place.placed).is_ok();
                    assert_eq!(free, legal, "{} {:?} {:?}", model.name, layout, place);
                }
            }
        }
    }
}
