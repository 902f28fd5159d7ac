//! Counted loops: a variable that starts somewhere, goes on by a fixed step and is compared with a bound.

use crate::formula::expression::Builder;
use crate::formula::simplify::{binary, unary};
use crate::formula::unknown::has_unknown;
use crate::slice::definitions::Definition;
use crate::slice::position::Position;
use migfit_schema::formula as shape;
use migfit_schema::formula::{Expr, LoopVar, UnaryOp};
use migfit_schema::program::{BinaryOp, BlockId, Compare, Op, Operand, Phi, Terminator};

impl<'a> Builder<'a> {
    /// The variable of a counted loop: starts somewhere, goes on by a fixed step, is compared with a bound.
    pub fn counted(&mut self, head: Position, phi: &'a Phi) -> Option<LoopVar> {
        let flow = self.scene.graphs.flow(self.function);
        let (back, entries): (Vec<_>, Vec<_>) = phi
            .incoming
            .iter()
            .partition(|(from, _)| flow.reaches(head.block, *from));
        let ([(_, first)], [(_, next)]) = (entries.as_slice(), back.as_slice()) else {
            return None;
        };
        let step = self.step(phi, *next)?;
        let (compare, bound) = self.bound(head.block, phi, *next, &step)?;
        let first = self.expr(*first, phi.ty);
        let name = self
            .scene
            .name(self.function, phi.dst)
            .unwrap_or("i")
            .to_owned();
        Some(LoopVar {
            name,
            first,
            step,
            compare,
            bound,
        })
    }

    fn step(&mut self, phi: &Phi, next: Operand) -> Option<Expr> {
        let Operand::Reg(register) = next else {
            return None;
        };
        let Some(Definition::Op(_, Op::Binary { ty, op, a, b, .. }, _)) =
            self.scene.definition(self.function, register)
        else {
            return None;
        };
        let step = match (op, *a == Operand::Reg(phi.dst), *b == Operand::Reg(phi.dst)) {
            (BinaryOp::Add, true, _) => self.expr(*b, *ty),
            (BinaryOp::Add, _, true) => self.expr(*a, *ty),
            (BinaryOp::Sub, true, _) => unary(UnaryOp::Neg, self.expr(*b, *ty)),
            _ => return None,
        };
        (!has_unknown(&step)).then_some(step)
    }

    /// The comparison that ends the loop, read so that the variable stands on its left and the loop goes on.
    fn bound(
        &mut self,
        head: BlockId,
        phi: &Phi,
        next: Operand,
        step: &Expr,
    ) -> Option<(shape::CompareOp, Expr)> {
        let body = self.scene.body(self.function)?;
        let blocks = self.scene.graphs.loops(self.function).blocks(head)?;
        blocks.iter().find_map(|block| {
            let Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            } = body.blocks.get(*block as usize)?.end
            else {
                return None;
            };
            let goes_on = match (blocks.contains(&then), blocks.contains(&otherwise)) {
                (true, false) => true,
                (false, true) => false,
                _ => return None,
            };
            let Operand::Reg(condition) = condition else {
                return None;
            };
            let Some(Definition::Op(_, Op::Compare { ty, op, a, b, .. }, _)) =
                self.scene.definition(self.function, condition)
            else {
                return None;
            };
            let (left, right, op) = if [Operand::Reg(phi.dst), next].contains(a) {
                (*a, *b, *op)
            } else if [Operand::Reg(phi.dst), next].contains(b) {
                (*b, *a, mirrored(*op))
            } else {
                return None;
            };
            let compare = comparison(op, goes_on)?;
            let bound = self.expr(right, *ty);
            // Compared after the step: the loop goes on while variable + step is in bounds.
            let bound = if left == next {
                binary(shape::BinaryOp::Sub, bound, step.clone())
            } else {
                bound
            };
            Some((compare, bound))
        })
    }
}

fn mirrored(op: Compare) -> Compare {
    match op {
        Compare::ULt => Compare::UGt,
        Compare::ULe => Compare::UGe,
        Compare::UGt => Compare::ULt,
        Compare::UGe => Compare::ULe,
        Compare::SLt => Compare::SGt,
        Compare::SLe => Compare::SGe,
        Compare::SGt => Compare::SLt,
        Compare::SGe => Compare::SLe,
        other => other,
    }
}

/// The comparison under which the loop goes on.
fn comparison(op: Compare, goes_on: bool) -> Option<shape::CompareOp> {
    use shape::CompareOp::{Greater, GreaterEqual, Less, LessEqual, NotEqual};
    Some(match (op, goes_on) {
        (Compare::ULt | Compare::SLt, true) | (Compare::UGe | Compare::SGe, false) => Less,
        (Compare::ULe | Compare::SLe, true) | (Compare::UGt | Compare::SGt, false) => LessEqual,
        (Compare::UGt | Compare::SGt, true) | (Compare::ULe | Compare::SLe, false) => Greater,
        (Compare::UGe | Compare::SGe, true) | (Compare::ULt | Compare::SLt, false) => GreaterEqual,
        (Compare::Ne, true) | (Compare::Eq, false) => NotEqual,
        _ => return None,
    })
}
