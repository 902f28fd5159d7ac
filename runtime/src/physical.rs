//! Memory made by `cuMemCreate`: it lives as long as a handle or a mapping holds it, in whatever order they end (many
//! programs release the handle right after mapping). Comes in: these events. Goes out: the bytes that an event frees.

use std::collections::BTreeMap;

/// All physical memory of a process that is known.
#[derive(Default)]
pub struct Physical {
    next: u64,
    /// A handle's number may be given again while the memory lives on in a mapping: hence names of our own.
    handles: BTreeMap<u64, u64>,
    mappings: BTreeMap<u64, Mapping>,
    held: BTreeMap<u64, Held>,
}

struct Mapping {
    bytes: u64,
    name: u64,
}

struct Held {
    bytes: u64,
    references: u64,
    mappings: u64,
}

impl Physical {
    /// New memory behind a new handle.
    pub fn create(&mut self, handle: u64, bytes: u64) {
        self.next = self.next.saturating_add(1);
        self.handles.insert(handle, self.next);
        let held = Held {
            bytes,
            references: 1,
            mappings: 0,
        };
        self.held.insert(self.next, held);
    }

    /// A further reference to the memory mapped at `address`, by a handle.
    pub fn retain(&mut self, handle: u64, address: u64) {
        let below = self.mappings.range(..=address).next_back();
        let inside = below.filter(|(start, mapping)| address - **start < mapping.bytes);
        let Some(name) = inside.map(|(_, mapping)| mapping.name) else {
            return;
        };
        self.handles.insert(handle, name);
        if let Some(held) = self.held.get_mut(&name) {
            held.references = held.references.saturating_add(1);
        }
    }

    /// A reference is given up. Returns the bytes that went back to the device.
    pub fn release(&mut self, handle: u64) -> u64 {
        let Some(&name) = self.handles.get(&handle) else {
            return 0;
        };
        if let Some(held) = self.held.get_mut(&name) {
            held.references = held.references.saturating_sub(1);
            if held.references == 0 {
                self.handles.remove(&handle);
            }
        }
        self.reap(name)
    }

    /// The memory of a handle is mapped.
    pub fn map(&mut self, address: u64, bytes: u64, handle: u64) {
        let Some(&name) = self.handles.get(&handle) else {
            return;
        };
        if let Some(held) = self.held.get_mut(&name) {
            held.mappings = held.mappings.saturating_add(1);
            self.mappings.insert(address, Mapping { bytes, name });
        }
    }

    /// A range of addresses is unmapped, with all mappings in it. Returns the bytes that went back to the device.
    pub fn unmap(&mut self, address: u64, bytes: u64) -> u64 {
        let range = address..address.saturating_add(bytes);
        let gone: Vec<_> = self.mappings.extract_if(range, |_, _| true).collect();
        gone.into_iter().fold(0, |freed: u64, (_, mapping)| {
            if let Some(held) = self.held.get_mut(&mapping.name) {
                held.mappings = held.mappings.saturating_sub(1);
            }
            freed.saturating_add(self.reap(mapping.name))
        })
    }

    fn reap(&mut self, name: u64) -> u64 {
        let is_free = |held: &&Held| held.references == 0 && held.mappings == 0;
        if self.held.get(&name).filter(is_free).is_none() {
            return 0;
        }
        self.held.remove(&name).map_or(0, |held| held.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_lives_until_both_handle_and_mapping_are_gone() {
        let mut physical = Physical::default();
        physical.create(1, 4096);
        physical.map(0x1000, 4096, 1);
        assert_eq!(physical.release(1), 0);
        physical.create(1, 8192);
        assert_eq!(
            physical.unmap(0x1000, 4096),
            4096,
            "the first, not the new one of its number"
        );
        assert_eq!(physical.release(1), 8192);
        assert_eq!(physical.release(1), 0);
    }

    #[test]
    fn one_unmapping_ends_all_mappings_in_its_range() {
        let mut physical = Physical::default();
        for (handle, address) in [(1, 0x1000), (2, 0x2000), (3, 0x3000)] {
            physical.create(handle, 10);
            physical.map(address, 0x1000, handle);
            physical.release(handle);
        }
        assert_eq!(physical.unmap(0x1000, 0x2000), 20);
        assert_eq!(physical.unmap(0x3000, 0x1000), 10);
    }

    #[test]
    fn a_retained_handle_holds_the_memory() {
        let mut physical = Physical::default();
        physical.create(1, 10);
        physical.map(0x1000, 0x1000, 1);
        physical.retain(1, 0x1fff);
        physical.retain(1, 0x2000);
        assert_eq!(physical.unmap(0x1000, 0x1000), 0);
        assert_eq!(physical.release(1), 0);
        assert_eq!(physical.release(1), 10);
    }
}
