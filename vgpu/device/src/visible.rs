//! CUDA_VISIBLE_DEVICES: which slice a process sees. Pure; at most one, as on a real GPU in MIG mode.

use crate::state::Slice;

/// The slice that a process sees: of those there are, by the variable's value (`None`: unset).
///
/// Names are MIG UUIDs, the GPU's UUID, an index, or the old `MIG-GPU-…/gi/ci`. Only the first entry counts, and an
/// entry that names nothing hides everything, as in CUDA.
#[must_use]
pub fn choose<'a>(slices: &'a [Slice], gpu_uuid: &str, value: Option<&str>) -> Option<&'a Slice> {
    let Some(value) = value else {
        return slices.first();
    };
    let entry = value.split(',').next().unwrap_or_default().trim();
    if entry.eq_ignore_ascii_case(gpu_uuid) || entry.parse() == Ok(0_u32) {
        return slices.first();
    }
    slices.iter().find(|slice| {
        slice.uuid.eq_ignore_ascii_case(entry)
            || old_name(slice, gpu_uuid).as_deref() == Some(entry)
    })
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

    fn slices() -> Vec<Slice> {
        let slice = |gi: u32, uuid: &str| Slice {
            instance: Some((gi, 0)),
            uuid: uuid.to_owned(),
            uuid_bytes: [0; 16],
            name: String::new(),
            memory: Mib(1),
            sms: 1,
            memory_slices: (1, 8),
        };
        vec![slice(7, "MIG-aaaa"), slice(8, "MIG-bbbb")]
    }

    fn chosen(value: Option<&str>) -> Option<String> {
        choose(&slices(), GPU, value).map(|slice| slice.uuid.clone())
    }

    #[test]
    fn a_slice_is_chosen_by_uuid_index_or_old_name() {
        assert_eq!(chosen(Some("MIG-bbbb")).as_deref(), Some("MIG-bbbb"));
        assert_eq!(
            chosen(Some("MIG-bbbb,MIG-aaaa")).as_deref(),
            Some("MIG-bbbb")
        );
        assert_eq!(
            chosen(Some("MIG-GPU-0000/8/0")).as_deref(),
            Some("MIG-bbbb")
        );
        for first in [None, Some("0"), Some(GPU)] {
            assert_eq!(chosen(first).as_deref(), Some("MIG-aaaa"));
        }
    }

    #[test]
    fn an_empty_or_unknown_name_hides_everything() {
        for none in ["", "1", "-1", "MIG-cccc", "NoDevFiles", "MIG-cccc,MIG-aaaa"] {
            assert_eq!(chosen(Some(none)), None, "{none}");
        }
        assert_eq!(choose(&[], GPU, None), None);
    }
}
