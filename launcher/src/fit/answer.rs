//! The answer of `migfit fit PROGRAM ARGS`: a need and, for each board, the slices against it. Data only.

use crate::fit::evaluate::Evaluator;
use crate::fit::trust::Basis;
use crate::sizing::{self, Board, Choice, Sized};
use migfit_mig::ProfileName;
use migfit_sizes::Need;
use migfit_sizes::explain::SiteTree;

/// The whole answer.
pub struct Answer<'m> {
    /// What the program needs; on `slice` where it asks its device: the one to take on the first board. None where no board tells what it asks for.
    pub need: Option<Need>,
    /// The slice that `need` is for, where slices differ.
    pub slice: Option<(Board<'m>, ProfileName)>,
    /// What the need is known by.
    pub basis: Option<Basis>,
    /// Where the sizes come from, where that is wanted.
    pub trees: Option<Vec<SiteTree>>,
    /// The boards.
    pub boards: Vec<(Board<'m>, Sized)>,
}

/// Works out the answer.
pub fn answer<'m>(
    evaluator: &mut Evaluator<'_>,
    boards: &[Board<'m>],
    explain: bool,
) -> Answer<'m> {
    let boards: Vec<(Board<'m>, Sized)> = boards
        .iter()
        .map(|board| {
            let need = |profile: &_| evaluator.slice_need(board.model, profile);
            (*board, sizing::size(*board, need))
        })
        .collect();
    let shown = boards.iter().find_map(|(board, sized)| {
        let profile = board.model.profile(taken(sized)?)?;
        let need = evaluator.need(board.model, profile)?.clone();
        let basis = Basis::of(&need, &evaluator.forms(&need, board.model, profile));
        let trees = match explain {
            true => evaluator.trees(board.model, profile),
            false => None,
        };
        Some((need, (*board, profile.name), basis, trees))
    });
    let (need, slice, basis, trees) = match shown {
        Some((need, slice, basis, trees)) => (Some(need), Some(slice), Some(basis), trees),
        None => (None, None, None, None),
    };
    Answer {
        need,
        basis,
        trees,
        slice: slice.filter(|_| evaluator.asks_device()),
        boards,
    }
}

/// The MIG profile to take; the largest one where none is large enough.
fn taken(sized: &Sized) -> Option<ProfileName> {
    let (Choice::Tightest(slice) | Choice::Whole(slice) | Choice::TooLarge(slice)) = sized.choice?;
    Some(slice.candidate.profile)
}
