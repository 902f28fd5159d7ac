//! Device allocations of one context: large ones own whole granules, small ones share them. The caller charges and
//! refunds the backing bytes, which are exact at all times.

use super::free_ranges::FreeRanges;
use super::space::Space;
use std::collections::BTreeMap;
use std::io;

/// Unit in which device memory is taken from a slice.
pub const GRANULE: u64 = 2 << 20;
/// Requests below this share granules; larger ones round up to whole granules.
pub const SHARED_BELOW: u64 = 1 << 20;
/// Unit within a shared granule; addresses are aligned to it.
const GRAIN: u64 = 512;

/// A live allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub address: u64,
    /// Bytes that were asked for.
    pub requested: u64,
}

/// The allocations of one context.
pub struct Heap {
    space: Space,
    granules: FreeRanges,
    /// Shared granules by their index.
    shared: BTreeMap<u64, FreeRanges>,
    /// Requested bytes by address.
    live: BTreeMap<u64, u64>,
    backing: u64,
}

impl Heap {
    /// An empty heap over a reserved range with room for `capacity` bytes, however they are fragmented.
    ///
    /// # Errors
    /// When the addresses cannot be reserved.
    pub fn new(capacity: u64) -> io::Result<Heap> {
        // Addresses cost nothing: four times the capacity leaves room for holes between live allocations.
        let granules = capacity.div_ceil(GRANULE).saturating_mul(4).max(1);
        let bytes = usize::try_from(granules.saturating_mul(GRANULE));
        let space =
            Space::reserve(bytes.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?)?;
        Ok(Heap {
            space,
            granules: FreeRanges::new(granules),
            shared: BTreeMap::new(),
            live: BTreeMap::new(),
            backing: 0,
        })
    }

    /// Backing bytes that an allocation would add now.
    #[must_use]
    pub fn cost(&self, bytes: u64) -> u64 {
        if bytes >= SHARED_BELOW {
            return bytes.div_ceil(GRANULE).saturating_mul(GRANULE);
        }
        let grains = bytes.div_ceil(GRAIN);
        if self.shared.values().any(|free| free.holds(grains)) {
            0
        } else {
            GRANULE
        }
    }

    /// Allocates; the caller has charged `cost`. `None` when no addresses are left or the host has no memory.
    #[must_use]
    pub fn allocate(&mut self, bytes: u64) -> Option<u64> {
        let address = if bytes >= SHARED_BELOW {
            let count = bytes.div_ceil(GRANULE);
            self.take_granules(count)? * GRANULE
        } else {
            self.take_grains(bytes.div_ceil(GRAIN).max(1))?
        };
        let address = self.space.base() + address;
        self.live.insert(address, bytes);
        Some(address)
    }

    /// Frees; tells the backing bytes that the caller must refund. `None` when nothing lives at this address.
    pub fn free(&mut self, address: u64) -> Option<u64> {
        let bytes = self.live.remove(&address)?;
        let offset = address - self.space.base();
        let (granule, within) = (offset / GRANULE, offset % GRANULE);
        if bytes >= SHARED_BELOW {
            return Some(self.give_granules(granule, bytes.div_ceil(GRANULE)));
        }
        let free = self.shared.get_mut(&granule)?;
        free.give(within / GRAIN, bytes.div_ceil(GRAIN).max(1));
        if !free.is_whole() {
            return Some(0);
        }
        self.shared.remove(&granule);
        Some(self.give_granules(granule, 1))
    }

    /// Gives a live allocation another size that takes the same units of memory. `false` when it would take others.
    #[must_use]
    pub fn resize(&mut self, address: u64, bytes: u64) -> bool {
        match self.live.get_mut(&address) {
            Some(requested) if units(*requested) == units(bytes) => {
                *requested = bytes;
                true
            }
            _ => false,
        }
    }

