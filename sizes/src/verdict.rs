//! How sure an answer is, from what an evaluation noted. Knows neither sites nor values.

use crate::need::Verdict;

/// What an evaluation noted, as far as the verdict hangs on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The program failed before it asked the device for anything: another command line is meant.
    pub gave_up_early: bool,
    /// The evaluation ended before the program, and allocations may follow.
    pub cut: bool,
    /// Some allocation was not counted, or not in full.
    pub missed_allocation: bool,
    /// Some free was not counted.
    pub missed_free: bool,
    /// Something was assumed: a loop, a branch, a check.
    pub assumed: bool,
    /// Shapes or counts of launches are not all known.
    pub unknown_launches: bool,
    /// The program takes what is free, or goes on with less where memory lacks.
    pub elastic: bool,
    /// Bytes were alive at once before anything was assumed and any free missed.
    pub certain_bytes: bool,
}

/// The verdict, and with it what the peak of the answer is:
///
/// - `Exact`: nothing of what follows. The peak and every launch are right.
/// - `Assumed`: no allocation was missed; the peak is right if all assumptions hold, of which a missed free is one where
///   there are others. An unknown shape of a launch leaves the peak as it is.
/// - `UpperBound`: frees were missed, and *nothing* was assumed: all that is counted was allocated, some of it given back.
/// - `LowerBound`: allocations were missed; the peak is the one reached before anything was assumed and any free missed,
///   as only that is certain to be reached. Without such a peak nothing useful is known: `Unknown`.
/// - `Elastic`: stands beside the others. The peak is this device's; another device would see another.
///
/// More facts never make an answer surer: along `Exact` < `Assumed`, `UpperBound` < `LowerBound` < `Unknown` each fact
/// leads up or leaves the verdict as it is, `Elastic` apart, which claims nothing of other devices.
pub fn verdict(facts: Facts) -> Verdict {
    let missed = facts.cut || facts.missed_allocation;
    if facts.gave_up_early || (missed && !facts.certain_bytes) {
        Verdict::Unknown
    } else if facts.elastic {
        Verdict::Elastic
    } else if missed {
        Verdict::LowerBound
    } else if facts.assumed || facts.unknown_launches && !facts.missed_free {
        Verdict::Assumed
    } else if facts.missed_free {
        Verdict::UpperBound
    } else {
        Verdict::Exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with(change: impl FnOnce(&mut Facts)) -> Verdict {
        let mut facts = Facts {
            certain_bytes: true,
            ..Facts::default()
        };
        change(&mut facts);
        verdict(facts)
    }

    #[test]
    fn each_fact_alone() {
        assert_eq!(with(|_| ()), Verdict::Exact);
        assert_eq!(with(|facts| facts.certain_bytes = false), Verdict::Exact);
        assert_eq!(with(|facts| facts.assumed = true), Verdict::Assumed);
        assert_eq!(
            with(|facts| facts.unknown_launches = true),
            Verdict::Assumed
        );
        assert_eq!(with(|facts| facts.missed_free = true), Verdict::UpperBound);
        assert_eq!(
            with(|facts| facts.missed_allocation = true),
            Verdict::LowerBound
        );
        assert_eq!(with(|facts| facts.cut = true), Verdict::LowerBound);
        assert_eq!(with(|facts| facts.elastic = true), Verdict::Elastic);
        assert_eq!(with(|facts| facts.gave_up_early = true), Verdict::Unknown);
    }

    #[test]
    fn a_bound_holds_whatever_was_assumed_or_it_is_none() {
        let both = |facts: &mut Facts| (facts.assumed, facts.missed_free) = (true, true);
        assert_eq!(with(both), Verdict::Assumed);
        let unsure = |facts: &mut Facts| {
            facts.missed_allocation = true;
            facts.certain_bytes = false;
        };
        assert_eq!(with(unsure), Verdict::Unknown);
        let shapeless =
            |facts: &mut Facts| (facts.unknown_launches, facts.missed_free) = (true, true);
        assert_eq!(with(shapeless), Verdict::UpperBound);
    }

    fn facts() -> impl Strategy<Value = Facts> {
        any::<[bool; 8]>().prop_map(|[a, b, c, d, e, f, g, h]| Facts {
            gave_up_early: a,
            cut: b,
            missed_allocation: c,
            missed_free: d,
            assumed: e,
            unknown_launches: f,
            elastic: g,
            certain_bytes: h,
        })
    }

    fn height(verdict: Verdict) -> u32 {
        match verdict {
            Verdict::Exact => 0,
            Verdict::Assumed | Verdict::UpperBound => 1,
            Verdict::LowerBound => 2,
            Verdict::Unknown => 3,
            Verdict::Elastic => 4,
        }
    }

    proptest! {
        #[test]
        fn one_more_fact_never_makes_an_answer_surer(facts in facts(), which in 0usize..6) {
            let mut more = facts;
            let fact = match which {
                0 => &mut more.gave_up_early,
                1 => &mut more.cut,
                2 => &mut more.missed_allocation,
                3 => &mut more.missed_free,
                4 => &mut more.assumed,
                _ => &mut more.unknown_launches,
            };
            *fact = true;
            let (before, after) = (verdict(facts), verdict(more));
            let elastic = before == Verdict::Elastic || after == Verdict::Elastic;
            prop_assert!(elastic || height(after) >= height(before), "{before} became {after}");
        }

        #[test]
        fn no_bound_stands_on_an_assumption(facts in facts()) {
            match verdict(facts) {
                Verdict::UpperBound => prop_assert!(!facts.assumed && !facts.missed_allocation),
                Verdict::LowerBound => prop_assert!(facts.certain_bytes),
                Verdict::Exact => prop_assert!(!facts.assumed && !facts.missed_free && !facts.cut),
                _ => {}
            }
        }
    }
}
