//! Where a wanted MIG profile goes: the GPU instances there are, busy or idle, in; one decision with its
//! reasons, or why there is no place, out. Busy ones are never touched. Knows no jobs and no queue.

use crate::graph::LayoutGraph;
use crate::layout::{Layout, LayoutError, Placed};
use crate::model::{MigProfile, Model, Placement};
use crate::profile_name::ProfileName;
use serde::Serialize;
use std::cmp::Reverse;

/// A GPU instance that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Held {
    /// What and where it is.
    pub placed: Placed,
    /// Whether somebody uses it.
    pub busy: bool,
}

/// What has to be done for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// An idle GPU instance is used as it is.
    Reuse,
    /// A new one is created.
    Create {
        /// Idle ones that must go first.
        destroy: Vec<Placed>,
    },
}

/// What a decision does to the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Nothing.
    None,
    /// A GPU instance is made on free slices.
    Create,
    /// Instance fusion: smaller idle ones (and free slices between) become one larger.
    Fuse,
    /// Instance fission: a larger idle one makes room for a smaller.
    Split,
    /// Idle ones of the same size are replaced.
    Replace,
}

/// One place that was considered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// The place.
    pub placement: Placement,
    /// What it would mean.
    pub outcome: Outcome,
}

/// What choosing a place would mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It can be chosen.
    Possible {
        /// Full layouts still reachable from the busy ones and the new one.
        fcr: u32,
        /// What would have to be done.
        action: Action,
    },
    /// Busy GPU instances are in the way.
    Blocked {
        /// Which.
        by: Vec<Placed>,
    },
    /// Nothing lies there, but the busy ones use up what it needs beside memory slices.
    Limited {
        /// What that is.
        why: String,
    },
}

/// Where the wanted MIG profile goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What goes where.
    pub placed: Placed,
    /// What has to be done.
    pub action: Action,
    /// Full layouts still reachable afterwards, counted over busy GPU instances and this one.
    pub fcr: u32,
    /// Why this place, in a sentence.
    pub reason: String,
    /// Every legal place, in the driver's default order.
    pub considered: Vec<Considered>,
}

impl Decision {
    /// What it does to the layout.
    #[must_use]
    pub fn change(&self) -> Change {
        let Action::Create { destroy } = &self.action else {
            return Change::None;
        };
        let own = self.placed.placement.size;
        let largest = destroy.iter().map(|p| p.placement.size).max();
        match largest.map(|size| size.cmp(&own)) {
            None => Change::Create,
            Some(std::cmp::Ordering::Less) => Change::Fuse,
            Some(std::cmp::Ordering::Greater) => Change::Split,
            Some(std::cmp::Ordering::Equal) => Change::Replace,
        }
    }
}

/// Why there is no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlacement {
    /// The graph does not have it.
    #[error("{model} is not planned with MIG profile {wanted}: choose one of {}", join(.known))]
    Unknown {
        /// The model.
        model: String,
        /// What was wanted.
        wanted: ProfileName,
        /// What there is.
        known: Vec<ProfileName>,
    },
    /// The GPU instances there are cannot exist together on this model.
    #[error("the GPU instances there are contradict the model: {0}; read the layout again")]
    Contradiction(#[from] LayoutError),
    /// All places are taken; waiting for a busy one to end helps.
    #[error("no place for {wanted}: it needs {size} memory slice(s) in one piece, {free} of {all} are not busy{}; busy: {}",
        shape(*.free, *.size), join(.busy))]
    Occupied {
        /// What was wanted.
        wanted: ProfileName,
        /// Memory slices that it needs.
        size: u32,
        /// Memory slices that no busy GPU instance holds.
        free: u32,
        /// Memory slices of the GPU.
        all: u32,
        /// Who holds the others.
        busy: Vec<Placed>,
        /// Each place with what is in the way.
        considered: Vec<Considered>,
    },
}

/// Says that the sum would do and the shape does not.
fn shape(free: u32, size: u32) -> &'static str {
    match free >= size {
        true => " (enough by number, but no legal place is free as a whole)",
        false => "",
    }
}

fn join<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(" ")
}

/// Chooses the place for one GPU instance of the wanted MIG profile: the largest fcr of the state that results,
/// counted over busy ones; then an idle one that exists already; then the fewest destroys; then the driver's order.
///
/// # Errors
/// Why there is none.
pub fn place(
    graph: &LayoutGraph,
    held: &[Held],
    wanted: ProfileName,
) -> Result<Decision, NoPlacement> {
    let model = graph.model();
    let profile = planned_profile(graph, wanted)?;
    Layout::of(model, held.iter().map(|h| h.placed))?;
    let considered: Vec<Considered> = profile
        .default_order()
        .map(|placement| consider(graph, held, profile, placement))
        .collect();
    // min_by_key keeps the first of equals, and the places stand in the driver's order.
    let best = considered
        .iter()
        .filter_map(possible)
        .min_by_key(preference);
    let Some((placement, fcr, action)) = best else {
        return Err(occupied(model, held, profile, considered));
    };
    Ok(Decision {
        placed: Placed {
            placement,
            profile: profile.name,
        },
        action: action.clone(),
        fcr,
        reason: reason(&considered, fcr, action),
        considered,
    })
}