    /// The live allocation that holds this address.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let (&start, &requested) = self.live.range(..=address).next_back()?;
        (address - start < requested.max(1)).then_some(Allocation {
            address: start,
            requested,
        })
    }

    /// Bytes that back the live allocations.
    #[must_use]
    pub fn backing(&self) -> u64 {
        self.backing
    }

    fn take_granules(&mut self, count: u64) -> Option<u64> {
        let first = self.granules.take(count)?;
        if self.space.map(first * GRANULE, count * GRANULE).is_err() {
            self.granules.give(first, count);
            return None;
        }
        self.backing += count * GRANULE;
        Some(first)
    }

    fn give_granules(&mut self, first: u64, count: u64) -> u64 {
        // Should the kernel refuse, the pages stay readable, which harms nobody: the range is still ours.
        let _ = self.space.unmap(first * GRANULE, count * GRANULE);
        self.granules.give(first, count);
        self.backing -= count * GRANULE;
        count * GRANULE
    }

    fn take_grains(&mut self, count: u64) -> Option<u64> {
        let found = self.shared.iter_mut().find(|(_, free)| free.holds(count));
        let (granule, grain) = match found {
            Some((granule, free)) => (*granule, free.take(count)?),
            None => {
                let granule = self.take_granules(1)?;
                let mut free = FreeRanges::new(GRANULE / GRAIN);
                let grain = free.take(count)?;
                self.shared.insert(granule, free);
                (granule, grain)
            }
        };
        Some(granule * GRANULE + grain * GRAIN)
    }
}

/// Bytes of the units that a request of this size takes: its own granules, or its part of a shared one.
#[must_use]
pub fn units(bytes: u64) -> u64 {
    let unit = if bytes >= SHARED_BELOW {
        GRANULE
    } else {
        GRAIN
    };
    bytes.div_ceil(unit).max(1).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heap() -> Heap {
        Heap::new(64 << 20).unwrap()
    }

    fn write_and_read(address: u64, bytes: u64) {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(address).unwrap());
        // SAFETY: the heap gave out these bytes.
        unsafe {
            start.write(1);
            start.add(usize::try_from(bytes).unwrap() - 1).write(2);
            assert_eq!(start.read(), if bytes == 1 { 2 } else { 1 });
        }
    }

    #[test]
    fn small_requests_share_a_granule_and_large_ones_round_up() {
        let mut heap = heap();
        let one = heap.allocate(1).unwrap();
        let two = heap.allocate(1000).unwrap();
        assert_eq!((heap.backing(), two - one), (GRANULE, 512));
        let large = heap.allocate(SHARED_BELOW).unwrap();
        assert_eq!(heap.backing(), 2 * GRANULE);
        assert_eq!(heap.free(large), Some(GRANULE));
        assert_eq!(heap.free(one), Some(0));
        assert_eq!(heap.free(two), Some(GRANULE));
        assert_eq!(heap.free(two), None);
        assert_eq!(heap.backing(), 0);
    }

    #[test]
    fn an_allocation_can_be_resized_within_its_units() {
        let mut heap = heap();
        let small = heap.allocate(600).unwrap();
        assert!(heap.resize(small, 1024) && !heap.resize(small, 1025));
        assert_eq!(
            heap.find(small + 1023).map(|found| found.requested),
            Some(1024)
        );
        let large = heap.allocate(3 << 20).unwrap();
        assert!(heap.resize(large, 4 << 20) && !heap.resize(large, 2 << 20));
        assert_eq!(heap.free(large), Some(2 * GRANULE));
        assert_eq!(heap.free(small), Some(GRANULE));
        assert!(!heap.resize(small, 600));
        assert_eq!([0, 1, 513, 1 << 20].map(units), [512, 512, 1024, GRANULE]);
    }

    #[test]
    fn an_address_within_an_allocation_finds_it_and_one_behind_does_not() {
        let mut heap = heap();
        let address = heap.allocate(3 << 20).unwrap();
        let found = Allocation {
            address,
            requested: 3 << 20,
        };
        assert_eq!(heap.find(address), Some(found));
        assert_eq!(heap.find(address + (3 << 20) - 1), Some(found));
        assert_eq!(heap.find(address + (3 << 20)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn backing_is_what_was_charged_and_live_bytes_never_overlap(
            steps in prop::collection::vec((1_u64..5 << 20, any::<bool>(), any::<prop::sample::Index>()), 1..60)
        ) {
            let mut heap = heap();
            let mut charged = 0;
            let mut live: Vec<(u64, u64)> = Vec::new();
            for (size, small, which) in steps {
                let bytes = if small { size % 5000 + 1 } else { size };
                if live.len() > 12 {
                    let (address, _) = live.swap_remove(which.index(live.len()));
                    charged -= heap.free(address).unwrap();
                } else {
                    charged += heap.cost(bytes);
                    let address = heap.allocate(bytes).unwrap();
                    prop_assert!(live.iter().all(|(at, size)| address + bytes <= *at || at + size <= address));
                    write_and_read(address, bytes);
                    live.push((address, bytes));
                }
                prop_assert_eq!(heap.backing(), charged);
            }
            for (address, _) in live {
                charged -= heap.free(address).unwrap();
            }
            prop_assert_eq!((heap.backing(), charged), (0, 0));
        }
    }
}
