//! Where scanf and its relatives write to. A call that is kept only because it moves the stream on needs no place to
//! put its numbers, and so no arithmetic on addresses.

use super::keeper::Keeper;
use crate::slice::objects::ObjectId;
use crate::slice::position::{Position, instruction};
use migfit_schema::program::{Callee, Op};

/// Index of the first destination among the arguments.
const FIRST: usize = 2;

/// Whether an argument of a call is a place that scanf writes to.
pub fn is_destination(op: &Op, index: usize) -> bool {
    match op {
        Op::Call {
            callee: Callee::External(name),
            ..
        } => index >= FIRST && (name.ends_with("fscanf") || name.ends_with("sscanf")),
        _ => false,
    }
}

impl Keeper<'_> {
    /// The destinations of a call through which it may write an object.
    pub(super) fn destinations_in(&self, at: Position, op: &Op, object: ObjectId) -> Vec<usize> {
        let Op::Call { args, .. } = op else {
            return Vec::new();
        };
        let pointers = self.known.pointers;
        let args = args.iter().enumerate();
        args.filter(|(index, _)| is_destination(op, *index))
            .filter(|(_, (value, _))| pointers.of(at.function, *value).contains(&object))
            .map(|(index, _)| index)
            .collect()
    }

    /// What a call writes to an object is needed.
    pub(super) fn destination(&mut self, at: Position, object: ObjectId) {
        let program = self.known.program;
        let Some(found) = instruction(program, at) else {
            return;
        };
        let Op::Call { args, .. } = &found.op else {
            return;
        };
        for index in self.destinations_in(at, &found.op, object) {
            if let Some((value, _)) = args.get(index)
                && self.kept.destinations.insert((at, index))
            {
                self.need(at.function, *value);
            }
        }
    }

    /// All that a call writes is needed.
    pub(super) fn all_destinations(&mut self, at: Position, op: &Op) {
        if let Op::Call { args, .. } = op {
            for (index, (value, _)) in args.iter().enumerate() {
                if is_destination(op, index) && self.kept.destinations.insert((at, index)) {
                    self.need(at.function, *value);
                }
            }
        }
    }
}
