//! CUDA_VISIBLE_DEVICES: which slice a process sees. Pure; at most one, as on real GPUs in MIG mode.

use crate::state::Slice;

/// A GPU as a process may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its UUID.
    pub uuid: String,
    /// What is on it: its MIG devices, or all of it.
    pub slices: Vec<Slice>,
}

/// The slice that a process sees, with the number of its GPU: by the variable's value (`None`: unset).
///
/// Names are MIG UUIDs, a GPU's UUID, a GPU's number, or the old `MIG-GPU-…/gi/ci`. Only the first entry counts, and an
/// entry that names nothing hides everything, as in CUDA. Of a GPU under MIG that is named the first MIG device is seen.
#[must_use]
pub fn choose<'a>(boards: &'a [Board], value: Option<&str>) -> Option<(usize, &'a Slice)> {
    let mut all = boards
        .iter()
        .enumerate()
        .flat_map(|(number, board)| board.slices.iter().map(move |slice| (number, board, slice)));
    let entry = value.map(|value| value.split(',').next().unwrap_or_default().trim());
    let found = all.find(|(number, board, slice)| {
        entry.is_none_or(|entry| is_named(entry, *number, board, slice))
    });
    found.map(|(number, _, slice)| (number, slice))
}

fn is_named(entry: &str, number: usize, board: &Board, slice: &Slice) -> bool {
    let same = |name: &str| name.eq_ignore_ascii_case(entry);
    entry.parse() == Ok(number)
        || same(&board.uuid)
        || same(&slice.uuid)
        || old_name(slice, &board.uuid).is_some_and(|name| name == entry)
}

/// The form of drivers before R470.
fn old_name(slice: &Slice, gpu_uuid: &str) -> Option<String> {
    let (gpu_instance, compute_instance) = slice.instance?;
    Some(format!("MIG-{gpu_uuid}/{gpu_instance}/{compute_instance}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::units::Mib;

    const GPU: &str = "GPU-0000";

    const OTHER: &str = "GPU-1111";

    fn boards() -> Vec<Board> {
        let slice = |gi: Option<u32>, uuid: &str| Slice {
            instance: gi.map(|gi| (gi, 0)),
            uuid: uuid.to_owned(),
            uuid_bytes: [0; 16],
            name: String::new(),
            memory: Mib(1),
            sms: 1,
            memory_slices: (1, 8),
        };
        let board = |uuid: &str, slices| Board {
            uuid: uuid.to_owned(),
            slices,
        };
        vec![
            board(
                GPU,
                vec![slice(Some(7), "MIG-aaaa"), slice(Some(8), "MIG-bbbb")],
            ),
            board(OTHER, vec![slice(None, OTHER)]),
        ]
    }

    fn chosen(value: Option<&str>) -> Option<(usize, String)> {
        choose(&boards(), value).map(|(number, slice)| (number, slice.uuid.clone()))
    }

    fn on(number: usize, uuid: &str) -> Option<(usize, String)> {
        Some((number, uuid.to_owned()))
    }

    #[test]
    fn a_slice_is_chosen_by_uuid_index_or_old_name() {
        for second in ["MIG-bbbb", "mig-BBBB,MIG-aaaa", "MIG-GPU-0000/8/0"] {
            assert_eq!(chosen(Some(second)), on(0, "MIG-bbbb"), "{second}");
        }
        for first in [None, Some("0"), Some(GPU)] {
            assert_eq!(chosen(first), on(0, "MIG-aaaa"));
        }
        for other in ["1", OTHER] {
            assert_eq!(chosen(Some(other)), on(1, OTHER));
        }
    }

    #[test]
    fn a_gpu_without_anything_to_run_on_is_passed_over() {
        let mut boards = boards();
        boards[0].slices.clear();
        let (number, _) = choose(&boards, None).unwrap();
        assert_eq!(number, 1);
        assert_eq!(choose(&boards, Some("0")), None);
    }

    #[test]
    fn an_empty_or_unknown_name_hides_everything() {
        for none in ["", "2", "-1", "MIG-cccc", "NoDevFiles", "MIG-cccc,MIG-aaaa"] {
            assert_eq!(chosen(Some(none)), None, "{none}");
        }
        assert_eq!(choose(&[], None), None);
    }
}
