//! The rules of the analysis and their solution, in waves: nodes that copy from each other in a ring become one, then
//! sets flow along the copies in the order in which they depend on each other, then what pointers were found to lead
//! to makes more copies; until a wave makes none.

use super::graph::Copies;
use super::library::makes_host_node;
use super::object_set::ObjectSet;
use super::sets::{Node, PointsTo};
use crate::slice::objects::{Object, ObjectId, Objects};
use crate::slice::position::{Position, instruction};
use migfit_schema::program::{Callee, FunctionId, Op, Operand, SizeProgram};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

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
        copies: Copies::default(),
        uses: BTreeMap::new(),
        bound: HashSet::new(),
    };
    solver.generate();
    solver.iterate();
    solver.points.flatten();
    solver.points
}

/// What is done through a pointer.
#[derive(Default)]
struct Uses {
    /// Nodes that include the contents of what it points to.
    loads: Vec<Node>,
    /// Nodes that those contents include.
    stores: Vec<Node>,
    /// Calls through it.
    calls: Vec<Position>,
    /// Objects for which all of this is done.
    done: Rc<ObjectSet>,
}

impl Uses {
    /// More uses: they have to be done for every object.
    fn add(&mut self, other: Uses) {
        self.loads.extend(other.loads);
        self.stores.extend(other.stores);
        self.calls.extend(other.calls);
        self.done = Rc::default();
    }

    /// Forgets what is there twice.
    fn dedup(&mut self) {
        for nodes in [&mut self.loads, &mut self.stores] {
            nodes.sort_unstable();
            nodes.dedup();
        }
    }
}

