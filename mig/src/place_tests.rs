//! Tests of placement: each tie-break as a sentence, and equality with an exhaustive search of its own.

use super::*;
use crate::catalog::find;
use proptest::prelude::*;

fn graph(gpu: &str) -> LayoutGraph {
    let model = find(gpu).unwrap();
    LayoutGraph::new(model, &model.plain_profiles()).unwrap()
}

fn basic() -> LayoutGraph {
    let model = find("a100-40gb").unwrap();
    LayoutGraph::new(model, &model.basic_profiles()).unwrap()
}

/// `2g.10gb@0! 1g.5gb@4`: an exclamation mark says busy.
fn held(graph: &LayoutGraph, text: &str) -> Vec<Held> {
    let one = |word: &str| {
        let layout = Layout::parse(graph.model(), word.trim_end_matches('!')).unwrap();
        Held {
            placed: layout.placed()[0],
            busy: word.ends_with('!'),
        }
    };
    text.split_whitespace().map(one).collect()
}

fn placed(graph: &LayoutGraph, state: &str, wanted: &str) -> Decision {
    place(graph, &held(graph, state), wanted.parse().unwrap()).unwrap()
}

#[test]
fn on_an_empty_gpu_the_place_that_keeps_most_open_wins() {
    let graph = basic();
    assert_eq!(placed(&graph, "", "1g.5gb").placed.to_string(), "1g.5gb@6");
    assert_eq!(
        placed(&graph, "", "3g.20gb").placed.to_string(),
        "3g.20gb@4"
    );
    assert_eq!(
        placed(&graph, "", "2g.10gb").placed.to_string(),
        "2g.10gb@4"
    );
    assert_eq!(placed(&graph, "", "1g.5gb").fcr, 12);
}

#[test]
fn of_equal_places_an_idle_instance_is_used_as_it_is() {
    let graph = basic();
    let decision = placed(&graph, "2g.10gb@2", "2g.10gb");
    assert_eq!(decision.placed.to_string(), "2g.10gb@2");
    assert_eq!(
        (&decision.action, decision.change()),
        (&Action::Reuse, Change::None)
    );
    assert!(
        decision.reason.contains("used as it is"),
        "{}",
        decision.reason
    );
}

#[test]
fn an_idle_instance_does_not_beat_a_place_that_keeps_more_open() {
    let graph = basic();
    let decision = placed(&graph, "1g.5gb@0", "1g.5gb");
    assert_eq!(decision.placed.to_string(), "1g.5gb@6");
}

#[test]
fn of_equal_places_the_one_with_fewest_destroys_wins() {
    let graph = basic();
    let decision = placed(&graph, "1g.5gb@4 1g.5gb@5 1g.5gb@0", "2g.10gb");
    assert_eq!(decision.placed.to_string(), "2g.10gb@2");
    assert_eq!(decision.change(), Change::Create);
}

#[test]
fn idle_neighbours_are_fused_and_an_idle_large_one_is_split() {
    let graph = basic();
    let fuse = placed(&graph, "4g.20gb@0! 1g.5gb@4 1g.5gb@5 1g.5gb@6", "3g.20gb");
    assert_eq!(fuse.change(), Change::Fuse);
    let Action::Create { destroy } = fuse.action else {
        panic!("{fuse:?}")
    };
    assert_eq!(join(&destroy), "1g.5gb@4 1g.5gb@5 1g.5gb@6");
    let split = placed(&graph, "7g.40gb@0", "1g.5gb");
    assert_eq!(
        (split.change(), split.placed.to_string().as_str()),
        (Change::Split, "1g.5gb@6")
    );
}

#[test]
fn enough_by_number_but_not_by_shape_is_said_with_numbers() {
    let graph = basic();
    let state = held(&graph, "1g.5gb@0! 1g.5gb@4!");
    let error = place(&graph, &state, "3g.20gb".parse().unwrap()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("needs 4 memory slice(s) in one piece, 6 of 8 are not busy"),
        "{text}"
    );
    assert!(text.contains("enough by number"), "{text}");
    assert!(text.contains("busy: 1g.5gb@0 1g.5gb@4"), "{text}");
}

