//! What a figure is known by, in the order of trust: closed forms, evaluation, the user's word, and where nothing
//! bounds the job the whole GPU. One sentence for the answer.

use migfit_sizes::agreement::Agreement;
use migfit_sizes::{Need, Verdict};

/// What a need is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Closed forms give every size, and the evaluation finds the same.
    ClosedForm,
    /// The program's own code, evaluated for this command line.
    Evaluated,
    /// The user's word stands where the evaluation does not know.
    UsersWord,
    /// Nothing bounds the job: it gets the whole GPU.
    WholeGpu,
}

impl Basis {
    /// Of a need.
    #[must_use]
    pub fn of(need: &Need, forms: &Agreement) -> Basis {
        let bounds = match need.verdict {
            Verdict::Exact | Verdict::Assumed | Verdict::UpperBound => true,
            Verdict::LowerBound | Verdict::Unknown | Verdict::Elastic => false,
        };
        let by_word = |note: &migfit_schema::profile::Unknown| {
            note.reason.starts_with(migfit_sizes::USERS_WORD)
        };
        // A closed library that takes nobody knows how much bounds nothing.
        let closed = need.closed.iter().all(|one| one.bytes.is_some());
        if !bounds || !closed {
            Basis::WholeGpu
        } else if need.assumptions.iter().any(by_word) {
            Basis::UsersWord
        } else if forms.agreeing > 0 && forms.without == 0 && forms.differing.is_empty() {
            Basis::ClosedForm
        } else {
            Basis::Evaluated
        }
    }

    /// As a clause.
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Basis::ClosedForm => "closed forms; evaluation finds the same bytes",
            Basis::Evaluated => "evaluation of the program's own code for these arguments",
            Basis::UsersWord => "your word, where evaluation cannot know",
            Basis::WholeGpu => {
                "nothing that bounds the job, so it gets the whole GPU (--assume can; migfit fit --run finds out)"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::profile::Unknown;
    use migfit_schema::units::Bytes;

    fn need(verdict: Verdict, reason: Option<&str>) -> Need {
        Need {
            lacked: None,
            returned: true,
            a_call_failed: false,
            peak: Some(Bytes(1)),
            peak_rounded: Some(Bytes(1)),
            live_at_end: Bytes(0),
            verdict,
            allocations: Vec::new(),
            launches: Vec::new(),
            assumptions: reason
                .map(|reason| Unknown {
                    site: None,
                    what: "size".to_owned(),
                    reason: reason.to_owned(),
                })
                .into_iter()
                .collect(),
            unknowns: Vec::new(),
            notes: Vec::new(),
            closed: Vec::new(),
            raised_limits: Bytes(0),
            files: Vec::new(),
            steps: 0,
        }
    }

    #[test]
    fn the_order_of_trust_is_kept() {
        let closed = Agreement {
            agreeing: 2,
            ..Agreement::default()
        };
        let partly = Agreement {
            without: 1,
            ..closed.clone()
        };
        let word = format!("{}, --assume n=4", migfit_sizes::USERS_WORD);
        let exact = need(Verdict::Exact, None);
        assert_eq!(Basis::of(&exact, &closed), Basis::ClosedForm);
        assert_eq!(Basis::of(&exact, &partly), Basis::Evaluated);
        let by_word = need(Verdict::UpperBound, Some(&word));
        assert_eq!(Basis::of(&by_word, &closed), Basis::UsersWord);
        let lower = need(Verdict::LowerBound, Some(&word));
        assert_eq!(Basis::of(&lower, &closed), Basis::WholeGpu);
        assert!(Basis::ClosedForm < Basis::Evaluated && Basis::UsersWord < Basis::WholeGpu);
    }
}
