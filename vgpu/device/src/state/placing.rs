//! Where the driver puts a GPU instance when no placement is given, and the id that it gets there. Pure.

use crate::model::{GiProfile, Model, Placement};

/// Legal placements of a MIG profile, in the driver's order of preference.
pub fn preference(model: &Model, profile: &GiProfile) -> Vec<Placement> {
    let size = profile.memory_slices;
    let observed: &[u32] = match (model.memory_slices, size) {
        (8, 1) => &[6, 4, 5, 0, 1, 2, 3],
        (8, 2) => &[6, 4, 0, 2],
        (8, 4) => &[4, 0],
        // Elsewhere the lowest start that fits was seen.
        _ => &[],
    };
    let ranked = observed
        .iter()
        .filter(|start| profile.starts.contains(start));
    let others = profile
        .starts
        .iter()
        .filter(|start| !observed.contains(start));
    ranked
        .chain(others)
        .map(|&start| Placement { start, size })
        .collect()
}

/// The GI id: by size class (whole 0, halves from 1, quarters from 3, eighths from 7), then by start.
pub fn gpu_instance_id(model: &Model, at: Placement) -> u32 {
    let class = model.memory_slices / at.size.max(1);
    let nth = at.start / at.size.max(1);
    match class {
        0 | 1 => 0,
        // On boards with eight slices whose halves are not swapped, the upper half is 1.
        2 | 3 if model.memory_slices == 8 => 2 - nth.min(1),
        2 | 3 => 1 + nth,
        4..8 => 3 + nth,
        _ => 7 + nth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a100() -> Model {
        Model::named("a100-40gb").unwrap()
    }

    fn starts(profile: u32) -> Vec<u32> {
        let model = a100();
        let profile = model.profile(profile).unwrap();
        preference(&model, profile)
            .iter()
            .map(|at| at.start)
            .collect()
    }

    #[test]
    fn the_driver_fills_an_a100_in_the_order_seen_on_hardware() {
        assert_eq!(starts(19), [6, 4, 5, 0, 1, 2, 3]);
        assert_eq!(starts(14), [4, 0, 2]);
        assert_eq!(starts(9), [4, 0]);
        assert_eq!(starts(5), [0]);
    }

    #[test]
    fn ids_follow_size_class_and_start() {
        let model = a100();
        let id = |start, size| gpu_instance_id(&model, Placement { start, size });
        assert_eq!(
            (0..7).map(|s| id(s, 1)).collect::<Vec<_>>(),
            [7, 8, 9, 10, 11, 12, 13]
        );
        assert_eq!([id(0, 2), id(2, 2), id(4, 2), id(6, 2)], [3, 4, 5, 6]);
        assert_eq!([id(4, 4), id(0, 4), id(0, 8)], [1, 2, 0]);
    }
}
