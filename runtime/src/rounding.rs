//! Comes in: the sizes of allocations. Goes out: the bytes that the driver takes for them, by a simple model: from 1 MiB
//! on each is rounded up to whole granules of 2 MiB; smaller ones, in units of 512 bytes, share granules.
//! To be confirmed on hardware; holes that freed small allocations leave in shared granules are not modelled.

const GRANULE: u64 = 2 << 20;
const OWN_GRANULE_FROM: u64 = 1 << 20;
const SMALL_UNIT: u64 = 512;

/// The running total.
#[derive(Default)]
pub struct Rounded {
    large: u64,
    small: u64,
    kept: u64,
}

impl Rounded {
    /// Counts an allocation in.
    pub fn add(&mut self, bytes: u64) {
        let place = self.place(bytes);
        *place = place.saturating_add(units(bytes));
    }

    /// Counts an allocation out.
    pub fn subtract(&mut self, bytes: u64) {
        let place = self.place(bytes);
        *place = place.saturating_sub(units(bytes));
    }

    /// Pools keep so many bytes for later, in units of either kind, instead of so many before.
    pub fn keep(&mut self, before: u64, now: u64) {
        self.kept = self.kept.saturating_sub(before).saturating_add(now);
    }

    /// Bytes taken of the device.
    pub fn total(&self) -> u64 {
        let shared = self.small.saturating_add(self.kept);
        self.large.saturating_add(up(shared, GRANULE))
    }

    fn place(&mut self, bytes: u64) -> &mut u64 {
        if bytes >= OWN_GRANULE_FROM {
            &mut self.large
        } else {
            &mut self.small
        }
    }
}

/// Bytes of the units that an allocation takes: its own granules, or its part of a shared one.
pub fn units(bytes: u64) -> u64 {
    let own = bytes >= OWN_GRANULE_FROM;
    up(bytes, if own { GRANULE } else { SMALL_UNIT })
}

fn up(bytes: u64, unit: u64) -> u64 {
    bytes.div_ceil(unit).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(sizes: &[u64]) -> u64 {
        let mut rounded = Rounded::default();
        sizes.iter().for_each(|bytes| rounded.add(*bytes));
        rounded.total()
    }

    #[test]
    fn small_allocations_share_a_granule_and_large_ones_do_not() {
        assert_eq!(total(&[]), 0);
        assert_eq!(total(&[1]), GRANULE);
        assert_eq!(total(&[1, 4096, 1000]), GRANULE);
        assert_eq!(total(&[1 << 20]), GRANULE);
        assert_eq!(total(&[1 << 20, 1]), 2 * GRANULE);
        assert_eq!(total(&[(2 << 20) + 1]), 2 * GRANULE);
        assert_eq!(total(&[700_000; 4]), 2 * GRANULE);
    }

    #[test]
    fn what_is_counted_out_is_gone_and_nothing_overflows() {
        let mut rounded = Rounded::default();
        rounded.add(u64::MAX);
        rounded.add(u64::MAX);
        assert_eq!(rounded.total(), u64::MAX);
        rounded.subtract(u64::MAX);
        rounded.subtract(u64::MAX);
        assert_eq!(rounded.total(), 0);
    }
}
