//! A layout: the set of placed GPU instances of one GPU. Says what is legal on a model, what is free and
//! what can still be placed; reads and prints the text form `2g.10gb@0 3g.20gb@4`.
//! Knows neither who uses a GPU instance nor how a layout came about.

use crate::model::{Engines, MigProfile, Model, Placement};
use crate::profile_name::{BadProfileName, ProfileName};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A GPU instance at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Placed {
    /// Where it lies.
    pub placement: Placement,
    /// Its MIG profile.
    pub profile: ProfileName,
}

impl fmt::Display for Placed {
    /// `3g.20gb@4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}@{}", self.profile, self.placement.start))
    }
}

/// Why something is no legal layout of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Not of the form NAME@START.
    #[error(
        "`{text}` is no placed GPU instance: write MIG profile and first memory slice, like 3g.20gb@4"
    )]
    Malformed {
        /// What was given.
        text: String,
    },
    /// The name itself is wrong.
    #[error(transparent)]
    Name(#[from] BadProfileName),
    /// The model does not offer it.
    #[error("{model} has no MIG profile {profile}: it has {}", join(.known))]
    UnknownProfile {
        /// The model.
        model: String,
        /// What was asked for.
        profile: ProfileName,
        /// What there is.
        known: Vec<ProfileName>,
    },
    /// A start at which it may not lie.
    #[error("{placed} is no legal placement: {} may start at {}", .placed.profile, join(.starts))]
    IllegalPlace {
        /// What was asked for.
        placed: Placed,
        /// Where it may start.
        starts: Vec<u32>,
    },
    /// Two share a memory slice.
    #[error("{placed} and {other} share a memory slice: move or leave out one of them")]
    Overlap {
        /// The new one.
        placed: Placed,
        /// The one that was there.
        other: Placed,
    },
    /// More than the GPU allows.
    #[error("{profile} can exist {max} time(s) on one GPU")]
    TooMany {
        /// Which.
        profile: ProfileName,
        /// How many.
        max: u32,
    },
    /// The media engines do not suffice.
    #[error("{placed} needs more media engines ({engine}) than the others leave")]
    NoEngine {
        /// The new one.
        placed: Placed,
        /// Which engine.
        engine: &'static str,
    },
}

fn join<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(" ")
}

/// All placed GPU instances of one GPU, by their place.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layout {
    placed: Vec<Placed>,
}

impl Layout {
    /// The layout of these GPU instances.
    ///
    /// # Errors
    /// The first that is not legal beside those before it.
    pub fn of(
        model: &Model,
        placed: impl IntoIterator<Item = Placed>,
    ) -> Result<Layout, LayoutError> {
        let mut layout = Layout::default();
        for one in placed {
            layout.add(model, one)?;
        }
        Ok(layout)
    }

