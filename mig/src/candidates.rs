//! The placements that a layout graph knows, numbered, so that a state is one 64-bit set. Legality on
//! such sets; knows no graph.

use crate::layout::{Layout, Placed, lacking_engine};
use crate::model::Model;
use crate::profile_name::ProfileName;

/// A set of candidates, one bit each.
pub(crate) type Set = u64;

/// One placement of one MIG profile.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// What it is.
    pub placed: Placed,
    /// Candidates that share a memory slice with it, itself included.
    conflicts: Set,
    /// Candidates of the same MIG profile.
    same: Set,
    /// How many of that MIG profile may exist.
    max_count: u32,
}

/// All placements of some MIG profiles of a model.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    list: Vec<Candidate>,
    /// Whether media engines can run out before memory slices do: only with attributes in play.
    engines_matter: bool,
}

impl Candidates {
    /// Those of these MIG profiles; none where a set would need more than 64 bits.
    pub fn of(model: &Model, profiles: &[ProfileName]) -> Option<Candidates> {
        let kept = model.profiles.iter().filter(|p| profiles.contains(&p.name));
        let counted: Vec<(Placed, u32)> = kept
            .flat_map(|p| {
                let profile = p.name;
                p.placements()
                    .map(move |placement| (Placed { placement, profile }, p.max_count))
            })
            .collect();
        let matching = |test: &dyn Fn(&Placed) -> bool| -> Set {
            let hits = counted.iter().enumerate().filter(|(_, (p, _))| test(p));
            hits.fold(0, |set, (i, _)| set | 1 << i)
        };
        if counted.len() > Set::BITS as usize {
            return None;
        }
        let build = |&(placed, max_count): &(Placed, u32)| Candidate {
            placed,
            conflicts: matching(&|p| p.placement.overlaps(placed.placement)),
            same: matching(&|p| p.profile == placed.profile),
            max_count,
        };
        Some(Candidates {
            list: counted.iter().map(build).collect(),
            engines_matter: profiles.iter().any(|p| p.attribute.is_some()),
        })
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, index: usize) -> Option<&Candidate> {
        self.list.get(index)
    }

    /// Number of this placement.
    pub fn index(&self, placed: Placed) -> Option<usize> {
        self.list.iter().position(|c| c.placed == placed)
    }

    /// The candidates of a set.
    pub fn members(&self, set: Set) -> impl Iterator<Item = Placed> + '_ {
        let list = self.list.iter().enumerate();
        list.filter(move |(i, _)| set & (1 << i) != 0)
            .map(|(_, c)| c.placed)
    }

    /// Splits a layout into the set of what is known here and the list of what is not.
    pub fn split(&self, layout: &[Placed]) -> (Set, Vec<Placed>) {
        let mut foreign = Vec::new();
        let mut set = 0;
        for &placed in layout {
            match self.index(placed) {
                Some(index) => set |= 1 << index,
                None => foreign.push(placed),
            }
        }
        (set, foreign)
    }

    /// Numbers of what can be added to `set` beside GPU instances that have no number here.
    pub fn additions(&self, model: &Model, set: Set, foreign: &[Placed]) -> Set {
        let indices = (0..self.len()).filter(|&i| self.fits(model, set, foreign, i));
        indices.fold(0, |found, i| found | 1 << i)
    }

    fn fits(&self, model: &Model, set: Set, foreign: &[Placed], index: usize) -> bool {
        let Some(new) = self.list.get(index) else {
            return false;
        };
        if new.conflicts & set != 0 || (new.same & set).count_ones() >= new.max_count {
            return false;
        }
        if foreign
            .iter()
            .any(|f| f.placement.overlaps(new.placed.placement))
        {
            return false;
        }
        if !self.engines_matter && foreign.is_empty() {
            return true;
        }
        let members: Vec<Placed> = self.members(set | 1 << index).collect();
        lacking_engine(model, members.iter().chain(foreign)).is_none()
    }

    /// The layout that a set of this table stands for. Sets made by `additions` are legal by construction.
    pub fn layout(&self, model: &Model, set: Set) -> Layout {
        let mut layout = Layout::default();
        for placed in self.members(set) {
            let legal = layout.add(model, placed);
            debug_assert!(legal.is_ok(), "{legal:?}");
        }
        layout
    }
}
