//! Where keeping starts: calls that count, and normal ends of the process after which such a call would come, or that
//! keep handlers at exit from running; and calls that change what others do in a way that no table tells.

use crate::slice::at_exit::exits_at_once;
use crate::slice::control::exits_without_failing;
use crate::slice::event::{is_event, is_thread};
use crate::slice::eventful::Eventful;
use crate::slice::keep::keeper::Known;
use crate::slice::position::{Position, instructions};
use migfit_schema::program::{Callee, Op};

/// The first instructions to keep. In blocks that only lead to a failing exit there are none.
pub fn seeds(known: &Known<'_>, eventful: &Eventful) -> Vec<Position> {
    let program = known.program;
    let followed = eventful.followed(program, known.graphs, known.calls);
    // Whether a thread calls CUDA decides what may overlap.
    let is_thread = |at: Position, op: &_| is_thread(op) && eventful.block(at.function, at.block);
    let live = |at: &Position| known.graphs.control(at.function).is_live(at.block);
    instructions(program)
        .filter(|(at, found)| {
            // In `main` control dependence sees to it that an exit keeps what comes after from running.
            let ends = program.main != Some(at.function)
                && followed.contains(&at.function)
                && exits_without_failing(found);
            // Of two ends it matters which one it is where only one of them has something run.
            let ends = ends || (known.calls.works_at_exit && exits_at_once(&found.op));
            let counts = is_event(program, &found.op) || is_thread(*at, &found.op);
            live(at) && (counts || ends || changes_settings(&found.op))
        })
        .map(|(at, _)| at)
        .collect()
}

/// How numbers are written, and what happens when the process is killed. They are few, and cost nothing.
fn changes_settings(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::External(name), .. }
        if matches!(name.as_str(), "setlocale" | "signal" | "sigaction" | "bsd_signal"))
}
