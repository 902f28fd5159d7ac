//! Calls of which only matters that they happen: of functions that nobody looked into. What they are given is kept only where something reads what they may write.

use super::keeper::Keeper;
use crate::slice::event::is_opaque;
use crate::slice::position::{Position, instruction, read};
use migfit_schema::program::Op;

impl Keeper<'_> {
    /// Whether a call is kept without its arguments. One that may call back keeps them.
    pub(super) fn is_bare(&self, at: Position, op: &Op) -> bool {
        let program = self.known.program;
        let calls_back = !self.known.calls.targets(at).is_empty();
        let counts = is_opaque(program, op) && !calls_back;
        counts && !self.whole_calls.contains(&at)
    }

    /// What a call writes is read: its arguments say what that is.
    pub(super) fn whole_call(&mut self, at: Position) {
        let Some(found) = instruction(self.known.program, at) else {
            return;
        };
        if is_opaque(self.known.program, &found.op) && self.whole_calls.insert(at) {
            self.kept.bare.remove(&at);
            for value in read(&found.op) {
                self.need(at.function, value);
            }
            self.reads(at);
        }
    }
}