/// The decision for one place that was chosen by other rules: what has to be done for it. No other place is considered.
///
/// # Errors
/// Why it cannot be taken.
pub fn place_at(
    graph: &LayoutGraph,
    held: &[Held],
    wanted: Placed,
) -> Result<Decision, NoPlacement> {
    let model = graph.model();
    let profile = planned_profile(graph, wanted.profile)?;
    Layout::of(model, held.iter().map(|h| h.placed))?;
    let considered = vec![consider(graph, held, profile, wanted.placement)];
    match considered.first().and_then(possible) {
        Some((placement, fcr, action)) => Ok(Decision {
            placed: Placed {
                placement,
                profile: profile.name,
            },
            action: action.clone(),
            fcr,
            reason: what(action),
            considered: Vec::new(),
        }),
        None => Err(occupied(model, held, profile, considered)),
    }
}

type Possible<'a> = (Placement, u32, &'a Action);

fn possible(considered: &Considered) -> Option<Possible<'_>> {
    match &considered.outcome {
        Outcome::Possible { fcr, action } => Some((considered.placement, *fcr, action)),
        Outcome::Blocked { .. } | Outcome::Limited { .. } => None,
    }
}

/// Smaller is better.
fn preference(&(_, fcr, action): &Possible<'_>) -> (Reverse<u32>, usize) {
    let work = match action {
        Action::Reuse => 0,
        Action::Create { destroy } => 1 + destroy.len(),
    };
    (Reverse(fcr), work)
}

fn planned_profile(graph: &LayoutGraph, wanted: ProfileName) -> Result<&MigProfile, NoPlacement> {
    let profile = graph.model().profile(wanted);
    let planned = profile.filter(|p| graph.profiles().contains(&p.name));
    planned.ok_or_else(|| NoPlacement::Unknown {
        model: graph.model().name.clone(),
        wanted,
        known: graph.profiles().to_vec(),
    })
}

fn consider(
    graph: &LayoutGraph,
    held: &[Held],
    profile: &MigProfile,
    placement: Placement,
) -> Considered {
    let new = Placed {
        placement,
        profile: profile.name,
    };
    let busy: Vec<Placed> = held.iter().filter(|h| h.busy).map(|h| h.placed).collect();
    let in_the_way = busy.iter().filter(|p| p.placement.overlaps(placement));
    let by: Vec<Placed> = in_the_way.copied().collect();
    let outcome = match by.is_empty() {
        false => Outcome::Blocked { by },
        true => outcome(graph, held, busy, new),
    };
    Considered { placement, outcome }
}

fn outcome(graph: &LayoutGraph, held: &[Held], mut busy: Vec<Placed>, new: Placed) -> Outcome {
    let model = graph.model();
    let alone = Layout::of(model, busy.iter().copied()).and_then(|l| l.check(model, new));
    if let Err(limit) = alone {
        return Outcome::Limited {
            why: limit.to_string(),
        };
    }
    let action = match held.iter().any(|h| h.placed == new && !h.busy) {
        true => Action::Reuse,
        false => Action::Create {
            destroy: to_destroy(model, held, new),
        },
    };
    busy.push(new);
    Outcome::Possible {
        fcr: graph.fcr(&busy),
        action,
    }
}

/// Idle GPU instances that cannot stay beside the new one: those on its slices, and those that hold something
/// else it needs (the only +me, a media engine).
fn to_destroy(model: &Model, held: &[Held], new: Placed) -> Vec<Placed> {
    let busy = held.iter().filter(|h| h.busy).map(|h| h.placed);
    let Ok(mut kept) = Layout::of(model, busy.chain([new])) else {
        return Vec::new();
    };
    let idle = held.iter().filter(|h| !h.busy).map(|h| h.placed);
    idle.filter(|&p| kept.add(model, p).is_err()).collect()
}

fn occupied(
    model: &Model,
    held: &[Held],
    profile: &MigProfile,
    considered: Vec<Considered>,
) -> NoPlacement {
    let busy: Vec<Placed> = held.iter().filter(|h| h.busy).map(|h| h.placed).collect();
    let taken: u32 = busy.iter().map(|p| p.placement.size).sum();
    NoPlacement::Occupied {
        wanted: profile.name,
        size: profile.memory_slices,
        free: model.memory_slices.saturating_sub(taken),
        all: model.memory_slices,
        busy,
        considered,
    }
}

fn reason(considered: &[Considered], fcr: u32, action: &Action) -> String {
    let options: Vec<Possible<'_>> = considered.iter().filter_map(possible).collect();
    let equals = options.iter().filter(|o| o.1 == fcr).count();
    let why = match (options.len(), equals) {
        (1, _) => "the only place left".to_owned(),
        (n, 1) => format!("keeps the most full layouts reachable ({fcr}) of {n} places"),
        (n, m) => format!("first of {m} places, of {n}, that keep {fcr} full layouts reachable"),
    };
    format!("{}: {why}", what(action))
}

fn what(action: &Action) -> String {
    match action {
        Action::Reuse => "idle GPU instance used as it is".to_owned(),
        Action::Create { destroy } if destroy.is_empty() => "created on free slices".to_owned(),
        Action::Create { destroy } => format!("created in place of idle {}", join(destroy)),
    }
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
