//! Which node copies from which, and what was sent along already. Must not know what a node stands for.

use super::object_set::ObjectSet;
use super::sets::Node;
use std::collections::HashSet;
use std::rc::Rc;

/// Nodes that copy from each other in a ring.
pub type Ring = Vec<Node>;

/// The copies.
#[derive(Default)]
pub struct Copies {
    /// Per node those that copy from it.
    to: Vec<Vec<Node>>,
    known: HashSet<(Node, Node)>,
    /// Per node the set that all that copy from it have.
    sent: Vec<Option<Rc<ObjectSet>>>,
}

impl Copies {
    /// Adds one; says whether it is new.
    pub fn add(&mut self, from: Node, to: Node) -> bool {
        let new = self.known.insert((from, to));
        if new {
            self.reserve(from);
            self.to[from].push(to);
        }
        new
    }

    fn reserve(&mut self, node: Node) {
        if self.to.len() <= node {
            self.to.resize(node + 1, Vec::new());
            self.sent.resize(node + 1, None);
        }
    }

    /// The nodes that copy from one.
    pub fn from(&self, node: Node) -> &[Node] {
        self.to.get(node).map_or(&[], Vec::as_slice)
    }

    /// Whether all that copy from a node have this set of it.
    pub fn was_sent(&self, node: Node, set: &Rc<ObjectSet>) -> bool {
        match self.sent.get(node) {
            Some(Some(sent)) => Rc::ptr_eq(sent, set),
            Some(None) => set.is_empty(),
            None => true,
        }
    }

    /// Notes that they have.
    pub fn note_sent(&mut self, node: Node, set: Rc<ObjectSet>) {
        if let Some(sent) = self.sent.get_mut(node) {
            *sent = Some(set);
        }
    }

    /// One node takes over the copies of another.
    pub fn unite(&mut self, stays: Node, goes: Node) {
        self.reserve(stays.max(goes));
        let moved = std::mem::take(&mut self.to[goes]);
        self.to[stays].extend(moved);
        self.sent[stays] = None;
        self.sent[goes] = None;
    }

    /// Gives nodes new names; copies to oneself vanish.
    pub fn rename(&mut self, name: impl Fn(Node) -> Node) {
        self.known.clear();
        for (from, to) in self.to.iter_mut().enumerate() {
            to.iter_mut().for_each(|node| *node = name(*node));
            to.sort_unstable();
            to.dedup();
            to.retain(|node| *node != from);
            self.known.extend(to.iter().map(|to| (from, *to)));
        }
    }

    /// All nodes below `count` that something copies from or to, each before those that copy from it; and the rings.
    pub fn order(&self, count: usize) -> (Vec<Node>, Vec<Ring>) {
        let mut search = Search {
            copies: self,
            index: vec![0; count],
            low: vec![0; count],
            next: 1,
            stack: Vec::new(),
            order: Vec::new(),
            rings: Vec::new(),
        };
        for node in 0..self.to.len().min(count) {
            if search.index[node] == 0 && !self.to[node].is_empty() {
                search.from(node);
            }
        }
        search.order.reverse();
        (search.order, search.rings)
    }
}

/// Tarjan's search for strongly connected components, without recursion.
struct Search<'a> {
    copies: &'a Copies,
    /// When a node was met; 0: not yet.
    index: Vec<u32>,
    /// The earliest node still on the stack that it leads to; `DONE`: its component is known.
    low: Vec<u32>,
    next: u32,
    stack: Vec<Node>,
    order: Vec<Node>,
    rings: Vec<Ring>,
}

/// Of nodes whose component is known.
const DONE: u32 = u32::MAX;

impl Search<'_> {
    fn from(&mut self, root: Node) {
        let mut path = vec![(root, 0)];
        self.meet(root);
        while let Some((node, place)) = path.last_mut() {
            let node = *node;
            match self.copies.from(node).get(*place) {
                Some(to) => {
                    *place += 1;
                    if self.index[*to] == 0 {
                        path.push((*to, 0));
                        self.meet(*to);
                    } else if self.low[*to] != DONE {
                        self.low[node] = self.low[node].min(self.index[*to]);
                    }
                }
                None => {
                    path.pop();
                    let low = self.low[node];
                    if low == self.index[node] {
                        self.close(node);
                    } else if let Some((above, _)) = path.last() {
                        self.low[*above] = self.low[*above].min(low);
                    }
                }
            }
        }
    }

    fn meet(&mut self, node: Node) {
        (self.index[node], self.low[node]) = (self.next, self.next);
        self.next += 1;
        self.stack.push(node);
    }

    /// A component is complete: everything on the stack from its first node on.
    fn close(&mut self, first: Node) {
        let place = self.stack.iter().rposition(|node| *node == first);
        let mut ring = self.stack.split_off(place.unwrap_or(self.stack.len()));
        ring.iter().for_each(|node| self.low[*node] = DONE);
        // The smallest number stays, so that the answer does not depend on the order of the search.
        ring.sort_unstable();
        self.order.extend(ring.first());
        if ring.len() > 1 {
            self.rings.push(ring);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_found_and_the_rest_is_in_order() {
        let mut copies = Copies::default();
        for (from, to) in [(5, 1), (1, 2), (2, 3), (3, 1), (3, 4), (0, 5)] {
            assert!(copies.add(from, to));
        }
        assert!(!copies.add(5, 1));
        let (order, rings) = copies.order(7);
        assert_eq!(order, [0, 5, 1, 4]);
        assert_eq!(rings, [[1, 2, 3]]);
    }

    #[test]
    fn a_long_chain_takes_no_stack() {
        let mut copies = Copies::default();
        (0..200_000).for_each(|node| assert!(copies.add(node, node + 1)));
        let (order, rings) = copies.order(200_001);
        assert_eq!((order.len(), rings.len()), (200_001, 0));
    }
}
