//! The answer of the analysis: one set of objects for each register and for each object's contents.

use crate::slice::objects::{ObjectId, Objects};
use crate::slice::position::{instructions, written};
use fixedbitset::FixedBitSet;
use migfit_schema::program::{FunctionId, Operand, Reg, SizeProgram};
use std::collections::HashMap;

/// Index of a set.
pub type Node = usize;

/// Where pointers may lead.
pub struct PointsTo {
    registers: HashMap<(FunctionId, Reg), Node>,
    /// Node of the first object's contents.
    contents: Node,
    objects: usize,
    sets: Vec<FixedBitSet>,
    globals: std::ops::Range<ObjectId>,
    functions: std::ops::Range<ObjectId>,
}

impl PointsTo {
    /// Empty sets for a program. Only registers that something writes have one, however large their numbers are.
    pub fn nowhere(program: &SizeProgram, objects: &Objects) -> PointsTo {
        let mut registers = HashMap::new();
        let mut number = |function: FunctionId, register: Reg| {
            let next = registers.len();
            registers.entry((function, register)).or_insert(next);
        };
        for (function, body) in (0u32..).zip(&program.functions) {
            body.params
                .iter()
                .for_each(|(register, _)| number(function, *register));
            for block in &body.blocks {
                block.phis.iter().for_each(|phi| number(function, phi.dst));
            }
        }
        for (at, instruction) in instructions(program) {
            for register in written(&instruction.op) {
                number(at.function, *register);
            }
        }
        let contents = registers.len();
        PointsTo {
            sets: vec![FixedBitSet::new(); contents + objects.len()],
            registers,
            contents,
            objects: objects.len(),
            globals: objects.globals(),
            functions: objects.functions(),
        }
    }

    /// Objects that a value may point to.
    pub fn of(&self, function: FunctionId, value: Operand) -> Vec<ObjectId> {
        let one = |range: &std::ops::Range<ObjectId>, id: u32| {
            let object = range.start.saturating_add(id as usize);
            range
                .contains(&object)
                .then_some(object)
                .into_iter()
                .collect()
        };
        match value {
            Operand::Reg(register) => self
                .register(function, register)
                .map_or_else(Vec::new, |node| self.listed(node)),
            Operand::Global(id, _) => one(&self.globals, id),
            Operand::Function(id) => one(&self.functions, id),
            Operand::Const(_) | Operand::Undef => Vec::new(),
        }
    }

    /// Functions that a value may point to.
    pub fn functions(&self, function: FunctionId, value: Operand) -> Vec<FunctionId> {
        let objects = self.of(function, value).into_iter();
        let functions = objects.filter(|object| self.functions.contains(object));
        functions
            .filter_map(|object| u32::try_from(object - self.functions.start).ok())
            .collect()
    }

    /// Objects that an object's contents may point to.
    pub fn in_contents(&self, object: ObjectId) -> Vec<ObjectId> {
        self.contents(object)
            .map_or_else(Vec::new, |node| self.listed(node))
    }

    /// Those objects and everything that can be reached from their contents.
    pub fn closure(&self, start: Vec<ObjectId>) -> Vec<ObjectId> {
        let mut seen = FixedBitSet::with_capacity(self.objects);
        let mut waiting = start;
        let mut all = Vec::new();
        while let Some(object) = waiting.pop() {
            if object < seen.len() && !seen.put(object) {
                all.push(object);
                waiting.extend(self.in_contents(object));
            }
        }
        all
    }

    /// The node of a register; `None` where nothing writes it.
    pub(super) fn register(&self, function: FunctionId, register: Reg) -> Option<Node> {
        self.registers.get(&(function, register)).copied()
    }

    /// The node of an object's contents.
    pub(super) fn contents(&self, object: ObjectId) -> Option<Node> {
        (object < self.objects).then_some(self.contents + object)
    }

    /// A node beyond registers and contents.
    pub(super) fn add_node(&mut self) -> Node {
        self.sets.push(FixedBitSet::new());
        self.sets.len() - 1
    }

    /// Adds an object to a node's set.
    pub(super) fn include(&mut self, node: Node, object: ObjectId) {
        if let Some(set) = self.sets.get_mut(node) {
            set.grow_and_insert(object);
        }
    }

    /// The objects of a node's set.
    pub(super) fn listed(&self, node: Node) -> Vec<ObjectId> {
        self.sets
            .get(node)
            .map_or_else(Vec::new, |set| set.ones().collect())
    }

    /// Adds one node's set to another's; says whether that changed it.
    pub(super) fn merge(&mut self, from: Node, to: Node) -> bool {
        let Ok([source, target]) = self.sets.get_disjoint_mut([from, to]) else {
            return false;
        };
        let before = target.count_ones(..);
        target.union_with(source);
        target.count_ones(..) != before
    }
}
