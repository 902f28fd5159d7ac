//! Where the ways of a branch go: each is walked under its condition, and they meet where they join.

use super::conditions::{not, or};
use super::held::State;
use super::walk::{Frame, Span, Walker};
use crate::formula::simplify::binary;
use crate::formula::unknown::unknown;
use crate::slice::definitions::Definition;
use crate::slice::position::Position;
use migfit_schema::formula::{BinaryOp, Expr};
use migfit_schema::program::{BlockId, Compare, FunctionId, Op, Operand, Terminator, Type};
use std::collections::BTreeSet;

impl Walker<'_> {
    /// Where control goes on behind a block; what lies between it and where its ways meet is walked through.
    pub(super) fn branch(
        &mut self,
        function: FunctionId,
        block: BlockId,
        span: Span,
        state: State,
    ) -> (State, Option<BlockId>) {
        let graphs = &self.scene.graphs;
        let (control, loops) = (graphs.control(function), graphs.loops(function));
        let around = span.within.and_then(|head| loops.blocks(head));
        let inside = |way: &BlockId| around.is_none_or(|blocks| blocks.contains(way));
        let ways: Vec<BlockId> = control.ways(block).iter().copied().filter(inside).collect();
        match ways.as_slice() {
            [] => return (state, None),
            [only] => return (state, Some(*only)),
            _ => {}
        }
        let join = control.join(block).filter(inside).or(span.stop);
        let works = |way: &BlockId| self.works_between(function, *way, join);
        if join.is_some() && !ways.iter().any(works) {
            return (state, join);
        }
        if let Some(given) = self.unless_null(function, block)
            && ways.iter().all(|way| *way == given || !works(way))
        {
            let part = Span {
                start: given,
                stop: join,
                ..span
            };
            return (self.region(function, part, false, state), join);
        }
        let conditions = self.conditions(function, block, &ways);
        let mut joined: Option<State> = None;
        for (way, condition) in ways.iter().zip(&conditions).rev() {
            let part = Span {
                start: *way,
                stop: join,
                ..span
            };
            self.path.push(Frame::If(condition.clone()));
            let after = self.region(function, part, false, state.clone());
            self.path.pop();
            joined = Some(match joined {
                None => after,
                Some(others) => State::joined(condition, &state, after, others),
            });
        }
        (joined.unwrap_or(state), join)
    }

    /// The way that is taken where a pointer is not null, of a branch that asks for that. Where nothing happens on the
    /// other one it stands for both: to free nothing is nothing, and what was not opened is a check that fails.
    fn unless_null(&self, function: FunctionId, block: BlockId) -> Option<BlockId> {
        let body = self.scene.body(function)?;
        let Terminator::Branch {
            condition: Operand::Reg(register),
            then,
            otherwise,
            ..
        } = body.blocks.get(block as usize)?.end
        else {
            return None;
        };
        match self.scene.definition(function, register)? {
            Definition::Op(
                _,
                Op::Compare {
                    ty: Type::Ptr,
                    op,
                    b: Operand::Const(0),
                    ..
                },
                _,
            ) => match op {
                Compare::Ne => Some(then),
                Compare::Eq => Some(otherwise),
                _ => None,
            },
            _ => None,
        }
    }

    /// Under which conditions these ways of a block are taken, each where none before it is.
    fn conditions(&self, function: FunctionId, block: BlockId, ways: &[BlockId]) -> Vec<Expr> {
        let body = self.scene.body(function);
        let end = body.and_then(|body| body.blocks.get(block as usize));
        let at = Position {
            function,
            block,
            index: u32::MAX,
        };
        let taken = |way: &BlockId| match end.map(|found| &found.end) {
            Some(Terminator::Branch {
                condition,
                then,
                otherwise,
                ..
            }) if then != otherwise => {
                let condition = self.builder(at).expr(*condition, Type::Int(1));
                match way == then {
                    true => condition,
                    false => not(condition),
                }
            }
            Some(Terminator::Switch {
                value,
                ty,
                cases,
                default,
                ..
            }) => {
                let value = self.builder(at).expr(*value, *ty);
                let is = |wanted: &dyn Fn(BlockId) -> bool| {
                    let cases = cases.iter().filter(|(_, to)| wanted(*to));
                    let each = cases.map(|(bits, _)| {
                        let number = crate::formula::expression::constant(*bits, *ty);
                        binary(BinaryOp::Equal, value.clone(), number)
                    });
                    each.fold(Expr::Int(0), or)
                };
                match way == default {
                    true => not(is(&|to| to != *way)),
                    false => is(&|to| to == *way),
                }
            }
            _ => unknown(None, "a branch"),
        };
        ways.iter().map(taken).collect()
    }

    /// Whether something happens to device memory between a block and another.
    pub(super) fn works_between(
        &self,
        function: FunctionId,
        from: BlockId,
        to: Option<BlockId>,
    ) -> bool {
        let flow = self.scene.graphs.flow(function);
        let mut seen = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(block) = waiting.pop() {
            if Some(block) == to || !seen.insert(block) {
                continue;
            }
            if self.eventful.block(function, block) {
                return true;
            }
            waiting.extend(flow.after(block));
        }
        false
    }
}
