//! The rule: the tightest slice whose memory holds need + device variables + context; the whole GPU where the need is not known well
//! enough; none where even that is too small.

use crate::sizing::board::Board;
use crate::sizing::context::{Context, context};
use migfit_mig::tightest::Candidate;
use migfit_mig::{MigProfile, Sizing, tightest};
use migfit_schema::units::Bytes;
use migfit_sizes::Verdict;

/// What a job needs on one slice, its context not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceNeed {
    /// Peak, rounded as the driver rounds; none where unknown.
    pub bytes: Option<Bytes>,
    /// Device variables of the program's modules, which no allocation call asks for.
    pub variables: Bytes,
    /// How sure.
    pub verdict: Verdict,
}

impl SliceNeed {
    /// Whether a slice may be chosen by it: the job never needs more.
    #[must_use]
    pub fn bounds_the_job(self) -> bool {
        let bounds = match self.verdict {
            Verdict::Exact | Verdict::Assumed | Verdict::UpperBound => true,
            Verdict::LowerBound | Verdict::Unknown | Verdict::Elastic => false,
        };
        bounds && self.bytes.is_some()
    }
}

/// One MIG profile against the need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The MIG profile, what it has and what is needed (the known part and the context).
    pub candidate: Candidate,
    /// The program's own part.
    pub need: SliceNeed,
    /// The context's part.
    pub context: Context,
}

impl Slice {
    /// Whether its memory holds what is known of the need.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.candidate.have >= self.candidate.need
    }
}

/// Where a job should go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// On the tightest slice that holds it.
    Tightest(Slice),
    /// On the whole GPU, because the need is not known well enough (the verdict says how).
    Whole(Slice),
    /// Nowhere on this GPU: this is its largest slice.
    TooLarge(Slice),
}

/// All MIG profiles of a GPU against one need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sized {
    /// The MIG profiles, tightest first.
    pub slices: Vec<Slice>,
    /// Where the job should go; none on a model without MIG profiles.
    pub choice: Option<Choice>,
}

/// Sizes a job for a board. `need` tells what it needs on a slice of the MIG profile it is given, context excluded.
pub fn size(board: Board<'_>, mut need: impl FnMut(&MigProfile) -> SliceNeed) -> Sized {
    let order = tightest(board.model, Bytes(0), Sizing::default()).fitting;
    let slices: Vec<Slice> = order
        .into_iter()
        .filter_map(|candidate| {
            let profile = board.model.profile(candidate.profile)?;
            Some(against(candidate, need(profile), context(board, profile)))
        })
        .collect();
    let choice = choose(&slices);
    Sized { slices, choice }
}

fn against(candidate: Candidate, need: SliceNeed, context: Context) -> Slice {
    let known = need.bytes.unwrap_or_default();
    let known = known.saturating_add(as_the_driver_rounds(need.variables));
    Slice {
        candidate: Candidate {
            need: known.saturating_add(context.bytes).to_mib_ceil(),
            ..candidate
        },
        need,
        context,
    }
}

/// The driver hands out device memory in pieces of 2 MiB.
#[must_use]
pub fn as_the_driver_rounds(bytes: Bytes) -> Bytes {
    const PIECE: u64 = 2 << 20;
    Bytes(bytes.0.div_ceil(PIECE).saturating_mul(PIECE))
}

