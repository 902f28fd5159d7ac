//! Where a kernel's storage lies: shared variables in the block's shared memory, the rest and live registers in a frame.

use crate::context::Request;
use migfit_ptx::flow::flat::{Flat, Storage};
use migfit_ptx::text::types::Space;

/// Shared memory that a launch sizes begins at a multiple of this.
const DYNAMIC_ALIGN: u64 = 16;
/// Storage may lie at multiples of no more than this.
pub const MOST_ALIGN: u64 = 128;

/// Offsets of a function's storage.
#[derive(Clone, Debug)]
pub struct Layout {
    /// By number of the storage: offset in shared memory, or in the frame.
    pub offsets: Vec<u64>,
    /// Where dynamic shared memory begins.
    pub dynamic: u64,
    /// Bytes of a frame behind the request and before saved registers.
    pub frame: u64,
}

impl Layout {
    /// Of a function.
    pub fn of(flat: &Flat) -> Layout {
        let mut shared = 0_u64;
        let mut frame = size_of::<Request>() as u64;
        let mut align = DYNAMIC_ALIGN;
        let take = |storage: &Storage, end: &mut u64| {
            let start = end.next_multiple_of(storage.align.clamp(1, MOST_ALIGN));
            *end = start.saturating_add(storage.bytes);
            start
        };
        let mut offsets: Vec<_> = flat
            .storage
            .iter()
            .map(|one| match (one.space, one.dynamic) {
                (Space::Shared, true) => {
                    align = align.max(one.align.min(MOST_ALIGN));
                    0
                }
                (Space::Shared, false) => take(one, &mut shared),
                _ => take(one, &mut frame),
            })
            .collect();
        let dynamic = shared.next_multiple_of(align);
        for (offset, one) in offsets.iter_mut().zip(&flat.storage) {
            if one.space == Space::Shared && one.dynamic {
                *offset = dynamic;
            }
        }
        Layout {
            offsets,
            dynamic,
            frame: frame.next_multiple_of(16),
        }
    }
}
