//! The answer of the analysis: one set of objects for each register and for each object's contents. Nodes that the
//! solver found to be equal share one.

use super::object_set::ObjectSet;
use crate::slice::objects::{ObjectId, Objects};
use crate::slice::position::instructions;
use fixedbitset::FixedBitSet;
use migfit_schema::program::{FunctionId, Operand, Reg, SizeProgram};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Index of a set.
pub type Node = usize;

/// Where pointers may lead.
pub struct PointsTo {
    /// Per function the node of its first numbered register, and which registers have one.
    registers: HashMap<(FunctionId, Reg), Node>,
    /// Node of the first object's contents.
    contents: Node,
    objects: usize,
    sets: Vec<Rc<ObjectSet>>,
    /// Per node the one that stands for it.
    stands_for: Vec<Node>,
    globals: Range<ObjectId>,
    functions: Range<ObjectId>,
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
            for register in instruction.op.written() {
                number(at.function, *register);
            }
        }
        let contents = registers.len();
        let count = contents + objects.len();
        PointsTo {
            sets: vec![Rc::default(); count],
            stands_for: (0..count).collect(),
            registers,
            contents,
            objects: objects.len(),
            globals: objects.globals(),
            functions: objects.functions(),
        }
    }

    /// Objects that a value may point to.
    pub fn of(&self, function: FunctionId, value: Operand) -> Vec<ObjectId> {
        match value {
            Operand::Reg(register) => self
                .register(function, register)
                .map_or_else(Vec::new, |node| self.listed(node)),
            value => self.named(value).into_iter().collect(),
        }
    }

    /// The object of a global or a function.
    fn named(&self, value: Operand) -> Option<ObjectId> {
        let (range, id) = match value {
            Operand::Global(id, _) => (&self.globals, id),
            Operand::Function(id) => (&self.functions, id),
            Operand::Reg(_) | Operand::Const(_) | Operand::Undef => return None,
        };
        let object = range.start.saturating_add(id as usize);
        range.contains(&object).then_some(object)
    }

    /// The node whose set says where a register may point: of registers with equal sets mostly the same.
    pub fn node_of(&self, function: FunctionId, register: Reg) -> Option<Node> {
        self.register(function, register)
            .map(|node| self.stand_in(node))
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
        let mut looked_into = FixedBitSet::with_capacity(self.sets.len());
        let mut waiting = start;
        let mut all = Vec::new();
        while let Some(object) = waiting.pop() {
            if object >= seen.len() || seen.put(object) {
                continue;
            }
            all.push(object);
            let node = self.contents(object).map(|node| self.stand_in(node));
            if let Some(node) = node.filter(|node| !looked_into.put(*node)) {
                waiting.extend(self.set(node).iter());
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
        self.sets.push(Rc::default());
        self.stands_for.push(self.stands_for.len());
        self.sets.len() - 1
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The node that stands for this one.
    pub(super) fn stand_in(&self, node: Node) -> Node {
        let mut node = node;
        while let Some(next) = self.stands_for.get(node).filter(|next| **next != node) {
            node = *next;
        }
        node
    }

    /// Lets one node stand for another, with all that both point to.
    pub(super) fn unite(&mut self, stays: Node, goes: Node) {
        let gone = self.set(goes);
        self.merge_set(&gone, stays);
        if let (Some(place), Some(set)) = (self.stands_for.get_mut(goes), self.sets.get_mut(goes)) {
            (*place, *set) = (stays, Rc::default());
        }
    }

    /// Lets every node name its stand-in directly.
    pub(super) fn flatten(&mut self) {
        for node in 0..self.stands_for.len() {
            self.stands_for[node] = self.stand_in(node);
        }
    }

    /// Adds an object to a node's set.
    pub(super) fn include(&mut self, node: Node, object: ObjectId) {
        let node = self.stand_in(node);
        if let Some(set) = self.sets.get_mut(node) {
            Rc::make_mut(set).insert(object);
        }
    }

    /// The set of a node.
    pub(super) fn set(&self, node: Node) -> Rc<ObjectSet> {
        let node = self.stand_in(node);
        self.sets.get(node).map(Rc::clone).unwrap_or_default()
    }

    /// The objects of a node's set.
    pub(super) fn listed(&self, node: Node) -> Vec<ObjectId> {
        self.set(node).iter().collect()
    }

    /// Adds a set to a node's; nodes with the same objects share one where that is seen.
    pub(super) fn merge_set(&mut self, set: &Rc<ObjectSet>, to: Node) {
        let to = self.stand_in(to);
        let Some(target) = self.sets.get_mut(to) else {
            return;
        };
        if Rc::ptr_eq(set, target) || set.is_within(target) {
            return;
        }
        *target = match target.is_within(set) {
            true => Rc::clone(set),
            false => Rc::new(target.union(set)),
        };
    }
}