fn choose(slices: &[Slice]) -> Option<Choice> {
    let fits = |slice: &&Slice| slice.need.bounds_the_job() && slice.holds();
    if let Some(slice) = slices.iter().find(fits) {
        return Some(Choice::Tightest(*slice));
    }
    let largest = slices.iter().max_by_key(|slice| slice.candidate.have)?;
    Some(match largest.holds() {
        true => Choice::Whole(*largest),
        false => Choice::TooLarge(*largest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use migfit_schema::units::Mib;

    const EXACT: Verdict = Verdict::Exact;

    /// Choice for a need in MiB on a real A100-40GB, as `kind MIG profile`.
    fn chosen(mib: Option<u64>, verdict: Verdict) -> String {
        let board = Board::real(migfit_mig::find("a100-40gb").unwrap());
        let bytes = mib.map(|mib| Mib(mib).to_bytes());
        said(
            size(board, |_| SliceNeed {
                bytes,
                variables: Bytes(0),
                verdict,
            })
            .choice
            .unwrap(),
        )
    }

    fn said(choice: Choice) -> String {
        match choice {
            Choice::Tightest(slice) => format!("tightest {}", slice.candidate.profile),
            Choice::Whole(slice) => format!("whole {}", slice.candidate.profile),
            Choice::TooLarge(slice) => format!("too large for {}", slice.candidate.profile),
        }
    }

    #[test]
    fn the_context_counts() {
        assert_eq!(chosen(Some(4864 - 600), EXACT), "tightest 1g.5gb");
        assert_eq!(chosen(Some(4864 - 599), EXACT), "tightest 1g.10gb");
        assert_eq!(chosen(Some(0), EXACT), "tightest 1g.5gb");
        assert_eq!(chosen(Some(40_192 - 600), EXACT), "tightest 7g.40gb");
    }

    #[test]
    fn what_nothing_holds_is_too_large() {
        assert_eq!(chosen(Some(40_192 - 599), EXACT), "too large for 7g.40gb");
        assert_eq!(
            chosen(Some(1 << 40), Verdict::LowerBound),
            "too large for 7g.40gb"
        );
    }

    #[test]
    fn what_does_not_bound_the_job_goes_to_the_whole_gpu() {
        for verdict in [Verdict::LowerBound, Verdict::Elastic] {
            assert_eq!(chosen(Some(100), verdict), "whole 7g.40gb");
        }
        assert_eq!(chosen(None, Verdict::Unknown), "whole 7g.40gb");
        assert_eq!(chosen(None, EXACT), "whole 7g.40gb");
        for verdict in [Verdict::Assumed, Verdict::UpperBound] {
            assert_eq!(chosen(Some(100), verdict), "tightest 1g.5gb");
        }
    }

    #[test]
    fn device_variables_count_in_the_driver_s_pieces() {
        let board = Board::real(migfit_mig::find("a100-40gb").unwrap());
        let chosen = |mib: u64, variables: u64| {
            let need = SliceNeed {
                bytes: Some(Mib(mib).to_bytes()),
                variables: Bytes(variables),
                verdict: EXACT,
            };
            said(size(board, |_| need).choice.unwrap())
        };
        assert_eq!(chosen(4864 - 602, 1), "tightest 1g.5gb");
        assert_eq!(chosen(4864 - 602, (2 << 20) + 1), "tightest 1g.10gb");
        assert_eq!(chosen(4864 - 601, 1), "tightest 1g.10gb");
    }

    #[test]
    fn each_slice_is_asked_for_its_own_need() {
        let board = Board::virtual_gpu(migfit_mig::find("a100-40gb").unwrap());
        let sized = size(board, |profile| SliceNeed {
            bytes: Some(Mib(2 * profile.memory_mib.0 / 3).to_bytes()),
            variables: Bytes(0),
            verdict: EXACT,
        });
        assert_eq!(said(sized.choice.unwrap()), "tightest 1g.5gb");
        let needs: Vec<u64> = sized.slices.iter().map(|s| s.candidate.need.0).collect();
        assert_eq!(needs[0], 2 * 4864 / 3 + 64 + 4 * 14);
        assert!(needs.is_sorted(), "{needs:?}");
    }

    #[test]
    fn the_largest_need_overflows_nothing() {
        let board = Board::real(migfit_mig::find("a30").unwrap());
        let bytes = Some(Bytes(u64::MAX));
        let sized = size(board, |_| SliceNeed {
            bytes,
            variables: Bytes(u64::MAX),
            verdict: EXACT,
        });
        assert_eq!(said(sized.choice.unwrap()), "too large for 4g.24gb");
    }
}
