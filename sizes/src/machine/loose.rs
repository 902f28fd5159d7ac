//! Whether an evaluation did floating-point arithmetic whose result the compiled program may round otherwise.
//! Looks at the blocks that were entered, after the fact: running costs nothing more.

use super::run::Machine;
use crate::models;
use migfit_schema::program::{BinaryOp, Callee, Instruction, Op, Type, Unary};

impl Machine<'_> {
    /// Where floats are loose, assumes that those met came out as computed here.
    pub fn note_loose_floats(&mut self) {
        let Some(reason) = &self.program.loose_floats else {
            return;
        };
        let functions = self.program.functions.iter().zip(&self.entered);
        let blocks = functions.flat_map(|(function, stamps)| function.blocks.iter().zip(stamps));
        let entered = blocks.filter(|(_, stamp)| **stamp > 0);
        let mut loose = entered
            .flat_map(|(block, _)| &block.ops)
            .filter(|op| rounds(op));
        if let Some(first) = loose.next() {
            let (what, place) = ("floating-point arithmetic", first.place);
            self.host.notes.assume(place, what, reason.clone());
        }
    }
}

/// True for an instruction whose result is rounded.
fn rounds(instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Binary { ty, op, .. } => {
            let exact = matches!(op, BinaryOp::FMin | BinaryOp::FMax | BinaryOp::CopySign);
            matches!(ty, Type::F32 | Type::F64) && !exact
        }
        Op::Unary { op, .. } => matches!(
            op,
            Unary::Sqrt
                | Unary::Exp
                | Unary::Exp2
                | Unary::Log
                | Unary::Log2
                | Unary::Log10
                | Unary::Sin
                | Unary::Cos
        ),
        Op::Call {
            callee: Callee::External(name),
            ..
        } => models::math::is_model(name),
        _ => false,
    }
}