#[test]
fn an_idle_instance_that_holds_the_only_media_extension_goes() {
    let model = find("a100-40gb").unwrap();
    let graph = LayoutGraph::new(model, &model.all_profiles()).unwrap();
    let decision = placed(
        &graph,
        "1g.5gb+me@0 7g.40gb@0!".split(' ').next().unwrap(),
        "1g.5gb+me",
    );
    let Action::Create { destroy } = &decision.action else {
        panic!("{decision:?}")
    };
    assert_eq!(join(destroy), "1g.5gb+me@0");
    let busy = held(&graph, "1g.5gb+me@0!");
    let error = place(&graph, &busy, "1g.5gb+me".parse().unwrap()).unwrap_err();
    let NoPlacement::Occupied { considered, .. } = error else {
        panic!("{error:?}")
    };
    assert!(matches!(considered[0].outcome, Outcome::Limited { .. }));
}

#[test]
fn a_mig_profile_that_is_not_planned_and_a_contradiction_are_refused() {
    let graph = basic();
    let error = place(&graph, &[], "1g.10gb".parse().unwrap()).unwrap_err();
    assert!(
        error.to_string().contains("choose one of 1g.5gb 2g.10gb"),
        "{error}"
    );
    let twice = [held(&graph, "7g.40gb@0"), held(&graph, "1g.5gb@0")].concat();
    let error = place(&graph, &twice, "1g.5gb".parse().unwrap()).unwrap_err();
    assert!(matches!(error, NoPlacement::Contradiction(_)));
}

/// Full layouts that contain `busy`, counted the slow way: fill slice by slice, then keep the maximal ones.
fn slow_fcr(model: &Model, profiles: &[ProfileName], busy: &[Placed]) -> usize {
    let mut candidates = Vec::new();
    for name in profiles {
        let profile = model.profile(*name).unwrap();
        for placement in profile.placements() {
            candidates.push((
                placement.mask(),
                Placed {
                    placement,
                    profile: *name,
                },
            ));
        }
    }
    let start = busy.iter().fold(0, |m, p| m | p.placement.mask());
    fn count(candidates: &[(u32, Placed)], from: usize, occupied: u32) -> usize {
        let Some(&(mask, _)) = candidates.get(from) else {
            return 0;
        };
        let without = count(candidates, from + 1, occupied);
        if mask & occupied != 0 {
            return without;
        }
        let with = occupied | mask;
        let full = candidates.iter().all(|(m, _)| m & with != 0);
        without + usize::from(full) + count(candidates, from + 1, with)
    }
    let already_full = candidates.iter().all(|(m, _)| m & start != 0);
    usize::from(already_full) + count(&candidates, 0, start)
}

const GPUS: [&str; 3] = ["a100-40gb", "a30", "rtx-pro-6000-96gb"];

proptest! {
    #[test]
    fn a_decision_is_the_best_legal_place(
        gpu in 0usize..3, picks in proptest::collection::vec((0usize..8, 0usize..8, any::<bool>()), 0..8), wanted in 0usize..8,
    ) {
        let graph = graph(GPUS[gpu]);
        let model = graph.model();
        let (mut layout, mut held) = (Layout::default(), Vec::new());
        for (profile, place, busy) in picks {
            let name = graph.profiles()[profile % graph.profiles().len()];
            let profile = model.profile(name).unwrap();
            let placement = profile.at(profile.starts[place % profile.starts.len()]);
            let placed = Placed { placement, profile: name };
            if layout.add(model, placed).is_ok() {
                held.push(Held { placed, busy });
            }
        }
        let wanted = graph.profiles()[wanted % graph.profiles().len()];
        let busy: Vec<Placed> = held.iter().filter(|h| h.busy).map(|h| h.placed).collect();
        let key = |placement: Placement| {
            let new = Placed { placement, profile: wanted };
            if busy.iter().any(|b| b.placement.overlaps(placement)) {
                return None;
            }
            let fcr = slow_fcr(model, graph.profiles(), &[busy.as_slice(), &[new]].concat());
            let reuse = held.contains(&Held { placed: new, busy: false });
            let destroys = held.iter().filter(|h| h.placed.placement.overlaps(placement)).count();
            let work = if reuse { 0 } else { 1 + destroys };
            Some((Reverse(fcr), work, model.profile(wanted).unwrap().rank(placement)))
        };
        let best = model.profile(wanted).unwrap().placements().filter_map(key).min();
        match place(&graph, &held, wanted) {
            Ok(decision) => {
                prop_assert_eq!(key(decision.placed.placement), best);
                prop_assert_eq!(decision.fcr as usize, best.unwrap().0.0);
                let after = busy.iter().copied().chain([decision.placed]);
                prop_assert!(Layout::of(model, after).is_ok(), "overlaps a busy one");
                if let Action::Create { destroy } = &decision.action {
                    prop_assert!(destroy.iter().all(|d| !busy.contains(d)));
                }
            }
            Err(error) => prop_assert_eq!(best, None, "{}", error),
        }
    }
}
