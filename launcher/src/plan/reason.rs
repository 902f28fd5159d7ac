//! Why a slice was chosen, in a few words; the whole sentence is in the JSON.

use migfit_mig::place::{Change, Outcome};
use migfit_mig::{Action, Decision, Placed};

/// What the words mean.
pub const LEGEND: &str =
    "the best place keeps the most full layouts reachable; --json has whole reasons";

/// `fused from 1g.5gb@0 1g.5gb@1: best of 3 places`.
#[must_use]
pub fn short(decision: &Decision) -> String {
    format!("{}: {}", what(decision), place(decision))
}

fn what(decision: &Decision) -> String {
    let destroyed: &[Placed] = match &decision.action {
        Action::Reuse => &[],
        Action::Create { destroy } => destroy,
    };
    let destroyed: Vec<String> = destroyed.iter().map(ToString::to_string).collect();
    let destroyed = destroyed.join(" ");
    match decision.change() {
        Change::None => "idle one as it is".to_owned(),
        Change::Create => "new".to_owned(),
        Change::Fuse => format!("fused from {destroyed}"),
        Change::Split => format!("split from {destroyed}"),
        Change::Replace => format!("in place of {destroyed}"),
    }
}

fn place(decision: &Decision) -> String {
    let possible = decision
        .considered
        .iter()
        .filter_map(|place| match &place.outcome {
            Outcome::Possible { fcr, .. } => Some(*fcr),
            Outcome::Blocked { .. } | Outcome::Limited { .. } => None,
        });
    let possible: Vec<u32> = possible.collect();
    let best = possible.iter().filter(|fcr| **fcr == decision.fcr).count();
    match (possible.len(), best) {
        (0, _) => "as planned".to_owned(),
        (1, _) => "only place".to_owned(),
        (all, 1) => format!("best of {all} places"),
        (all, best) if all == best => format!("first of {all} equal places"),
        (all, best) => format!("first of {best} best of {all} places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_mig::{Held, Layout, LayoutGraph, place};

    /// The reason for a MIG profile beside idle and busy GPU instances.
    fn reason(idle: &str, busy: &str, wanted: &str) -> String {
        let model = migfit_mig::find("a100-40gb").unwrap();
        let graph = LayoutGraph::new(model, &model.plain_profiles()).unwrap();
        let mut held = Vec::new();
        for (layout, busy) in [(idle, false), (busy, true)] {
            let layout = Layout::parse(model, layout).unwrap();
            let placed = layout.placed().iter();
            held.extend(placed.map(|&placed| Held { placed, busy }));
        }
        short(&place(&graph, &held, wanted.parse().unwrap()).unwrap())
    }

    #[test]
    fn it_says_what_happens_and_how_many_places_there_were() {
        assert_eq!(reason("", "", "7g.40gb"), "new: only place");
        assert_eq!(
            reason("7g.40gb@0", "", "7g.40gb"),
            "idle one as it is: only place"
        );
        assert_eq!(
            reason("1g.5gb@0 1g.5gb@1", "3g.20gb@4", "4g.20gb"),
            "fused from 1g.5gb@0 1g.5gb@1: only place"
        );
        assert_eq!(
            reason("7g.40gb@0", "", "2g.10gb"),
            "split from 7g.40gb@0: best of 3 places"
        );
        assert_eq!(
            reason("3g.20gb@0", "3g.20gb@4", "4g.20gb"),
            "in place of 3g.20gb@0: only place"
        );
        assert_eq!(
            reason("", "2g.10gb@4", "2g.10gb"),
            "new: first of 2 equal places"
        );
    }
}
