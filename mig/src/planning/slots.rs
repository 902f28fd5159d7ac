//! When each memory slice of one GPU is free, and which GPU instance lies on it.

use crate::planning::ground::{Ground, MOST_SLICES, Place, Time};

/// No GPU instance lies on the slice.
pub const NOTHING: u8 = u8::MAX;

/// A time that never comes: a slice that somebody else holds.
pub const NEVER: Time = Time::MAX / 8;

/// The memory slices of one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slots {
    /// From when each is free.
    pub free: [Time; MOST_SLICES],
    /// Number (on its GPU) of the place whose GPU instance was made there last.
    pub made: [u8; MOST_SLICES],
}

impl Slots {
    /// An empty GPU, free from 0 on.
    #[must_use]
    pub fn empty() -> Slots {
        Slots {
            free: [0; MOST_SLICES],
            made: [NOTHING; MOST_SLICES],
        }
    }

    /// A GPU instance that exists on `place`, free from `until` on.
    pub fn hold(&mut self, place: &Place, local: u8, until: Time) {
        for slice in place.start..place.end {
            self.free[slice] = until;
            self.made[slice] = local;
        }
    }

    /// From when all slices of a place are free.
    #[inline]
    #[must_use]
    pub fn begins(&self, place: &Place) -> Time {
        let mut latest = 0;
        for slice in place.start..place.end {
            latest = latest.max(self.free[slice]);
        }
        latest
    }

    /// Whether the GPU instance of a place exists as a whole.
    #[inline]
    #[must_use]
    pub fn exists(&self, place: &Place, local: u8) -> bool {
        self.made[place.start..place.end]
            .iter()
            .all(|&made| made == local)
    }

    /// When a job that takes `time` would end there, its GPU instance made first where it is missing.
    #[inline]
    #[must_use]
    pub fn ends(&self, ground: &Ground, place: usize, time: Time) -> Time {
        let at = &ground.places()[place];
        let made = match self.exists(at, ground.local(place)) {
            true => 0,
            false => ground.creation(),
        };
        self.begins(at) + made + time
    }

    /// Puts a job there and tells when it ends.
    #[inline]
    pub fn put(&mut self, ground: &Ground, place: usize, time: Time) -> Time {
        let end = self.ends(ground, place, time);
        self.hold(&ground.places()[place], ground.local(place), end);
        end
    }

    /// The latest end.
    #[inline]
    #[must_use]
    pub fn last(&self, slices: usize) -> Time {
        let known = self.free[..slices].iter().filter(|&&free| free < NEVER);
        known.copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LayoutGraph, find};

    #[test]
    fn an_instance_is_made_once_and_gone_when_another_lies_on_it() {
        let model = find("a100-40gb").unwrap();
        let graph = LayoutGraph::new(model, &model.basic_profiles()).unwrap();
        let ground = Ground::new(&graph, 1, 10).unwrap();
        let place = |text: &str| {
            let mut places = ground.places().iter();
            places.position(|p| p.placed.to_string() == text).unwrap()
        };
        let mut slots = Slots::empty();
        assert_eq!(slots.put(&ground, place("2g.10gb@0"), 100), 110);
        assert_eq!(slots.put(&ground, place("2g.10gb@0"), 100), 210);
        assert_eq!(slots.put(&ground, place("1g.5gb@0"), 5), 225);
        assert_eq!(
            slots.put(&ground, place("2g.10gb@0"), 100),
            335,
            "made anew"
        );
        assert_eq!(slots.put(&ground, place("3g.20gb@4"), 1), 11, "beside it");
        assert_eq!(slots.last(ground.slices()), 335);
    }
}
