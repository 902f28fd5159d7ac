//! A value that depends on the way that control took: a condition where one decides, else one of several.

use crate::formula::expression::Builder;
use crate::formula::simplify::{one_of, select};
use crate::formula::unknown::{has_unknown, unknown};
use crate::slice::definitions::Definition;
use crate::slice::position::Position;
use migfit_schema::formula::Expr;
use migfit_schema::program::{BlockId, Operand, Phi, Terminator, Type};
use std::collections::BTreeSet;

impl<'a> Builder<'a> {
    pub(super) fn phi(&mut self, block: BlockId, phi: &'a Phi) -> Expr {
        let flow = self.scene.graphs.flow(self.function);
        if phi
            .incoming
            .iter()
            .any(|(from, _)| flow.reaches(block, *from))
        {
            return self.loop_variable(block, phi);
        }
        if let Some(expr) = self.two_ways(block, phi) {
            return expr;
        }
        one_of(
            phi.incoming
                .iter()
                .map(|(_, value)| self.expr(*value, phi.ty))
                .collect(),
        )
    }

    /// `condition ? a : b`, where one branch with an expressible condition decides between two ways in.
    fn two_ways(&mut self, block: BlockId, phi: &'a Phi) -> Option<Expr> {
        let [(first, a), (second, b)] = phi.incoming.as_slice() else {
            return None;
        };
        let body = self.scene.body(self.function)?;
        let controllers = |of: BlockId| self.scene.graphs.control(self.function).controllers(of);
        let branch = [*first, *second].into_iter().find_map(|edge| {
            match body.blocks.get(edge as usize)?.end {
                Terminator::Branch {
                    then, otherwise, ..
                } if then == block || otherwise == block => Some(edge),
                _ => controllers(edge).last().copied(),
            }
        })?;
        let Terminator::Branch {
            condition,
            then,
            otherwise,
            ..
        } = body.blocks.get(branch as usize)?.end
        else {
            return None;
        };
        let flow = self.scene.graphs.flow(self.function);
        let leads = |way: BlockId, edge: BlockId| {
            way == edge
                || (way != block && flow.reaches(way, edge))
                || (way == block && edge == branch)
        };
        let (yes, no) = match (
            leads(then, *first),
            leads(otherwise, *first),
            leads(then, *second),
            leads(otherwise, *second),
        ) {
            (true, false, false, true) => (*a, *b),
            (false, true, true, false) => (*b, *a),
            _ => return None,
        };
        let condition = self.expr(condition, Type::Int(1));
        if has_unknown(&condition) {
            return None;
        }
        Some(select(
            condition,
            self.expr(yes, phi.ty),
            self.expr(no, phi.ty),
        ))
    }

    fn loop_variable(&mut self, head: BlockId, phi: &'a Phi) -> Expr {
        let inside = self
            .scene
            .graphs
            .loops(self.function)
            .blocks(head)
            .is_some_and(|blocks| blocks.contains(&self.used_in));
        let head_at = Position {
            function: self.function,
            block: head,
            index: 0,
        };
        match self.counted(head_at, phi) {
            Some(variable) if inside => Expr::Loop(variable.into()),
            Some(_) => unknown(None, "a value that a loop leaves behind"),
            None => self.chosen_in_loop(phi),
        }
    }

    /// A variable that a loop over options sets: one of the values that it is given anywhere.
    fn chosen_in_loop(&mut self, phi: &'a Phi) -> Expr {
        let mut seen = BTreeSet::from([phi.dst]);
        let mut waiting = vec![phi];
        let mut values = Vec::new();
        while let Some(phi) = waiting.pop() {
            for (_, value) in &phi.incoming {
                let inner = match value {
                    Operand::Reg(register) if seen.contains(register) => continue,
                    Operand::Reg(register) => self.scene.definition(self.function, *register),
                    _ => None,
                };
                match (inner, value) {
                    (Some(Definition::Phi(_, inner)), _) => {
                        seen.insert(inner.dst);
                        waiting.push(inner);
                    }
                    _ => values.push(self.expr(*value, phi.ty)),
                }
            }
        }
        if values.iter().any(has_unknown) {
            return unknown(None, "changes in a loop");
        }
        one_of(values)
    }
}
