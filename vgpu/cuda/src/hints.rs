//! Hints about managed memory, by range: what was said last of all of it is told again. It must not know what they mean.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// It is mostly read.
    ReadMostly,
    /// Where it should lie.
    PreferredPlace,
    /// Who accesses it.
    AccessedBy,
    /// Where it was fetched to.
    LastPrefetch,
}

/// By hint and first address: one behind the last address, and the value. Ranges of a hint do not overlap.
type Ranges = BTreeMap<(Hint, u64), (u64, i32)>;

static RANGES: Mutex<Ranges> = Mutex::new(BTreeMap::new());

/// Sets a hint of a range, or takes it back.
pub fn set(address: u64, bytes: usize, hint: Hint, value: Option<i32>) {
    let end = address.saturating_add(bytes as u64);
    let mut ranges = ranges();
    let of_hint = ranges.range((hint, 0)..(hint, end));
    let cut: Vec<_> = of_hint
        .filter(|(_, (other, _))| *other > address)
        .map(|(key, held)| (*key, *held))
        .collect();
    for ((_, start), (other, held)) in cut {
        ranges.remove(&(hint, start));
        if start < address {
            ranges.insert((hint, start), (address, held));
        }
        if other > end {
            ranges.insert((hint, end), (other, held));
        }
    }
    if let Some(value) = value {
        ranges.insert((hint, address), (end, value));
    }
}

/// The range is gone, and all that was said of it.
pub fn forget(address: u64, bytes: u64) {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    for hint in [
        Hint::ReadMostly,
        Hint::PreferredPlace,
        Hint::AccessedBy,
        Hint::LastPrefetch,
    ] {
        set(address, bytes, hint, None);
    }
}

/// The hint of a range, where it is the same for all of it.
pub fn get(address: u64, bytes: usize, hint: Hint) -> Option<i32> {
    let end = address.saturating_add(bytes as u64);
    let ranges = ranges();
    let (_, &(mut at, value)) = ranges.range((hint, 0)..=(hint, address)).next_back()?;
    if at <= address {
        return None;
    }
    while at < end {
        let &(next, held) = ranges.get(&(hint, at))?;
        if held != value {
            return None;
        }
        at = next;
    }
    Some(value)
}

fn ranges() -> MutexGuard<'static, Ranges> {
    RANGES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_of_all_of_a_range_is_told_again() {
        const BASE: u64 = 1 << 50;
        let get = |from: u64, bytes| get(BASE + from, bytes, Hint::ReadMostly);
        let set = |from: u64, bytes, value| set(BASE + from, bytes, Hint::ReadMostly, value);
        assert_eq!(get(0, 10), None);
        set(0, 100, Some(1));
        assert_eq!(
            (get(0, 100), get(50, 50), get(50, 51)),
            (Some(1), Some(1), None)
        );
        set(40, 20, Some(2));
        assert_eq!(
            (get(0, 100), get(0, 40), get(40, 20), get(60, 40)),
            (None, Some(1), Some(2), Some(1))
        );
        set(40, 20, Some(1));
        assert_eq!(get(0, 100), Some(1));
        set(0, 30, None);
        assert_eq!((get(0, 100), get(30, 70)), (None, Some(1)));
    }
}
