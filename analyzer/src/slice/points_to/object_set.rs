//! A set of objects: words of 64 bits where some bit is set, in ascending order. Small for few objects, quick for many.

use crate::slice::objects::ObjectId;

/// Bits of a word.
const WIDTH: usize = u64::BITS as usize;

/// A set of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectSet(Vec<(u32, u64)>);

impl ObjectSet {
    /// Adds an object.
    pub fn insert(&mut self, object: ObjectId) {
        let (word, bit) = ((object / WIDTH) as u32, 1 << (object % WIDTH));
        match self.0.binary_search_by_key(&word, |(word, _)| *word) {
            Ok(place) => self.0[place].1 |= bit,
            Err(place) => self.0.insert(place, (word, bit)),
        }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its objects, ascending.
    pub fn iter(&self) -> impl Iterator<Item = ObjectId> {
        self.0.iter().flat_map(|(word, bits)| {
            let (base, mut bits) = (*word as usize * WIDTH, *bits);
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < WIDTH).then_some(base + bit)
            })
        })
    }

    /// Whether all of it is in the other.
    pub fn is_within(&self, other: &ObjectSet) -> bool {
        let mut rest = other.0.as_slice();
        self.0.len() <= other.0.len()
            && self.0.iter().all(|(word, bits)| {
                let place = rest.partition_point(|(other, _)| other < word);
                rest = &rest[place..];
                matches!(rest.first(), Some((other, more)) if other == word && bits & !more == 0)
            })
    }

    /// What of it is not in the other.
    pub fn without(&self, other: &ObjectSet) -> ObjectSet {
        let mut rest = other.0.as_slice();
        let left = self.0.iter().filter_map(|(word, bits)| {
            let place = rest.partition_point(|(other, _)| other < word);
            rest = &rest[place..];
            let known = rest.first().filter(|(other, _)| other == word);
            let bits = bits & !known.map_or(0, |(_, bits)| *bits);
            (bits != 0).then_some((*word, bits))
        });
        ObjectSet(left.collect())
    }

    /// Both together.
    pub fn union(&self, other: &ObjectSet) -> ObjectSet {
        let (mut one, mut two) = (self.0.as_slice(), other.0.as_slice());
        let mut all = Vec::with_capacity(one.len().max(two.len()));
        while let ([(a, bits), one_rest @ ..], [(b, more), two_rest @ ..]) = (one, two) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => (one, _) = (one_rest, all.push((*a, *bits))),
                std::cmp::Ordering::Greater => (two, _) = (two_rest, all.push((*b, *more))),
                std::cmp::Ordering::Equal => {
                    (one, two) = (one_rest, two_rest);
                    all.push((*a, bits | more));
                }
            }
        }
        all.extend(one);
        all.extend(two);
        ObjectSet(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn set(objects: &BTreeSet<ObjectId>) -> ObjectSet {
        let mut all = ObjectSet::default();
        objects.iter().for_each(|object| all.insert(*object));
        all
    }

    proptest::proptest! {
        #[test]
        fn it_does_what_a_plain_set_does(
            one in proptest::collection::btree_set(0usize..400, 0..40),
            two in proptest::collection::btree_set(0usize..400, 0..40),
        ) {
            let (a, b) = (set(&one), set(&two));
            assert!(a.iter().eq(one.iter().copied()));
            assert!(a.union(&b).iter().eq(one.union(&two).copied()));
            assert!(a.without(&b).iter().eq(one.difference(&two).copied()));
            assert_eq!(a.is_within(&b), one.is_subset(&two));
            assert!(a.is_within(&a.union(&b)));
            assert_eq!(a.is_empty(), one.is_empty());
        }
    }
}
