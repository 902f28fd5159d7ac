//! Which units of a range are free: first fit, neighbours merged. Pure.

use std::collections::BTreeMap;

/// The free parts of `0..len`.
#[derive(Debug)]
pub struct FreeRanges {
    free: BTreeMap<u64, u64>,
    len: u64,
}

impl FreeRanges {
    /// All of `0..len` is free.
    pub fn new(len: u64) -> FreeRanges {
        FreeRanges {
            free: BTreeMap::from([(0, len)]),
            len,
        }
    }

    /// Takes the first `count` units in a row that are free.
    pub fn take(&mut self, count: u64) -> Option<u64> {
        let (&start, &len) = self.free.iter().find(|(_, len)| **len >= count)?;
        self.free.remove(&start);
        if len > count {
            self.free.insert(start + count, len - count);
        }
        Some(start)
    }

    /// Gives units back that `take` gave out.
    pub fn give(&mut self, mut start: u64, mut count: u64) {
        if let Some((&before, &len)) = self.free.range(..start).next_back()
            && before + len == start
        {
            self.free.remove(&before);
            (start, count) = (before, count + len);
        }
        if let Some(len) = self.free.remove(&(start + count)) {
            count += len;
        }
        self.free.insert(start, count);
    }

    /// Whether nothing is taken.
    pub fn is_whole(&self) -> bool {
        self.free.get(&0) == Some(&self.len)
    }

    /// Whether `count` units in a row are free.
    pub fn holds(&self, count: u64) -> bool {
        self.free.values().any(|len| *len >= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn taken_ranges_never_overlap_and_all_come_back(steps in prop::collection::vec((1_u64..20, any::<bool>()), 1..200)) {
            let mut ranges = FreeRanges::new(100);
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (count, give) in steps {
                if give && !taken.is_empty() {
                    let (start, count) = taken.swap_remove(usize::try_from(count).unwrap() % taken.len());
                    ranges.give(start, count);
                } else {
                    let held = ranges.holds(count);
                    let got = ranges.take(count);
                    prop_assert_eq!(held, got.is_some());
                    if let Some(start) = got {
                        prop_assert!(start + count <= 100);
                        prop_assert!(taken.iter().all(|(s, c)| start + count <= *s || s + c <= start));
                        taken.push((start, count));
                    }
                }
            }
            for (start, count) in taken {
                ranges.give(start, count);
            }
            prop_assert!(ranges.is_whole());
        }
    }
}
