//! The id that a GPU instance gets where it lies. Pure.

use crate::model::{Model, Placement};

/// The GI id: by size class (whole 0, halves from 1, quarters from 3, eighths from 7), then by start. On a board whose
/// halves are swapped the count begins at the upper one.
pub fn gpu_instance_id(model: &Model, at: Placement, swapped: bool) -> u32 {
    let class = model.memory_slices / at.size.max(1);
    let nth = at.start / at.size.max(1);
    let first_of_upper = if swapped { class / 2 } else { 0 };
    let nth = (nth + first_of_upper) % class.max(1);
    match class {
        0 | 1 => 0,
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
        let id = |start, size| gpu_instance_id(&model, Placement { start, size }, false);
        assert_eq!(
            (0..7).map(|s| id(s, 1)).collect::<Vec<_>>(),
            [7, 8, 9, 10, 11, 12, 13]
        );
        assert_eq!([id(0, 2), id(2, 2), id(4, 2), id(6, 2)], [3, 4, 5, 6]);
        assert_eq!([id(0, 4), id(4, 4), id(0, 8)], [1, 2, 0]);
    }

    #[test]
    fn on_a_swapped_board_they_begin_at_the_upper_half() {
        let model = a100();
        let id = |start, size| gpu_instance_id(&model, Placement { start, size }, true);
        assert_eq!(
            (0..7).map(|s| id(s, 1)).collect::<Vec<_>>(),
            [11, 12, 13, 14, 7, 8, 9]
        );
        assert_eq!([id(0, 2), id(2, 2), id(4, 2), id(6, 2)], [5, 6, 3, 4]);
        assert_eq!([id(0, 4), id(4, 4), id(0, 8)], [2, 1, 0]);
    }

    #[test]
    fn boards_of_four_slices_count_likewise() {
        for (name, unit) in [("a30-24gb", 1_u32), ("rtx-pro-6000-96gb", 3)] {
            let model = Model::named(name).unwrap();
            let id = |start: u32, size: u32| {
                let place = Placement {
                    start: start * unit,
                    size: size * unit,
                };
                gpu_instance_id(&model, place, false)
            };
            assert_eq!((0..4).map(|s| id(s, 1)).collect::<Vec<_>>(), [3, 4, 5, 6]);
            assert_eq!([id(0, 2), id(2, 2), id(0, 4)], [1, 2, 0]);
        }
    }
}
