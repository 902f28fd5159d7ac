//! The id that a GPU instance gets where it lies. Pure.

use crate::model::{Model, Placement};

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