/// The analysis on its way.
pub struct Solver<'a> {
    pub(super) program: &'a SizeProgram,
    pub(super) objects: &'a Objects,
    /// Rules that wait to become copies and uses.
    pub(super) rules: Vec<Rule>,
    pub(super) points: PointsTo,
    copies: Copies,
    uses: BTreeMap<Node, Uses>,
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

    fn iterate(&mut self) {
        loop {
            self.take_rules();
            let order = self.collapse();
            self.flow_along(&order);
            if !self.look_behind_pointers() {
                return;
            }
        }
    }

    fn take_rules(&mut self) {
        for rule in std::mem::take(&mut self.rules) {
            let (pointer, uses) = match rule {
                Rule::Copy { from, to } => {
                    self.copy(from, to);
                    continue;
                }
                Rule::Load { address, to } => (address, Uses::loading(to)),
                Rule::Store { from, address } => (address, Uses::storing(from)),
                Rule::Call { pointer, at } => (pointer, Uses::calling(at)),
            };
            let pointer = self.points.stand_in(pointer);
            self.uses.entry(pointer).or_default().add(uses);
        }
    }

    /// A copy from node to node; says whether it is new.
    fn copy(&mut self, from: Node, to: Node) -> bool {
        let (from, to) = (self.points.stand_in(from), self.points.stand_in(to));
        let new = from != to && self.copies.add(from, to);
        if new {
            let set = self.points.set(from);
            self.points.merge_set(&set, to);
        }
        new
    }

    /// Makes rings of copies one node; the rest in an order in which a node comes before those that copy from it.
    fn collapse(&mut self) -> Vec<Node> {
        let (order, rings) = self.copies.order(self.points.len());
        let united = !rings.is_empty();
        for ring in rings {
            let Some((stays, others)) = ring.split_first() else {
                continue;
            };
            for goes in others {
                self.points.unite(*stays, *goes);
                self.copies.unite(*stays, *goes);
                if let Some(uses) = self.uses.remove(goes) {
                    self.uses.entry(*stays).or_default().add(uses);
                }
            }
            if let Some(uses) = self.uses.get_mut(stays) {
                uses.done = Rc::default();
            }
        }
        if united {
            self.points.flatten();
            let points = &self.points;
            self.copies.rename(|node| points.stand_in(node));
        }
        order
    }

    fn flow_along(&mut self, order: &[Node]) {
        for node in order {
            if self.points.stand_in(*node) != *node {
                continue;
            }
            let set = self.points.set(*node);
            if self.copies.was_sent(*node, &set) {
                continue;
            }
            for to in self.copies.from(*node) {
                self.points.merge_set(&set, *to);
            }
            self.copies.note_sent(*node, set);
        }
    }

    /// Does what is done through pointers for the objects that they were found to lead to; says whether that made any
    /// rule or copy.
    fn look_behind_pointers(&mut self) -> bool {
        let mut changed = false;
        let mut uses = std::mem::take(&mut self.uses);
        for (new, pointers) in self.found_anew(&mut uses) {
            let pointers = pointers.iter().filter_map(|pointer| uses.get(pointer));
            let (mut loads, mut stores) = (Vec::new(), Vec::new());
            for uses in pointers {
                loads.extend(&uses.loads);
                stores.extend(&uses.stores);
                self.bind_calls(&new, uses);
            }
            changed |= self.join_contents(&new, loads, stores);
        }
        // Binding a call only makes rules, so nothing was added here meanwhile.
        self.uses = uses;
        changed || !self.rules.is_empty()
    }

    /// The objects that pointers were found to lead to since the last wave, and the pointers that found the same ones.
    fn found_anew(&self, uses: &mut BTreeMap<Node, Uses>) -> Vec<(Rc<ObjectSet>, Vec<Node>)> {
        let mut found: Vec<(Rc<ObjectSet>, Vec<Node>)> = Vec::new();
        let mut known: HashMap<Rc<ObjectSet>, usize> = HashMap::new();
        for (pointer, uses) in uses {
            let set = self.points.set(*pointer);
            if Rc::ptr_eq(&set, &uses.done) {
                continue;
            }
            if uses.done.is_empty() {
                uses.dedup();
            }
            let new = match uses.done.is_empty() {
                true => Rc::clone(&set),
                false => Rc::new(set.without(&uses.done)),
            };
            uses.done = set;
            let place = *known.entry(Rc::clone(&new)).or_insert(found.len());
            match found.get_mut(place) {
                Some((_, pointers)) => pointers.push(*pointer),
                None => found.push((new, vec![*pointer])),
            }
        }
        found
    }

    /// Copies from and to the contents of objects; says whether one is new. Many objects share their contents; where
    /// there are many of both, the copies go through a node between.
    fn join_contents(&mut self, objects: &ObjectSet, loads: Vec<Node>, stores: Vec<Node>) -> bool {
        let contents = objects.iter().filter_map(|object| {
            let node = self.points.contents(object)?;
            Some(self.points.stand_in(node))
        });
        let mut contents: Vec<Node> = contents.collect();
        contents.sort_unstable();
        contents.dedup();
        let loaded = self.join(&contents, &loads);
        self.join(&stores, &contents) | loaded
    }

    /// Copies from each of some nodes to each of others; says whether one is new.
    fn join(&mut self, from: &[Node], to: &[Node]) -> bool {
        /// Copies from few to few are made one by one.
        const FEW: usize = 2;
        if from.len() > FEW && to.len() > FEW {
            let between = self.points.add_node();
            from.iter().for_each(|from| _ = self.copy(*from, between));
            to.iter().for_each(|to| _ = self.copy(between, *to));
            return true;
        }
        let mut changed = false;
        for from in from {
            for to in to {
                changed |= self.copy(*from, *to);
            }
        }
        changed
    }

    fn bind_calls(&mut self, objects: &ObjectSet, uses: &Uses) {
        if uses.calls.is_empty() {
            return;
        }
        for object in objects.iter() {
            if let Some(Object::Function(target)) = self.objects.get(object) {
                for at in &uses.calls {
                    if self.bound.insert((*at, target)) {
                        self.bind_at(*at, target);
                    }
                }
            }
        }
    }

    fn bind_at(&mut self, at: Position, target: FunctionId) {
        let program = self.program;
        if let Some(Op::Call {
            dst, callee, args, ..
        }) = instruction(program, at).map(|found| &found.op)
        {
            match callee {
                Callee::External(name) => {
                    self.bind_callback(at.function, target, args);
                    if makes_host_node(name) {
                        self.bind_behind(at.function, target, args);
                    }
                }
                _ => self.bind(at.function, dst, target, args),
            }
        }
    }
}

impl Uses {
    fn loading(to: Node) -> Uses {
        Uses {
            loads: vec![to],
            ..Uses::default()
        }
    }

    fn storing(from: Node) -> Uses {
        Uses {
            stores: vec![from],
            ..Uses::default()
        }
    }

    fn calling(at: Position) -> Uses {
        Uses {
            calls: vec![at],
            ..Uses::default()
        }
    }
}
