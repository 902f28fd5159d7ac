//! The rules of the analysis and their solution: each is applied until nothing changes.

use super::sets::{Node, PointsTo};
use crate::slice::objects::{Object, ObjectId, Objects};
use crate::slice::position::{Position, instruction};
use migfit_schema::program::{Callee, FunctionId, Op, Operand, SizeProgram};
use std::collections::HashSet;

/// `to` includes what `from` points to.
pub enum Rule {
    /// Node to node.
    Copy { from: Node, to: Node },
    /// `to` includes the contents of everything that `address` points to.
    Load { address: Node, to: Node },
    /// Contents of everything that `address` points to include `from`.
    Store { from: Node, address: Node },
    /// A call through a pointer, or of a library function that is given a pointer and may call through it.
    Call { pointer: Node, at: Position },
}

/// Solves for a program.
pub fn solve(program: &SizeProgram, objects: &Objects) -> PointsTo {
    let mut solver = Solver {
        program,
        objects,
        rules: Vec::new(),
        points: PointsTo::nowhere(program, objects),
        bound: HashSet::new(),
    };
    solver.generate();
    solver.iterate();
    solver.points
}

/// The analysis on its way.
pub struct Solver<'a> {
    pub(super) program: &'a SizeProgram,
    pub(super) objects: &'a Objects,
    pub(super) rules: Vec<Rule>,
    pub(super) points: PointsTo,
    /// Calls through pointers whose target is known already.
    bound: HashSet<(Position, FunctionId)>,
}

impl Solver<'_> {
    /// A node that points to what the value points to.
    pub(super) fn holder(&mut self, function: FunctionId, value: Operand) -> Node {
        if let Operand::Reg(register) = value
            && let Some(node) = self.points.register(function, register)
        {
            return node;
        }
        let node = self.points.add_node();
        for object in self.points.of(function, value) {
            self.points.include(node, object);
        }
        node
    }

    /// A node that points to one object.
    pub(super) fn constant(&mut self, object: ObjectId) -> Node {
        let node = self.points.add_node();
        self.points.include(node, object);
        node
    }

    /// Applies every rule until nothing changes; calls found on the way add rules.
    fn iterate(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for index in 0..self.rules.len() {
                changed |= self.apply(index);
            }
        }
    }

    fn apply(&mut self, index: usize) -> bool {
        match self.rules.get(index) {
            Some(&Rule::Copy { from, to }) => self.points.merge(from, to),
            Some(&Rule::Load { address, to }) => {
                let merge = |solver: &mut Self, contents| solver.points.merge(contents, to);
                self.each_contents(address, merge)
            }
            Some(&Rule::Store { from, address }) => {
                let merge = |solver: &mut Self, contents| solver.points.merge(from, contents);
                self.each_contents(address, merge)
            }
            Some(&Rule::Call { pointer, at }) => self.bind_targets(pointer, at),
            None => false,
        }
    }

    fn each_contents(
        &mut self,
        address: Node,
        mut merge: impl FnMut(&mut Self, Node) -> bool,
    ) -> bool {
        let objects = self.points.listed(address);
        objects.into_iter().fold(false, |changed, object| {
            let contents = self.points.contents(object);
            contents.is_some_and(|contents| merge(self, contents)) | changed
        })
    }

    fn bind_targets(&mut self, pointer: Node, at: Position) -> bool {
        let objects = self.points.listed(pointer).into_iter();
        let functions = objects.filter_map(|object| match self.objects.get(object) {
            Some(Object::Function(target)) => Some(target),
            _ => None,
        });
        let new: Vec<FunctionId> = functions
            .filter(|target| !self.bound.contains(&(at, *target)))
            .collect();
        for target in &new {
            self.bound.insert((at, *target));
            self.bind_at(at, *target);
        }
        !new.is_empty()
    }

    fn bind_at(&mut self, at: Position, target: FunctionId) {
        let program = self.program;
        if let Some(Op::Call {
            dst, callee, args, ..
        }) = instruction(program, at).map(|found| &found.op)
        {
            match callee {
                Callee::External(_) => self.bind_callback(at.function, target, args),
                _ => self.bind(at.function, dst, target, args),
            }
        }
    }
}
