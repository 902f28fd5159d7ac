//! The answer of `migfit fit PROGRAM ARGS`: a need and, for each board, the slices against it. Data only.

use crate::fit::evaluate::Evaluator;
use crate::sizing::{self, Board, Sized};
use migfit_mig::ProfileName;
use migfit_sizes::Need;

/// The whole answer.
pub struct Answer<'m> {
    /// What the program needs; on `slice` where it asks its device. None where no board tells what it asks for.
    pub need: Option<Need>,
    /// The slice that `need` is for, where slices differ.
    pub slice: Option<(Board<'m>, ProfileName)>,
    /// The boards.
    pub boards: Vec<(Board<'m>, Sized)>,
}

/// Works out the answer.
pub fn answer<'m>(evaluator: &mut Evaluator<'_>, boards: &[Board<'m>]) -> Answer<'m> {
    let sized = boards
        .iter()
        .map(|board| {
            let need = |profile: &_| evaluator.slice_need(board.model, profile);
            (*board, sizing::size(*board, need))
        })
        .collect();
    let shown = boards.iter().find_map(|board| {
        let whole = board.model.whole()?;
        let need = evaluator.need(board.model, whole)?.clone();
        Some((need, (*board, whole.name)))
    });
    let (need, slice) = shown.unzip();
    Answer {
        need,
        slice: slice.filter(|_| evaluator.asks_device()),
        boards: sized,
    }
}