    /// Reads the text form; `empty` and no text at all are the empty layout, commas count as spaces.
    ///
    /// # Errors
    /// What is malformed or not legal on this model.
    pub fn parse(model: &Model, text: &str) -> Result<Layout, LayoutError> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let words = words.filter(|w| !w.is_empty() && *w != "empty");
        let mut layout = Layout::default();
        for word in words {
            layout.add(model, parse_placed(model, word)?)?;
        }
        Ok(layout)
    }

    /// Adds one.
    ///
    /// # Errors
    /// Why it is not legal beside the others; the layout stays as it was.
    pub fn add(&mut self, model: &Model, new: Placed) -> Result<(), LayoutError> {
        self.check(model, new)?;
        let at = self.placed.partition_point(|p| *p < new);
        self.placed.insert(at, new);
        Ok(())
    }

    /// Whether one could be added.
    ///
    /// # Errors
    /// Why it could not.
    pub fn check(&self, model: &Model, new: Placed) -> Result<(), LayoutError> {
        let profile = known_profile(model, new.profile)?;
        if !profile.placements().any(|p| p == new.placement) {
            return Err(LayoutError::IllegalPlace {
                placed: new,
                starts: profile.starts.clone(),
            });
        }
        let overlapping = |p: &&Placed| p.placement.overlaps(new.placement);
        if let Some(&other) = self.placed.iter().find(overlapping) {
            return Err(LayoutError::Overlap { placed: new, other });
        }
        let count = self.placed.iter().filter(|p| p.profile == new.profile);
        if count.count() >= profile.max_count as usize {
            return Err(LayoutError::TooMany {
                profile: new.profile,
                max: profile.max_count,
            });
        }
        match lacking_engine(model, self.placed.iter().chain([&new])) {
            Some(engine) => Err(LayoutError::NoEngine {
                placed: new,
                engine,
            }),
            None => Ok(()),
        }
    }

    /// Takes one out; whether it was there.
    pub fn remove(&mut self, old: Placed) -> bool {
        let before = self.placed.len();
        self.placed.retain(|p| *p != old);
        self.placed.len() < before
    }

    /// What is placed, by place.
    #[must_use]
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// Occupied memory slices, one bit each.
    #[must_use]
    pub fn occupied(&self) -> u32 {
        self.placed.iter().fold(0, |m, p| m | p.placement.mask())
    }

    /// Memory slices that nothing lies on.
    #[must_use]
    pub fn free_slices(&self, model: &Model) -> Vec<u32> {
        let occupied = self.occupied();
        let slices = 0..model.memory_slices.min(32);
        slices.filter(|s| occupied & (1 << s) == 0).collect()
    }

    /// What can still be placed, and where; MIG profiles that have no place are left out.
    #[must_use]
    pub fn placeable(&self, model: &Model) -> Vec<(ProfileName, Vec<Placement>)> {
        let places = |profile: &MigProfile| {
            let legal = |&placement: &Placement| {
                let new = Placed {
                    placement,
                    profile: profile.name,
                };
                self.check(model, new).is_ok()
            };
            profile.placements().filter(legal).collect::<Vec<_>>()
        };
        let all = model.profiles.iter().map(|p| (p.name, places(p)));
        all.filter(|(_, places)| !places.is_empty()).collect()
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.placed.is_empty() {
            true => f.pad("empty"),
            false => f.pad(&join(&self.placed)),
        }
    }
}

fn known_profile(model: &Model, name: ProfileName) -> Result<&MigProfile, LayoutError> {
    let exact = model.profiles.iter().find(|p| p.name == name);
    exact.ok_or_else(|| LayoutError::UnknownProfile {
        model: model.name.clone(),
        profile: name,
        known: model.all_profiles(),
    })
}

fn parse_placed(model: &Model, word: &str) -> Result<Placed, LayoutError> {
    let malformed = || LayoutError::Malformed {
        text: word.to_owned(),
    };
    let (name, start) = word.split_once('@').ok_or_else(malformed)?;
    let profile: ProfileName = name.parse()?;
    let start: u32 = start.parse().map_err(|_| malformed())?;
    let placement = known_profile(model, profile)?.at(start);
    Ok(Placed { placement, profile })
}

/// The media engine of which these would need more than the whole GPU has. Where figures are not known,
/// engines limit nothing.
pub(crate) fn lacking_engine<'a>(
    model: &Model,
    placed: impl Iterator<Item = &'a Placed>,
) -> Option<&'static str> {
    let have = model.whole()?.engines?;
    let engines = placed.filter_map(|p| model.profile(p.profile)?.engines);
    let need = engines.fold(Engines::default(), sum);
    let checks = [
        ("decoder", need.decoder, have.decoder),
        ("encoder", need.encoder, have.encoder),
        ("jpeg", need.jpeg, have.jpeg),
        ("ofa", need.ofa, have.ofa),
    ];
    let lacking = checks.into_iter().find(|(_, need, have)| need > have);
    lacking.map(|(name, ..)| name)
}

fn sum(a: Engines, b: Engines) -> Engines {
    Engines {
        copy: a.copy + b.copy,
        decoder: a.decoder + b.decoder,
        encoder: a.encoder + b.encoder,
        jpeg: a.jpeg + b.jpeg,
        ofa: a.ofa + b.ofa,
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
